// Which lines of a transcript must be decoded to find events of some types.

import { checkChecksum, readType } from '../../format/index.js'
import { type EventEntry, type Line, readLogBackward } from '../../log/index.js'
import type { StoreContext } from '../context.js'

/**
 * Whether a line may contain an event of one of these types. False only for a checksum-verified line
 * of another type: a damaged one may contain anything.
 */
export function mayHaveType(types: ReadonlySet<string>, line: Line): boolean {
  const { bytes, start, end, isOversize } = line
  if (isOversize) return true
  const type = readType(bytes, start, end)
  return type === undefined || types.has(type) || checkChecksum(bytes, start, end) !== 'valid'
}

/** The events of these types, newest first. */
export async function* readEventsBackward(
  { env: environment }: StoreContext,
  path: string,
  types: ReadonlySet<string>,
): AsyncGenerator<EventEntry, void, undefined> {
  const isWanted = (line: Line) => mayHaveType(types, line)
  for await (const entry of readLogBackward(path, { isWanted, environment })) {
    if (entry.kind === 'event' && types.has(entry.event.type)) yield entry
  }
}
