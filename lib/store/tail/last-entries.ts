// The newest entries of many logs, in the order of time but never against the order of a file, and
// the offset at which each file must be read to get them.

import { isSessionError } from '../../errors.js'
import { readLogBackwardSync } from '../../log/index.js'
import { endOfLines, lineStartBefore } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { sortByChange } from '../sort-by-change.js'
import type { TailFilter } from './filter.js'
import type { TailEntry } from './tail-sessions.js'

interface Candidate {
  readonly path: string
  readonly byte_offset: number
  readonly ts: string
}

/** By path, the byte at which to start. */
export function findLastEntries(
  store: StoreContext,
  paths: readonly string[],
  { lines, filter }: { readonly lines: number; readonly filter: TailFilter },
): Map<string, number> {
  const starts = new Map<string, number>()
  let newest: Candidate[] = []
  for (const { path, mtimeMs } of sortByChange(store, paths)) {
    const end = findEnd(store, path)
    if (end === undefined) continue
    starts.set(path, end)
    const changedAt = new Date(mtimeMs).toISOString()
    // All further files were last written before the oldest of these.
    const isFull = newest.length >= lines
    if (lines === 0 || (isFull && changedAt < newest.at(-1)!.ts)) continue
    filter.begin(path, end)
    const last = readLast(store, { path, changedAt }, end, lines, filter)
    newest = [...newest, ...last].sort((one, other) => compare(other.ts, one.ts)).slice(0, lines)
  }
  for (const { path, byte_offset } of newest) {
    // Of concatenated records, all are returned.
    const lineStart = lineStartBefore(path, byte_offset + 1, store.env)
    starts.set(path, Math.min(starts.get(path)!, lineStart))
  }
  return starts
}

/** Merges lists, each in the order of its file; damage has the time of what precedes it. */
export function mergeByTime(lists: readonly (readonly TailEntry[])[]): TailEntry[] {
  const timed = lists.flatMap((list) => {
    let ts = ''
    return list.map((entry) => {
      const own = entry.kind === 'event' ? String(entry.event.ts) : ''
      // No entry may come before one that precedes it in its file.
      if (own > ts) ts = own
      return { entry, ts }
    })
  })
  return timed.sort((one, other) => compare(one.ts, other.ts)).map(({ entry }) => entry)
}

/** Newest first. Damage has the time of what follows it, or of the last write. */
function readLast(
  store: StoreContext,
  { path, changedAt }: { path: string; changedAt: string },
  end: number,
  lines: number,
  filter: TailFilter,
): Candidate[] {
  const found: Candidate[] = []
  let last: string | undefined
  for (const entry of readLogBackwardSync(path, { to: end, environment: store.env })) {
    if (found.length === lines) break
    const { byte_offset } = entry
    const own = entry.kind === 'event' ? String(entry.event.ts) : last
    // No entry may count as newer than one that follows it in its file.
    if (own !== undefined && (last === undefined || own < last)) last = own
    if (filter.matches({ path, ...entry })) found.push({ path, byte_offset, ts: last ?? changedAt })
  }
  return found
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}

function findEnd({ env }: StoreContext, path: string): number | undefined {
  try {
    return endOfLines(path, env)
  } catch (error) {
    if (isSessionError(error)) return undefined
    throw error
  }
}
