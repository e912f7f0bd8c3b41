// A few entries of a log as they were written: the last ones, or those around an event. Only the part of the file
// is read that holds them.

import type { SessionEvent } from '../../format/index.js'
import {
  type Line,
  type LogEntry,
  readLog,
  readLogBackwardSync,
  readLogSync,
} from '../../log/index.js'
import { lineStartBefore } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { mayHaveType } from '../prefilter/type-prefilter.js'
import { findToolParts, hasFailed, TYPES_WITH_ERRORS } from '../text/tool-parts.js'

export interface ExcerptOptions {
  /** Only failures of tools and subagents, and damaged lines. */
  readonly errors?: boolean | undefined
  /** Where the last event ends, without its newline; what follows is left out. */
  readonly end?: number | undefined
}

const FAILING = new Set(TYPES_WITH_ERRORS)

/** In the order of the file. */
export function readLastEntries(
  store: StoreContext,
  path: string,
  count: number,
  options: ExcerptOptions = {},
): LogEntry[] {
  const { end } = options
  // With its newline: without it the last line would count as unfinished.
  const to = end === undefined ? undefined : end + 1
  return count === 0 ? [] : walkBackward(store, path, { ...options, count, to })
}

/** The entry at an offset, and so many of the selected ones before and after it. */
export function readEntriesAround(
  store: StoreContext,
  path: string,
  { offset, count }: { readonly offset: number; readonly count: number },
  options: Pick<ExcerptOptions, 'errors'> = {},
): LogEntry[] {
  const before = count === 0 ? [] : walkBackward(store, path, { ...options, count, to: offset })
  const after: LogEntry[] = []
  const { isWanted, isSelected } = toSelection(options)
  // A line may hold several records, and one after the first has no line of its own to begin at.
  const from = lineStartBefore(path, offset + 1, store.env)
  const reading = { from, environment: store.env }
  // Its own line counts whatever it is.
  const isRead = (line: Line) => line.byte_offset <= offset || isWanted(line)
  for (const entry of readLogSync(path, { ...reading, isWanted: isRead })) {
    if (entry.byte_offset < offset) continue
    if (entry.byte_offset === offset || isSelected(entry)) after.push(entry)
    if (after.length > count) break
  }
  return [...before, ...after]
}

/** All of them, one by one. */
export async function* readEntries(
  { env }: StoreContext,
  path: string,
  { end, ...options }: ExcerptOptions,
): AsyncGenerator<LogEntry, void, undefined> {
  const { isWanted, isSelected } = toSelection(options)
  for await (const entry of readLog(path, { environment: env, isWanted })) {
    if (end !== undefined && entry.byte_offset >= end) return
    if (isSelected(entry)) yield entry
  }
}

function walkBackward(
  { env }: StoreContext,
  path: string,
  {
    count,
    to,
    end = Number.MAX_SAFE_INTEGER,
    ...options
  }: ExcerptOptions & { readonly count: number; readonly to: number | undefined },
): LogEntry[] {
  const { isWanted, isSelected } = toSelection(options)
  const found: LogEntry[] = []
  for (const entry of readLogBackwardSync(path, { to, isWanted, environment: env })) {
    if (entry.byte_offset >= end || !isSelected(entry)) continue
    if (found.push(entry) === count) break
  }
  return found.reverse()
}

function toSelection({ errors = false }: Pick<ExcerptOptions, 'errors'>) {
  if (!errors) return { isWanted: () => true, isSelected: () => true }
  return {
    isWanted: (line: Line) => mayHaveType(FAILING, line),
    isSelected: (entry: LogEntry) => entry.kind !== 'event' || hasFailed(entry.event),
  }
}

// Calls of one reply are next to each other, and their results follow.
const CALL_DISTANCE_MAX = 200

/** The events before a failure that hold the calls of its results, in the order of the file. */
export function findFailedCalls(
  { env }: StoreContext,
  path: string,
  { event, byte_offset }: { readonly event: SessionEvent; readonly byte_offset: number },
): SessionEvent[] {
  const ids = new Set<string>()
  for (const { kind, id, isError } of findToolParts(event)) {
    if (kind === 'result' && isError && id !== undefined) ids.add(id)
  }
  const calls: SessionEvent[] = []
  let distance = 0
  for (const entry of readLogBackwardSync(path, { to: byte_offset, environment: env })) {
    if (ids.size === 0 || ++distance > CALL_DISTANCE_MAX) break
    if (entry.kind !== 'event') continue
    const called = findToolParts(entry.event).filter(
      ({ kind, id }) => kind === 'call' && id !== undefined && ids.delete(id),
    )
    if (called.length > 0) calls.unshift(entry.event)
  }
  return calls
}
