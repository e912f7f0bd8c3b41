// The newest entries of many logs together, in the order of time but never against the order of a
// file, and where each file is to be read from so that they come out.

import { statSync } from 'node:fs'
import { isSessionError } from '../errors.js'
import { readLogBackwardSync } from '../log/index.js'
import { endOfLines, lineStartBefore } from '../log/inside.js'
import type { TailEntry } from './tail-sessions.js'
import type { TailView } from './tail-view.js'

export interface LastEntriesOptions {
  readonly lines: number
  readonly view: TailView
}

interface Candidate {
  readonly path: string
  readonly byte_offset: number
  readonly ts: string
}

/** By path, the byte from which on everything is to be shown. */
export function lastEntries(
  paths: readonly string[],
  { lines, view }: LastEntriesOptions,
): Map<string, number> {
  const starts = new Map<string, number>()
  let newest: Candidate[] = []
  for (const { path, changedAt } of byChange(paths)) {
    const end = endIfThere(path)
    if (end === undefined) continue
    starts.set(path, end)
    // Every file left was last written to before the oldest of these.
    const isFull = newest.length >= lines
    if (lines === 0 || (isFull && changedAt < newest.at(-1)!.ts)) continue
    view.begin(path, end)
    newest = mergeNewest(newest, lastOf({ path, changedAt }, end, lines, view)).slice(0, lines)
  }
  for (const { path, byte_offset } of newest) {
    // Of records that ran together, all are shown.
    const lineStart = lineStartBefore(path, byte_offset + 1)
    starts.set(path, Math.min(starts.get(path)!, lineStart))
  }
  return starts
}

/** One list from many, each in the order of its file; of two heads the older comes first. */
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

/** Damage has no time: it comes at once. */
function timeOf(entry: TailEntry): string {
  return entry.kind === 'event' ? String(entry.event.ts) : ''
}

/** Newest first. Damage is as old as what stands behind it; at the end, as the last write. */
function lastOf(
  { path, changedAt }: { path: string; changedAt: string },
  end: number,
  lines: number,
  view: TailView,
): Candidate[] {
  const found: Candidate[] = []
  let ts = changedAt
  for (const entry of readLogBackwardSync(path, { to: end })) {
    if (found.length === lines) break
    if (entry.kind === 'event') ts = String(entry.event.ts)
    if (view.isShown({ path, ...entry })) found.push({ path, byte_offset: entry.byte_offset, ts })
  }
  return found
}

/** Two lists, newest first, as one; neither changes its order. */
function mergeNewest(one: readonly Candidate[], other: readonly Candidate[]): Candidate[] {
  const merged: Candidate[] = []
  for (let left = 0, right = 0; left < one.length || right < other.length; ) {
    const isLeft = right >= other.length || (left < one.length && one[left]!.ts >= other[right]!.ts)
    merged.push(isLeft ? one[left++]! : other[right++]!)
  }
  return merged
}

function byChange(paths: readonly string[]): { path: string; changedAt: string }[] {
  return paths
    .map((path) => {
      const stats = statSync(path, { throwIfNoEntry: false })
      return { path, changedAt: new Date(stats?.mtimeMs ?? 0).toISOString() }
    })
    .sort((one, other) => (one.changedAt < other.changedAt ? 1 : -1))
}

function endIfThere(path: string): number | undefined {
  try {
    return endOfLines(path)
  } catch (error) {
    if (isSessionError(error)) return undefined
    throw error
  }
}
