// Is a log whole, as far as its two ends tell? A look of bounded length, for stores in which
// nobody wants to wait for every byte; `verifyLog` reads them all.

import { closeSync, fstatSync } from 'node:fs'
import { walkChain } from '../chain/index.js'
import { isSessionError } from '../errors.js'
import { type Diagnostic, linkOf, type PlacedLink } from '../format/index.js'
import { type LogEntry, readLogSync } from '../log/index.js'
import { type OpenLog, openForReading } from '../log/inside.js'
import type { ChannelName, StoreFinding } from './health.js'
import type { StoreEntry } from './health-folders.js'
import { verifyLog } from './verify.js'

const HEAD_BYTES = 4 * 1024
const TAIL_BYTES = 64 * 1024

// Claims and what waits in the spool follow no other event and begin with no header, which a
// check of conversations would miss there.
const IS_VERIFIED: readonly ChannelName[] = [
  'transcripts',
  'sidechains',
  'checkpoints',
  'history',
  'store',
]

/** What is wrong with a log, in one finding; `undefined` when nothing is. */
export async function checkLog(
  { path, channel }: StoreEntry,
  { isDeep }: { isDeep: boolean },
): Promise<StoreFinding | undefined> {
  try {
    const isWhole = isDeep && IS_VERIFIED.includes(channel)
    const found = isWhole ? (await verifyLog(path)).findings : glance(path, channel)
    const diagnostics = found.filter(({ severity }) => severity !== 'info')
    return diagnostics.length === 0 ? undefined : damageOf(path, diagnostics)
  } catch (error) {
    if (!isSessionError(error)) throw error
    // Whoever moved or removed it meanwhile knows of it.
    if (error.code === 'ERR_NOT_FOUND') return undefined
    return { code: 'unreadable', severity: 'error', path, message: error.message }
  }
}

/** `undefined` for what cannot be read: that was told of the log itself. */
export function readable<Found>(read: () => Found): Found | undefined {
  try {
    return read()
  } catch (error) {
    if (isSessionError(error)) return undefined
    throw error
  }
}

function damageOf(path: string, diagnostics: readonly Diagnostic[]): StoreFinding {
  const counts = new Map<string, number>()
  for (const { code } of diagnostics) counts.set(code, (counts.get(code) ?? 0) + 1)
  const message = [...counts].map(([code, count]) => `${code} (${count})`).join(', ')
  const isError = diagnostics.some(({ severity }) => severity === 'error')
  return { code: 'damage', severity: isError ? 'error' : 'warning', path, message, diagnostics }
}

function glance(path: string, channel: ChannelName): Diagnostic[] {
  const log = openForReading(path)
  const isBare = channel === 'history'
  try {
    const { size } = fstatSync(log.fd)
    if (size <= HEAD_BYTES + TAIL_BYTES) return findingsIn(log, 0, channel)
    // The last line of the head is cut by the look and not by the disk.
    const head = [...readLogSync(log, { to: HEAD_BYTES, isBare })].filter(
      ({ byte_offset, length }) => byte_offset + length < HEAD_BYTES,
    )
    return [...diagnosticsOf(head), ...findingsIn(log, size - TAIL_BYTES, channel)]
  } finally {
    closeSync(log.fd)
  }
}

function findingsIn(log: OpenLog, from: number, channel: ChannelName): Diagnostic[] {
  const entries = [...readLogSync(log, { from, isBare: channel === 'history' })]
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
