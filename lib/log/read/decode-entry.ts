// A line's bytes in, entries out. A checksum-verified line is one entry without diagnostics; every
// other line is decoded part by part, and what was tolerated is noted.

import {
  checkChecksum,
  type Diagnostic,
  type DiagnosticCode,
  decodeLine,
  decodePrefix,
  decodeVerified,
  diagnostic,
  type Envelope,
  type LinePart,
  readEnvelope,
  type SessionEvent,
} from '../../format/index.js'
import type { DamageEntry, EventEntry, LogEntry, TornEntry } from '../entry.js'
import { ForwardLines, type Line } from './forward-lines.js'
import type { OpenLog } from './open-for-reading.js'

const unverifiedEvents = new WeakSet<SessionEvent>()

/** Whether the event was read from a line that was not checksum-verified. The mark follows the object. */
export function isUnverified(event: SessionEvent): boolean {
  return unverifiedEvents.has(event)
}

type EventPart = Extract<LinePart, { kind: 'event' }>
type Where = Pick<LogEntry, 'byte_offset' | 'length' | 'line_number'>

const NOTE_MESSAGES: Partial<Record<DiagnosticCode, string>> = {
  byte_order_mark: 'The file starts with a byte order mark, which was passed over',
  nul_padding: 'NUL bytes around the record were passed over',
  concatenated_records: 'Several records are on one line',
  interrupted_record: 'The record is on a line with one that was cut short',
}

export class EntryDecoder {
  readonly #log: OpenLog
  readonly #bare: boolean
  readonly #checksums: ChecksumPolicy

  /** `bare`: any JSON object is an event. A caller that opens the log again passes its policy. */
  constructor(log: OpenLog, bare: boolean, checksums = new ChecksumPolicy(bare)) {
    this.#log = log
    this.#bare = bare
    this.#checksums = checksums
  }

  /** What the line says, in the order of its bytes; nothing for a blank one. */
  decode(line: Line): readonly LogEntry[] {
    if (line.isOversize) return [this.#oversize(line)]
    const { bytes, start, end, byte_offset, length, line_number } = line
    const bare = this.#bare
    const event = line.isEnded ? this.#proven(line) : undefined
    if (event !== undefined) {
      this.#checksums.noteValid()
      if (line_number === undefined) return [{ kind: 'event', byte_offset, length, event }]
      return [{ kind: 'event', byte_offset, length, line_number, event }]
    }
    const parts = decodeLine(bytes, start, end, { isFirst: byte_offset === 0, bare })
    return parts.map((part, index) => {
      const isTail = !line.isEnded && index === parts.length - 1
      const where = placeOf(line, part.start - start, part.end - part.start)
      if (part.kind === 'event') return this.#event(where, part, isTail)
      return isTail ? this.#torn(where) : this.#damage(where, part.code, part.message)
    })
  }

  #proven({ bytes, start, end, isKept }: Line): SessionEvent | undefined {
    const lazy = isKept ? lazyEvent(bytes, start, end) : undefined
    return lazy ?? decodeVerified(bytes, start, end, { bare: this.#bare })
  }

  #event(where: Where, { event, checksum, notes }: EventPart, isTail: boolean): LogEntry {
    if (checksum === 'valid') this.#checksums.noteValid()
    if (checksum === 'wrong' && this.#checksums.isChecksummed(this.#log)) {
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
      diagnostics.push(this.#note(where, 'missing_newline', message, event))
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
    if (event === undefined || this.#bare) return this.#damage(where, 'oversize_line', message)
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
    const diagnostics = [this.#note(where, 'partial_tail', message)]
    return { kind: 'torn', ...where, reason: 'partial_tail', diagnostics }
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

// Whether a file is one of checksummed lines: it is, as soon as one of its lines has a valid checksum.
// Only there is a wrong checksum damage; elsewhere another tool uses the same field.

/** Answers from what readers have seen; looks into the file only when they have seen no proof. */
export class ChecksumPolicy {
  readonly #bare: boolean
  #hasProof = false
  #searchedTo = 0

  constructor(bare: boolean) {
    this.#bare = bare
  }

  /** To be called for every valid checksum. */
  noteValid(): void {
    this.#hasProof = true
  }

  isChecksummed({ fd, size, fs }: OpenLog): boolean {
    if (this.#hasProof) return true
    const lines = new ForwardLines({ from: this.#searchedTo, to: size })
    for (let request = lines.request(); request !== undefined; request = lines.request()) {
      const length = fs.readSync(fd, lines.bytes, request.at, request.length, request.position)
      if (length === 0) break
      lines.accept({ ...request, length })
      while (lines.next()) {
        if (this.#isProof(lines)) return true
        if (lines.isEnded) this.#searchedTo = lines.byte_offset + lines.length + 1
      }
    }
    return false
  }

  #isProof({ bytes, start, end, byte_offset, isOversize }: Line): boolean {
    if (isOversize) return false
    const options = { isFirst: byte_offset === 0, bare: this.#bare }
    this.#hasProof = decodeLine(bytes, start, end, options).some(
      (part) => part.kind === 'event' && part.checksum === 'valid',
    )
    return this.#hasProof
  }
}

// An event whose payload is parsed on first access. Until then it costs its bytes.

/**
 * The event of a line that is spelled as ours and checksum-verified; `undefined` for any other line.
 * The bytes must not change afterwards. A payload that is no JSON in spite of its checksum, which
 * our writer never writes, is `null`.
 */
export function lazyEvent(bytes: Buffer, start: number, end: number): SessionEvent | undefined {
  const envelope = readEnvelope(bytes, start, end)
  if (envelope === undefined || checkChecksum(bytes, start, end) !== 'valid') return undefined
  return new LazyEvent(envelope, bytes, start, end)
}

class LazyEvent implements SessionEvent {
  readonly type: string
  readonly ts: string
  readonly uuid: string
  readonly prev_uuid: string | null
  declare readonly payload: unknown
  #unread: Buffer | undefined
  readonly #start: number
  readonly #end: number
  #payload: unknown

  // Of the event itself, so that a copy of it has a payload, and the same for all of them: with a
  // function of its own each, V8 would keep every event as a dictionary.
  static readonly #payloadProperty: PropertyDescriptor & ThisType<LazyEvent> = {
    enumerable: true,
    configurable: true,
    get() {
      if (this.#unread !== undefined) {
        this.#payload = payloadOf(this.#unread.toString('utf8', this.#start, this.#end))
        this.#unread = undefined
      }
      return this.#payload
    },
  }

  constructor({ type, ts, uuid, prev_uuid }: Envelope, bytes: Buffer, start: number, end: number) {
    this.type = type
    this.ts = ts
    this.uuid = uuid
    this.prev_uuid = prev_uuid
    this.#unread = bytes
    this.#start = start
    this.#end = end
    Object.defineProperty(this, 'payload', LazyEvent.#payloadProperty)
  }
}

function payloadOf(line: string): unknown {
  try {
    return (JSON.parse(line) as { payload?: unknown }).payload ?? null
  } catch {
    return null
  }
}
