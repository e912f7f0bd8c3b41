// The entries around those that were found, each once and in the order of the file, as grep -C
// shows lines. They are read only where somebody asked for them.

import { countNewlines, type LogEntry, readLogBackwardSync, readLogSync } from '../log/index.js'
import type { FoundEntry } from './grep-file.js'

/** Of a found entry its place among the matches; of another only the entry. */
export type Shown = FoundEntry | { readonly entry: LogEntry }

export function* withContext(
  path: string,
  found: Iterable<FoundEntry>,
  count: number,
): Generator<Shown, void, undefined> {
  // Nothing before this byte is shown again.
  let shownTo = 0
  let last: LogEntry | undefined
  for (const match of found) {
    const { entry } = match
    if (last !== undefined) {
      for (const after of entriesAfter(path, last, count, entry.byte_offset)) {
        shownTo = endOf(after)
        yield { entry: after }
      }
    }
    for (const before of entriesBefore(path, entry, count, shownTo)) yield { entry: before }
    yield match
    last = entry
    shownTo = endOf(entry)
  }
  if (last === undefined) return
  for (const after of entriesAfter(path, last, count)) yield { entry: after }
}

function entriesBefore(path: string, entry: LogEntry, count: number, from: number): LogEntry[] {
  const entries: LogEntry[] = []
  for (const one of readLogBackwardSync(path, { from, to: entry.byte_offset, isBare: true })) {
    const line_number =
      (entry.line_number ?? 1) - countNewlines(path, one.byte_offset, entry.byte_offset)
    entries.unshift({ ...one, line_number })
    if (entries.length === count) break
  }
  return entries
}

function entriesAfter(path: string, entry: LogEntry, count: number, to?: number): LogEntry[] {
  const entries: LogEntry[] = []
  const from = endOf(entry)
  for (const one of readLogSync(path, { from, to, isBare: true })) {
    const line_number =
      (entry.line_number ?? 1) + countNewlines(path, entry.byte_offset, one.byte_offset)
    entries.push({ ...one, line_number })
    if (entries.length === count) break
  }
  return entries
}

function endOf({ byte_offset, length }: LogEntry): number {
  return byte_offset + length
}
