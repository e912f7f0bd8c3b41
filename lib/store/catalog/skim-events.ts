// The events of one line, for listings that need few fields of many events.

import {
  checkChecksum,
  decodeLine,
  decodeVerified,
  payloadOffset,
  readEnvelope,
  type SessionEvent,
} from '../../format/index.js'

// Enough for the fields of a terminator up to its count.
const TERMINATOR_BYTES = 320

// As our writers spell it; any other spelling is parsed.
const EVENTS_OF_TERMINATOR =
  /^\{"end_ts":"[^"\\]*","reason":"[^"\\]*","last_uuid":"[^"\\]*","events":(\d{1,15}),/

/** Reads lines of one file. Damage is skipped; `verify` reports it. */
export class EventReader {
  /** A line had a valid checksum, so one with a wrong checksum was changed after it was written. */
  #isChecksummed = false

  /** The event of a checksum-verified line in our spelling. */
  readVerified(bytes: Buffer, start: number, end: number): SessionEvent | undefined {
    const verified = decodeVerified(bytes, start, end)
    if (verified !== undefined) this.#isChecksummed = true
    return verified
  }

  /** In the order of the line, payloads included. */
  read(bytes: Buffer, start: number, end: number, isFirst = false): SessionEvent[] {
    const verified = this.readVerified(bytes, start, end)
    if (verified !== undefined) return [verified]
    const events: SessionEvent[] = []
    for (const part of decodeLine(bytes, start, end, { isFirst })) {
      if (part.kind !== 'event') continue
      if (part.checksum === 'valid') this.#isChecksummed = true
      if (part.checksum === 'wrong' && this.#isChecksummed) continue
      events.push(part.event)
    }
    return events
  }

  /**
   * The same without payloads, except for the count of a terminator. A checksum-verified line is not
   * parsed.
   */
  skim(bytes: Buffer, start: number, end: number, isFirst = false): SessionEvent[] {
    const envelope = readEnvelope(bytes, start, end)
    if (envelope === undefined || checkChecksum(bytes, start, end) !== 'valid') {
      return this.read(bytes, start, end, isFirst)
    }
    let payload: object | null = null
    if (envelope.type === 'session_terminator') {
      const at = start + payloadOffset(envelope)
      const count = EVENTS_OF_TERMINATOR.exec(bytes.toString('latin1', at, at + TERMINATOR_BYTES))
      if (count === null) return this.read(bytes, start, end, isFirst)
      payload = { events: Number(count[1]) }
    }
    this.#isChecksummed = true
    return [{ ...envelope, payload }]
  }
}
