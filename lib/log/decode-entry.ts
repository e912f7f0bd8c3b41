// A line's bytes in, entries out. A whole line that proves itself is one entry with nothing to
// say about it; every other line is looked at part by part, and what was tolerated is noted.

import {
  type Diagnostic,
  type DiagnosticCode,
  decodeLine,
  decodePrefix,
  decodeProven,
  diagnostic,
  type LinePart,
  type SessionEvent,
} from '../format/index.js'
import type { ChecksumWitness } from './checksum-witness.js'
import type { DamageEntry, EventEntry, LogEntry, TornEntry } from './entry.js'
import { lazyEvent } from './lazy-event.js'
import type { Line } from './line-source.js'
import type { OpenLog } from './open-for-reading.js'

const unverifiedEvents = new WeakSet<SessionEvent>()

/** Whether the event was read from a line that did not prove itself. The mark follows the object. */
export function isUnverified(event: SessionEvent): boolean {
  return unverifiedEvents.has(event)
}

export interface EntryDecoderOptions {
  readonly isBare: boolean
  readonly witness: ChecksumWitness
}

type EventPart = Extract<LinePart, { kind: 'event' }>
type Where = Pick<LogEntry, 'byte_offset' | 'length' | 'line_number'>

const NOTE_MESSAGES: Partial<Record<DiagnosticCode, string>> = {
  byte_order_mark: 'The file starts with a byte order mark, which was passed over',
  nul_padding: 'NUL bytes around the record were passed over',
  glued_records: 'Several records stand on one line',
  spliced_record: 'The record stands on a line with one that was cut short',
}

export class EntryDecoder {
  readonly #log: OpenLog
  readonly #isBare: boolean
  readonly #witness: ChecksumWitness

  constructor(log: OpenLog, { isBare, witness }: EntryDecoderOptions) {
    this.#log = log
    this.#isBare = isBare
    this.#witness = witness
  }

  /** What the line says, in the order of its bytes; nothing for a blank one. */
  decode(line: Line): readonly LogEntry[] {
    if (line.isOversize) return [this.#oversize(line)]
    const { bytes, start, end, byte_offset, length, line_number } = line
    const isBare = this.#isBare
    const event = line.isEnded ? this.#proven(line) : undefined
    if (event !== undefined) {
      this.#witness.see()
      if (line_number === undefined) return [{ kind: 'event', byte_offset, length, event }]
      return [{ kind: 'event', byte_offset, length, line_number, event }]
    }
    const parts = decodeLine(bytes, start, end, { isFirst: byte_offset === 0, isBare })
    return parts.map((part, index) => {
      const isTail = !line.isEnded && index === parts.length - 1
      const where = placeOf(line, part.start - start, part.end - part.start)
      if (part.kind === 'event') return this.#event(where, part, isTail)
      return isTail ? this.#torn(where) : this.#damage(where, part.code, part.message)
    })
  }

  #proven({ bytes, start, end, isKept }: Line): SessionEvent | undefined {
    const lazy = isKept ? lazyEvent(bytes, start, end) : undefined
    return lazy ?? decodeProven(bytes, start, end, { isBare: this.#isBare })
  }

  #event(where: Where, { event, checksum, notes }: EventPart, isTail: boolean): LogEntry {
    if (checksum === 'valid') this.#witness.see()
    if (checksum === 'wrong' && this.#witness.isChecksummed(this.#log)) {
      const message = 'The checksum is of other bytes: the line was changed after it was written'
      return isTail ? this.#torn(where) : this.#damage(where, 'crc_mismatch', message, event)
    }
    const diagnostics = notes.map((code) => this.#note(where, code, NOTE_MESSAGES[code]!, event))
    if (checksum !== 'valid') {
      const reason = checksum === 'absent' ? 'carries no checksum' : 'carries a foreign checksum'
      diagnostics.push(this.#note(where, 'unverified', `The line ${reason}`, event))
    }
    if (isTail) {
      const message = 'The last line is whole, but its newline is missing'
      diagnostics.push(this.#note(where, 'unterminated_tail', message, event))
    }
    if (checksum !== 'valid') return markUnverified({ kind: 'event', ...where, event, diagnostics })
    if (diagnostics.length === 0) return { kind: 'event', ...where, event }
    return { kind: 'event', ...where, event, diagnostics }
  }

  #oversize(line: Line): LogEntry {
    const where = placeOf(line, 0, line.length)
    if (!line.isEnded) return this.#torn(where)
    const event = decodePrefix(line.bytes, line.start, line.end)
    const message = `The line of ${line.length} bytes is too long to read`
    if (event === undefined || this.#isBare) return this.#damage(where, 'oversize_line', message)
    const diagnostics = [
      this.#note(where, 'oversize_line', `${message}; it keeps its place without payload`, event),
      this.#note(where, 'unverified', 'The checksum of the line was not looked at', event),
    ]
    return markUnverified({ kind: 'event', ...where, event, diagnostics })
  }

  #damage(where: Where, code: DiagnosticCode, message: string, event?: SessionEvent): DamageEntry {
    const diagnostics = [this.#note(where, code, message, event)]
    return { kind: 'damage', ...where, reason: code, diagnostics }
  }

  #torn(where: Where): TornEntry {
    const message = 'The file ends in the middle of a line: its writer died, or is still writing'
    const diagnostics = [this.#note(where, 'torn_tail', message)]
    return { kind: 'torn', ...where, reason: 'torn_tail', diagnostics }
  }

  #note(where: Where, code: DiagnosticCode, message: string, event?: SessionEvent): Diagnostic {
    const place = { file: this.#log.path, ...where }
    return diagnostic(code, message, event === undefined ? place : { ...place, uuid: event.uuid })
  }
}

function placeOf({ byte_offset, line_number }: Line, shift: number, length: number): Where {
  const place = { byte_offset: byte_offset + shift, length }
  return line_number === undefined ? place : { ...place, line_number }
}

function markUnverified(entry: EventEntry): EventEntry {
  unverifiedEvents.add(entry.event)
  return { ...entry, unverified: true }
}
