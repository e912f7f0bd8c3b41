// Events that were written elsewhere and are written once more, by an import of our own export or by a
// fork: what names permission state is left out, and the line keeps its length, because boundaries name
// later lines by their offsets.

import {
  CHECKSUM_BYTES,
  isPermissionType,
  LineEncoder,
  type SessionEvent,
  withoutPermissionState,
} from '../format/index.js'

/** Keeps the place of an event in the chain, and nothing else. */
const LEFT_OUT = 'removed:event'

/** The event as it may be written; itself, if nothing in it is permission state. */
export function withoutPermissions(event: SessionEvent): SessionEvent {
  if (isPermissionType(event.type)) return { ...event, type: LEFT_OUT, payload: {} }
  // The counts of an import name what was left out.
  if (event.type === 'imported') return event
  const isResult = event.type === 'tool_result'
  const { value: payload, removed } = withoutPermissionState(event.payload, { isResult })
  return removed === 0 ? event : { ...event, payload }
}

/** The text of an event without its checksum, at least so many bytes long. */
export function eventJson(event: SessionEvent, bytes = 0): string {
  const { crc: _, ...fields } = event as SessionEvent & { crc?: unknown }
  const json = JSON.stringify(fields)
  const missing = bytes - Buffer.byteLength(json)
  return missing > 0 ? `${json.slice(0, -1)}${' '.repeat(missing)}}` : json
}

/** The line of an event, without its newline, at least so many bytes long. */
export function eventLine(event: SessionEvent, bytes: number): Buffer {
  const encoder = new LineEncoder()
  // The brace at the end of the text is the last byte of the checksum.
  encoder.addBare(eventJson(event, bytes - CHECKSUM_BYTES + 1))
  return Buffer.from(encoder.bytes({ isolate: false }).subarray(0, -1))
}
