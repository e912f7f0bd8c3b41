// Which lines of a transcript are worth decoding, for readers who want few of its types.

import { checkChecksum } from '../format/index.js'
import { type EventEntry, type Line, readLogBackward } from '../log/index.js'

// Where our writers put the type.
const TYPE_AT = '{"type":"'.length
const QUOTE = 0x22
const TYPE_BYTES_MAX = 64

/**
 * Whether a line may hold an event of one of these types. No only for a line that begins with
 * another type and proves by its checksum that it is whole: a damaged one may hold anything.
 */
export function mayBeOneOf(types: ReadonlySet<string>, line: Line): boolean {
  const { bytes, start, end, isOversize } = line
  if (isOversize) return true
  const type = typeIn(bytes, start, end)
  return type === undefined || types.has(type) || checkChecksum(bytes, start, end) !== 'valid'
}

/** The events of these types, newest first. */
export async function* readEventsBackward(
  path: string,
  types: ReadonlySet<string>,
): AsyncGenerator<EventEntry, void, undefined> {
  const isWanted = (line: Line) => mayBeOneOf(types, line)
  for await (const entry of readLogBackward(path, { isWanted })) {
    if (entry.kind === 'event' && types.has(entry.event.type)) yield entry
  }
}

function typeIn(bytes: Buffer, start: number, end: number): string | undefined {
  if (bytes.toString('latin1', start, start + TYPE_AT) !== '{"type":"') return undefined
  const from = start + TYPE_AT
  const last = Math.min(end, from + TYPE_BYTES_MAX + 1)
  for (let at = from; at < last; at++) {
    if (bytes[at] === QUOTE) return bytes.toString('latin1', from, at)
  }
  return undefined
}
