// The newest entries of many logs, in the order of time but never against the order of a file, and
// the offset at which each file must be read to get them.

import { isSessionError } from '../../errors.js'
import { readLogBackwardSync } from '../../log/index.js'
import { endOfLines, lineStartBefore } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import type { TailFilter } from './filter.js'
import type { TailEntry } from './tail-sessions.js'

export interface LastEntriesOptions {
  readonly lines: number
  readonly filter: TailFilter
}

interface Candidate {
  readonly path: string
  readonly byte_offset: number
  readonly ts: string
}

/** By path, the byte at which to start. */
export function findLastEntries(
  store: StoreContext,
  paths: readonly string[],
  { lines, filter }: LastEntriesOptions,
): Map<string, number> {
  const starts = new Map<string, number>()
  let newest: Candidate[] = []
  for (const { path, changedAt } of sortByChange(store, paths)) {
    const end = findEnd(store, path)
    if (end === undefined) continue
    starts.set(path, end)
    // All further files were last written before the oldest of these.
    const isFull = newest.length >= lines
    if (lines === 0 || (isFull && changedAt < newest.at(-1)!.ts)) continue
    filter.begin(path, end)
    newest = mergeNewest(newest, readLast(store, { path, changedAt }, end, lines, filter)).slice(
      0,
      lines,
    )
  }
  for (const { path, byte_offset } of newest) {
    // Of concatenated records, all are returned.
    const lineStart = lineStartBefore(path, byte_offset + 1, store.env)
    starts.set(path, Math.min(starts.get(path)!, lineStart))
  }
  return starts
}

/** Merges lists, each in the order of its file; of two first entries the older comes first. */
export function mergeByTime(lists: readonly (readonly TailEntry[])[]): TailEntry[] {
  const heads = lists.map(() => 0)
  const merged: TailEntry[] = []
  for (;;) {
    let first = -1
    let firstTs = ''
    for (const [index, list] of lists.entries()) {
      const head = list[heads[index]!]
      if (head === undefined) continue
      const ts = timeOf(head)
      if (first !== -1 && ts >= firstTs) continue
      first = index
      firstTs = ts
    }
    if (first === -1) return merged
    merged.push(lists[first]![heads[first]!]!)
    heads[first]!++
  }
}

/** Damage has no time: it comes first. */
function timeOf(entry: TailEntry): string {
  return entry.kind === 'event' ? String(entry.event.ts) : ''
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
  let ts = changedAt
  for (const entry of readLogBackwardSync(path, { to: end, environment: store.env })) {
    if (found.length === lines) break
    if (entry.kind === 'event') ts = String(entry.event.ts)
    if (filter.matches({ path, ...entry })) found.push({ path, byte_offset: entry.byte_offset, ts })
  }
  return found
}

/** Merges two lists, newest first; both keep their order. */
function mergeNewest(one: readonly Candidate[], other: readonly Candidate[]): Candidate[] {
  const merged: Candidate[] = []
  for (let left = 0, right = 0; left < one.length || right < other.length; ) {
    const isLeft = right >= other.length || (left < one.length && one[left]!.ts >= other[right]!.ts)
    merged.push(isLeft ? one[left++]! : other[right++]!)
  }
  return merged
}

function sortByChange(
  { env }: StoreContext,
  paths: readonly string[],
): { path: string; changedAt: string }[] {
  return paths
    .map((path) => {
      const stats = env.fs.statSync(path, { throwIfNoEntry: false })
      return { path, changedAt: new Date(stats?.mtimeMs ?? 0).toISOString() }
    })
    .sort((one, other) => (one.changedAt < other.changedAt ? 1 : -1))
}

function findEnd({ env }: StoreContext, path: string): number | undefined {
  try {
    return endOfLines(path, env)
  } catch (error) {
    if (isSessionError(error)) return undefined
    throw error
  }
}
