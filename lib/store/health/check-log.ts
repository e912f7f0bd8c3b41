// Checks the beginning and the end of a log, for stores that are too large to read completely;
// `verifyLog` reads every line.

import { walkChain } from '../../chain/index.js'
import { isSessionError } from '../../errors.js'
import { type Diagnostic, linkOf, type PlacedLink } from '../../format/index.js'
import { type LogEntry, readLogSync } from '../../log/index.js'
import { lineStartBefore, type OpenLog, openForReading } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import type { ChannelName, StoreFinding } from './findings.js'
import type { StoreEntry } from './list-entries.js'
import { verifyLog } from './verify.js'

const HEAD_BYTES = 4 * 1024
const TAIL_BYTES = 64 * 1024

// Events of claims and of the spool have no header and no predecessor, which verifyLog would miss.
const IS_VERIFIED: readonly ChannelName[] = [
  'transcripts',
  'sidechains',
  'checkpoints',
  'history',
  'store',
]

/** The damage of a log as one finding. */
export async function checkLog(
  store: StoreContext,
  { path, channel }: StoreEntry,
  deep: boolean,
): Promise<StoreFinding | undefined> {
  try {
    const isVerified = deep && IS_VERIFIED.includes(channel)
    const found = isVerified
      ? (await verifyLog(store, path)).findings
      : checkEnds(store, path, channel)
    const diagnostics = found.filter(({ severity }) => severity !== 'info')
    return diagnostics.length === 0 ? undefined : toFinding(path, diagnostics)
  } catch (error) {
    if (!isSessionError(error)) throw error
    // Another process moved or removed it meanwhile.
    if (error.code === 'ERR_NOT_FOUND') return undefined
    return { code: 'unreadable', severity: 'error', path, message: error.message }
  }
}

/** `undefined` for what cannot be read: `checkLog` reports that. */
export function readIfReadable<Found>(read: () => Found): Found | undefined {
  try {
    return read()
  } catch (error) {
    if (isSessionError(error)) return undefined
    throw error
  }
}

function toFinding(path: string, diagnostics: readonly Diagnostic[]): StoreFinding {
  const counts = new Map<string, number>()
  for (const { code } of diagnostics) counts.set(code, (counts.get(code) ?? 0) + 1)
  const message = [...counts].map(([code, count]) => `${code} (${count})`).join(', ')
  const isError = diagnostics.some(({ severity }) => severity === 'error')
  return { code: 'damage', severity: isError ? 'error' : 'warning', path, message, diagnostics }
}

function checkEnds({ env }: StoreContext, path: string, channel: ChannelName): Diagnostic[] {
  const log = openForReading(path, env)
  try {
    const { size } = log
    if (size <= HEAD_BYTES + TAIL_BYTES) return checkFrom(log, 0, channel)
    // Up to the line that the window cuts off, so that this line is not taken for a torn one.
    const to = lineStartBefore(log.fd, HEAD_BYTES + 1, env)
    const head = [...readLogSync(log, { to, bare: channel === 'history' })]
    return [...diagnosticsOf(head), ...checkFrom(log, size - TAIL_BYTES, channel)]
  } finally {
    env.fs.closeSync(log.fd)
  }
}

function checkFrom(log: OpenLog, from: number, channel: ChannelName): Diagnostic[] {
  const entries = [...readLogSync(log, { from, bare: channel === 'history' })]
  const found = diagnosticsOf(entries)
  if (channel !== 'transcripts' && channel !== 'sidechains') return found
  const links = entries.flatMap((entry): PlacedLink[] =>
    entry.kind === 'event' ? [linkOf(entry.event, entry.byte_offset)] : [],
  )
  const { findings } = walkChain(links, { isWhole: from === 0 })
  return [...found, ...findings.map((finding) => ({ ...finding, file: log.path }))]
}

function diagnosticsOf(entries: readonly LogEntry[]): Diagnostic[] {
  return entries.flatMap(({ diagnostics }) => diagnostics ?? [])
}
