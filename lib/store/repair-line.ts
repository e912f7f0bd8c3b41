// What becomes of one entry of a damaged log: its bytes as they are, its event written again, or
// nothing, and why.

import {
  belongsTo,
  type Diagnostic,
  decodeLine,
  FORMAT_VERSION,
  isHeaderType,
  isOnChain,
  LineEncoder,
  NEWLINE,
  type SessionEvent,
  withinDepth,
} from '../format/index.js'
import { type LogEntry, newUuid } from '../log/index.js'
import { type OpenLog, readFullySync } from '../log/inside.js'
import { PACKAGE_NAME, PACKAGE_VERSION } from '../version.js'

/** With its newline. */
export type MendedLine = Buffer

type Code = Diagnostic['code']

export interface Mended {
  /** None: it is left out. Two: a header had to be made before it. */
  readonly lines: readonly MendedLine[]
  /** Empty for a record that was copied as it is. */
  readonly reasons: readonly Code[]
  readonly message: string
  readonly uuid: string | undefined
}

export interface MenderOptions {
  readonly acceptEdits: boolean
  /** For the header, should it be lost; `undefined` where none can be made. */
  readonly sessionId: string | undefined
}

export class LineMender {
  readonly #log: OpenLog
  readonly #options: MenderOptions
  readonly #encoder = new LineEncoder()
  /** A uuid → the event in the copy that it means from here on. */
  readonly #meaning = new Map<string, string>()
  /** Every uuid of the copy, and whether its event stands on the chain. */
  readonly #seen = new Map<string, boolean>()
  #previous: string | undefined
  #isAtStart = true
  #isHistory: boolean | undefined
  isHeaderMade = false

  constructor(log: OpenLog, options: MenderOptions) {
    this.#log = log
    this.#options = options
  }

  mend(entry: LogEntry): Mended {
    const found = entry.kind === 'event' ? entry.event : this.#editedIn(entry)
    const told = entry.diagnostics ?? []
    const message = told.map(({ message }) => message).join('; ')
    const codes = told.map(({ code }) => code)
    const uuid = found?.uuid ?? told.find(({ uuid }) => uuid !== undefined)?.uuid
    const dropped = (reasons: readonly Code[], why: string): Mended => {
      return { lines: [], reasons, message: why, uuid }
    }
    if (found === undefined || codes.includes('oversize_line')) return dropped(codes, message)
    if (typeof found.type !== 'string' || typeof found.uuid !== 'string') {
      return this.#mendBare(entry, { codes, message })
    }
    this.#isHistory ??= false
    // No line that we sealed does.
    if (!isSealed(entry) && withinDepth(found) !== found) {
      return dropped([...codes, 'bad_payload'], join(message, 'It nests too deep to be written'))
    }
    if (isHeaderType(found.type) && !this.#isAtStart) {
      return dropped([...codes, 'extra_header'], join(message, 'A second header, in the middle'))
    }
    const earlier = this.#seen.get(found.uuid)
    if (earlier === false && isOnChain(found)) return this.#keepRenamed(entry, found, codes)
    if (earlier !== undefined) {
      this.#forget(found)
      return dropped([...codes, 'duplicate_uuid'], join(message, 'An earlier line has its uuid'))
    }
    return this.#keep(entry, found, { codes, message })
  }

  /** What was said must not get lost because something beside the chain has its uuid. */
  #keepRenamed(entry: LogEntry, event: SessionEvent, codes: readonly Code[]): Mended {
    const uuid = newUuid()
    const prev_uuid = this.#linkOf(event)
    this.#seen.set(uuid, true)
    this.#meaning.set(event.uuid, uuid)
    this.#meaning.set(uuid, uuid)
    this.#previous = uuid
    this.#isAtStart = isHeaderType(event.type)
    const told = entry.diagnostics?.map(({ message }) => message) ?? []
    return {
      lines: [this.#encoded({ ...event, uuid, prev_uuid })],
      reasons: [...withoutTail(codes), 'duplicate_uuid'],
      message: join(...told, `An earlier line has its uuid; it is "${uuid}" now`),
      uuid: event.uuid,
    }
  }

  /** A line without an envelope: at home in a history, damage elsewhere. */
  #mendBare(entry: LogEntry, told: { codes: readonly Code[]; message: string }): Mended {
    const uuid = undefined
    const event = entry.kind === 'event' ? entry.event : this.#editedIn(entry)!
    const isPrompt = 'prompt' in event && typeof event.prompt === 'string'
    if (isPrompt) this.#isHistory ??= true
    if (!isPrompt || this.#isHistory !== true) {
      const message = join(told.message, 'The line is JSON, but not an event')
      return { lines: [], reasons: [...told.codes, 'bad_line'], message, uuid }
    }
    const line = isSealed(entry) ? this.#bytesOf(entry) : this.#encoded(event)
    return { lines: [line], reasons: withoutTail(told.codes), message: told.message, uuid }
  }

  #keep(
    entry: LogEntry,
    event: SessionEvent,
    { codes, message }: { codes: readonly Code[]; message: string },
  ): Mended {
    const opening = this.#openingBefore(event)
    const prev_uuid = this.#linkOf(event)
    this.#seen.set(event.uuid, isOnChain(event))
    if (isOnChain(event)) {
      this.#meaning.set(event.uuid, event.uuid)
      this.#previous = event.uuid
      this.#isAtStart = isHeaderType(event.type)
    }
    const isLinked = prev_uuid === event.prev_uuid
    const line =
      isLinked && isSealed(entry) ? this.#bytesOf(entry) : this.#encoded({ ...event, prev_uuid })
    const reasons = withoutTail(codes)
    const { uuid } = event
    if (isLinked) return { lines: [...opening, line], reasons, message, uuid }
    const was = event.prev_uuid === null ? 'no event' : `"${event.prev_uuid}"`
    const relinked = `It followed ${was}, and follows "${prev_uuid}" now`
    const code = event.prev_uuid === null ? 'unlinked' : 'dangling_prev'
    return {
      lines: [...opening, line],
      reasons: [...reasons, code],
      message: join(message, relinked),
      uuid,
    }
  }

  /** The event of a line that was changed after it was written, for those who changed it. */
  #editedIn(entry: LogEntry): SessionEvent | undefined {
    if (!this.#options.acceptEdits || entry.kind === 'event') return undefined
    const bytes = this.#rangeOf(entry)
    const parts = decodeLine(bytes, 0, bytes.length, { isBare: true })
    const [part] = parts
    const isEdited = parts.length === 1 && part?.kind === 'event' && part.checksum === 'wrong'
    return isEdited ? part.event : undefined
  }

  /** What it follows in the copy: what it named, or the event before it where that is lost. */
  #linkOf(event: SessionEvent): string | null {
    if (!isOnChain(event) || isHeaderType(event.type)) return event.prev_uuid
    const named = event.prev_uuid === null ? undefined : this.#meaning.get(event.prev_uuid)
    return named ?? this.#previous ?? null
  }

  /** Who named the repeated line goes on from what it followed. */
  #forget(event: SessionEvent): void {
    if (isHeaderType(event.type)) return
    const before = this.#linkOf(event)
    if (isOnChain(event) && before !== null) this.#meaning.set(event.uuid, before)
  }

  #openingBefore(event: SessionEvent): Buffer[] {
    const { sessionId } = this.#options
    if (this.#seen.size > 0 || isHeaderType(event.type) || sessionId === undefined) return []
    // The events of a shard or of a log about the store follow no header.
    if (belongsTo('checkpoint', event.type) || belongsTo('store', event.type)) return []
    this.isHeaderMade = true
    const uuid = newUuid()
    this.#previous = uuid
    const lib = { name: PACKAGE_NAME, version: PACKAGE_VERSION, capture: 'import' }
    const payload = {
      format: FORMAT_VERSION,
      session_id: sessionId,
      start_ts: event.ts,
      resumed_from: null,
      lib,
    }
    return [this.#encoded({ type: 'session_header', ts: event.ts, uuid, prev_uuid: null, payload })]
  }

  #encoded(event: SessionEvent): Buffer {
    const { crc: _, ...fields } = event as SessionEvent & { crc?: unknown }
    this.#encoder.reset()
    this.#encoder.addBare(JSON.stringify(fields))
    return Buffer.from(this.#encoder.bytes({ isolate: false }))
  }

  #bytesOf(entry: LogEntry): Buffer {
    return Buffer.concat([this.#rangeOf(entry), Buffer.from([NEWLINE])])
  }

  #rangeOf({ byte_offset, length }: LogEntry): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    readFullySync(this.#log, bytes, { at: 0, length, position: byte_offset })
    return bytes
  }
}

function isSealed(entry: LogEntry): boolean {
  return entry.kind === 'event' && entry.unverified !== true
}

/** The newline that was missing is there now. */
function withoutTail(codes: readonly Code[]): readonly Code[] {
  return codes.filter((code) => code !== 'unterminated_tail')
}

function join(...messages: readonly string[]): string {
  return messages.filter((message) => message !== '').join('; ')
}
