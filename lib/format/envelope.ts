// The envelope of a line without its payload, for lines spelled as our writer spells them.
//
// One expression over the line's first characters: in a process that just started, and a resume is
// such a process, it is several times quicker than comparing bytes in code not yet compiled.

import type { SessionEvent } from './event.js'

export type Envelope = Pick<SessionEvent, 'type' | 'ts' | 'uuid' | 'prev_uuid'>

const PLAIN = '[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]'
const UUID = `(${PLAIN}{1,128})`
const CANONICAL = new RegExp(
  `^\\{"type":"(${PLAIN}{1,64})","ts":"([+-Z]{24})","uuid":"${UUID}",` +
    `"prev_uuid":(?:null|"${UUID}"),"payload":`,
)

// The longest envelope that CANONICAL matches.
const ENVELOPE_BYTES_MAX = 448

/** `undefined` when the line is spelled otherwise; then nothing is known of it. */
export function readEnvelope(bytes: Buffer, start: number, end: number): Envelope | undefined {
  const head = bytes.toString('latin1', start, Math.min(end, start + ENVELOPE_BYTES_MAX))
  const match = CANONICAL.exec(head)
  if (match === null) return undefined
  return { type: match[1]!, ts: match[2]!, uuid: match[3]!, prev_uuid: match[4] ?? null }
}

const FIELDS = '{"type":"","ts":"","uuid":"","prev_uuid":,"payload":'

/** Where the payload begins in a line that `readEnvelope` read, counted from the line's start. */
export function payloadOffset({ type, ts, uuid, prev_uuid }: Envelope): number {
  const prev = prev_uuid === null ? 'null'.length : prev_uuid.length + '""'.length
  return FIELDS.length + type.length + ts.length + uuid.length + prev
}
