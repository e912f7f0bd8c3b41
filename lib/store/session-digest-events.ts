// The events of one line, for somebody who wants to know little about many of them.

import {
  checkChecksum,
  decodeLine,
  decodeProven,
  type SessionEvent,
  UNKNOWN_TIME,
} from '../format/index.js'

// Enough for type, ts, uuid and prev_uuid as our writers spell them.
const PREFIX_BYTES = 384

const PREFIX =
  /^\{"type":"([^"\\]+)","ts":"([^"\\]+)","uuid":"([^"\\]+)","prev_uuid":(?:null|"([^"\\]+)"),/

// As our writers spell it; any other spelling is parsed.
const EVENTS_OF_TERMINATOR =
  /"payload":\{"end_ts":"[^"\\]*","reason":"[^"\\]*","last_uuid":"[^"\\]*","events":(\d{1,15}),/

/** Reads lines of one file. Damage is passed over: a listing is no place to complain about it. */
export class EventReader {
  /** One line proved itself, so one with a wrong checksum was changed after it was written. */
  #isChecksummed = false

  /** The event of a line that proves itself. */
  readProven(bytes: Buffer, start: number, end: number): SessionEvent | undefined {
    const proven = decodeProven(bytes, start, end)
    if (proven !== undefined) this.#isChecksummed = true
    return proven
  }

  /** In the order of the line, payloads included. */
  read(bytes: Buffer, start: number, end: number, isFirst = false): SessionEvent[] {
    const proven = this.readProven(bytes, start, end)
    if (proven !== undefined) return [proven]
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
   * The same without payloads, but for the count of a terminator: the line that proves itself is
   * not parsed, since its beginning is what its writer meant.
   */
  skim(bytes: Buffer, start: number, end: number, isFirst = false): SessionEvent[] {
    const text = bytes.toString('latin1', start, Math.min(end, start + PREFIX_BYTES))
    const prefix = PREFIX.exec(text)
    if (prefix === null || checkChecksum(bytes, start, end) !== 'valid') {
      return this.read(bytes, start, end, isFirst)
    }
    const type = prefix[1]!
    let payload: object | null = null
    if (type === 'session_terminator') {
      const count = EVENTS_OF_TERMINATOR.exec(text)
      if (count === null) return this.read(bytes, start, end, isFirst)
      payload = { events: Number(count[1]) }
    }
    this.#isChecksummed = true
    return [{ type, ts: prefix[2]!, uuid: prefix[3]!, prev_uuid: prefix[4] ?? null, payload }]
  }
}

/** The time in the one spelling that sorts as text; `null` for what is none. */
export function timeOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return value
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** The same, but for the time that an import writes where its source tells none. */
export function knownTimeOf(value: unknown): string | null {
  const time = timeOf(value)
  return time === UNKNOWN_TIME ? null : time
}

/** The fields of a payload, also of one that is none. */
export function fieldsOf(payload: unknown): Readonly<Record<string, unknown>> {
  return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {}
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
