// Entries in, rows out.

import { SessionError } from '../errors.js'
import { tolerantJson } from '../format/index.js'
import {
  type FollowEntry,
  followLog,
  type LogEntry,
  readLog,
  readLogBackward,
} from '../log/index.js'
import { colorsOf } from './colors.js'
import type { Call } from './command.js'
import { EXIT } from './exit-codes.js'
import { rowOf } from './log-row.js'
import { plural } from './plural.js'

export interface PrintLogOptions {
  readonly limit: number
  readonly from: number | undefined
  readonly signal: AbortSignal | undefined
  readonly isReverse: boolean
  readonly isFollowing: boolean
  readonly cursor: string | undefined
}

export async function printLog(path: string, call: Call, options: PrintLogOptions) {
  const { output } = call
  const { limit, isFollowing } = options
  const colors = colorsOf(call)
  const isJson = call.has('json')
  const isBare = await isHistory(path)
  let rowCount = 0
  let damageCount = 0
  let firstDamage = 0
  if (limit === 0) return EXIT.done
  for await (const entry of entriesOf(path, { ...options, isBare })) {
    if (isDamaged(entry) && damageCount++ === 0) firstDamage = entry.byte_offset
    // Asked for every row: a terminal may change its width while it is followed.
    const row = isJson ? tolerantJson(entry) : rowOf(entry, { columns: output.columns, colors })
    await output.write(`${row}\n`)
    if (isFollowing) await output.flush()
    if (++rowCount >= limit) break
  }
  if (damageCount === 0 || !call.has('strict')) return EXIT.done
  const what = `${path} holds ${plural(damageCount, 'damaged entry', 'damaged entries')}, the first at byte ${firstDamage}`
  throw new SessionError('ERR_DAMAGED', what, { path, damageCount, byte_offset: firstDamage })
}

interface Source extends PrintLogOptions {
  readonly isBare: boolean
}

function entriesOf(path: string, source: Source): AsyncIterable<LogEntry | FollowEntry> {
  const { from, cursor, signal, isBare, isReverse, isFollowing } = source
  if (isFollowing) return followLog(path, { from, cursor, signal, isBare })
  return isReverse ? readLogBackward(path, { from, isBare }) : readLog(path, { from, isBare })
}

/** The lines of a history have no envelope, and the first of them tells. A log may be missing it. */
async function isHistory(path: string): Promise<boolean> {
  for await (const entry of readLog(path, { isBare: true })) {
    if (entry.kind === 'event') return entry.event.uuid === undefined && 'prompt' in entry.event
  }
  return false
}

/** What `strict` means everywhere: damaged, unproven, or not whole in memory. */
function isDamaged({ kind, diagnostics = [] }: LogEntry | FollowEntry): boolean {
  if (kind === 'damage') return true
  if (kind !== 'event') return false
  return diagnostics.some(({ severity, code }) => severity === 'error' || code === 'unverified')
}
