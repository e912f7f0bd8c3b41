// Decides what becomes of one entry of a damaged log: its bytes are copied, its event is written
// again, or it is dropped, and why.

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
} from '../../format/index.js'
import type { LogEntry } from '../../log/index.js'
import { type OpenLog, readFullySync } from '../../log/internal.js'
import { PACKAGE_NAME, PACKAGE_VERSION } from '../../version.js'

type Code = Diagnostic['code']

export interface RepairedEntry {
  /** With their newlines. None: it is dropped. Two: a header was created before it. */
  readonly lines: readonly Buffer[]
  /** Empty for a record that is copied as it is. */
  readonly reasons: readonly Code[]
  readonly message: string
  readonly uuid: string | undefined
}

export interface LineRepairOptions {
  readonly acceptEdits: boolean
  /** For a new header if the header is lost; `undefined` where none can be created. */
  readonly sessionId: string | undefined
  readonly newUuid: () => string
}

export class LineRepair {
  readonly #log: OpenLog
  readonly #options: LineRepairOptions
  readonly #encoder = new LineEncoder()
  /** A uuid → the event of the copy that it refers to from here on. */
  readonly #targets = new Map<string, string>()
  /** Every uuid of the copy, and whether its event is on the chain. */
  readonly #seen = new Map<string, boolean>()
  #previous: string | undefined
  #isAtStart = true
  #isHistory: boolean | undefined
  headerCreated = false

  constructor(log: OpenLog, options: LineRepairOptions) {
    this.#log = log
    this.#options = options
  }

  repair(entry: LogEntry): RepairedEntry {
    const event = entry.kind === 'event' ? entry.event : this.#readEdited(entry)
    const diagnostics = entry.diagnostics ?? []
    const codes = diagnostics.map(({ code }) => code)
    const uuid = event?.uuid ?? diagnostics.find((it) => it.uuid !== undefined)?.uuid
    const result = (lines: readonly Buffer[], code?: Code, why?: string): RepairedEntry => {
      const reasons = code === undefined ? codes : [...codes, code]
      const messages = [...diagnostics.map(({ message }) => message), why ?? '']
      return {
        lines,
        // The missing newline is written now.
        reasons: lines.length === 0 ? reasons : reasons.filter((it) => it !== 'missing_newline'),
        message: messages.filter((message) => message !== '').join('; '),
        uuid,
      }
    }
    if (event === undefined || codes.includes('oversize_line')) return result([])
    if (typeof event.type !== 'string' || typeof event.uuid !== 'string') {
      return this.#isPrompt(event)
        ? result([isSealed(entry) ? this.#copy(entry) : this.#encode(event)])
        : result([], 'bad_line', 'The line is JSON, but not an event')
    }
    this.#isHistory ??= false
    // Lines written by this library never nest too deep.
    if (!isSealed(entry) && withinDepth(event) !== event) {
      return result([], 'bad_payload', 'It nests too deep to be written')
    }
    if (isHeaderType(event.type) && !this.#isAtStart) {
      return result([], 'extra_header', 'A second header, in the middle')
    }
    const earlier = this.#seen.get(event.uuid)
    // A message must not be lost because an off-chain event has its uuid.
    const isRenamed = earlier === false && isOnChain(event)
    if (earlier !== undefined && !isRenamed) {
      this.#skipOver(event)
      return result([], 'duplicate_uuid', 'An earlier line has its uuid')
    }
    const newUuid = isRenamed ? this.#options.newUuid() : event.uuid
    const header = this.#createHeaderBefore(event)
    const prev_uuid = this.#resolveLink(event)
    this.#remember(event, newUuid)
    const isLinked = prev_uuid === event.prev_uuid
    const isCopied = isLinked && !isRenamed && isSealed(entry)
    const line = isCopied ? this.#copy(entry) : this.#encode({ ...event, uuid: newUuid, prev_uuid })
    if (isRenamed) {
      const why = `An earlier line has its uuid; it is "${newUuid}" now`
      return result([line], 'duplicate_uuid', why)
    }
    if (isLinked) return result([...header, line])
    const was = event.prev_uuid === null ? 'no event' : `"${event.prev_uuid}"`
    const code = event.prev_uuid === null ? 'unlinked' : 'dangling_prev'
    return result([...header, line], code, `It followed ${was}, and follows "${prev_uuid}" now`)
  }

  /** A line without an envelope is valid in a history only. */
  #isPrompt(event: object): boolean {
    const isPrompt = 'prompt' in event && typeof event.prompt === 'string'
    if (isPrompt) this.#isHistory ??= true
    return isPrompt && this.#isHistory === true
  }

  /** The event of a line that was changed after it was written. */
  #readEdited(entry: LogEntry): SessionEvent | undefined {
    if (!this.#options.acceptEdits) return undefined
    const bytes = this.#read(entry)
    const parts = decodeLine(bytes, 0, bytes.length, { bare: true })
    const [part] = parts
    const isEdited = parts.length === 1 && part?.kind === 'event' && part.checksum === 'wrong'
    return isEdited ? part.event : undefined
  }

  /** What it follows in the copy: the event it names, or the one before it if that is lost. */
  #resolveLink(event: SessionEvent): string | null {
    if (!isOnChain(event) || isHeaderType(event.type)) return event.prev_uuid
    const named = event.prev_uuid === null ? undefined : this.#targets.get(event.prev_uuid)
    return named ?? this.#previous ?? null
  }

  #remember(event: SessionEvent, uuid: string): void {
    this.#seen.set(uuid, isOnChain(event))
    if (!isOnChain(event)) return
    this.#targets.set(event.uuid, uuid)
    this.#targets.set(uuid, uuid)
    this.#previous = uuid
    this.#isAtStart = isHeaderType(event.type)
  }

  /** Events that name the dropped duplicate follow its predecessor instead. */
  #skipOver(event: SessionEvent): void {
    if (isHeaderType(event.type)) return
    const before = this.#resolveLink(event)
    if (isOnChain(event) && before !== null) this.#targets.set(event.uuid, before)
  }

  #createHeaderBefore({ type, ts }: SessionEvent): Buffer[] {
    const { sessionId, newUuid } = this.#options
    if (this.#seen.size > 0 || isHeaderType(type) || sessionId === undefined) return []
    // Shards of checkpoints and logs about the store have no header.
    if (belongsTo('checkpoint', type) || belongsTo('store', type)) return []
    this.headerCreated = true
    const uuid = newUuid()
    this.#previous = uuid
    const payload = {
      format: FORMAT_VERSION,
      session_id: sessionId,
      start_ts: ts,
      resumed_from: null,
      lib: { name: PACKAGE_NAME, version: PACKAGE_VERSION, capture: 'import' },
    }
    return [this.#encode({ type: 'session_header', ts, uuid, prev_uuid: null, payload })]
  }

  #encode(event: SessionEvent): Buffer {
    const { crc: _, ...fields } = event as SessionEvent & { crc?: unknown }
    this.#encoder.reset()
    this.#encoder.addBare(JSON.stringify(fields))
    return Buffer.from(this.#encoder.bytes({ isolate: false }))
  }

  #copy(entry: LogEntry): Buffer {
    return Buffer.concat([this.#read(entry), Buffer.from([NEWLINE])])
  }

  #read({ byte_offset, length }: LogEntry): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    readFullySync(this.#log, bytes, { at: 0, length, position: byte_offset })
    return bytes
  }
}

function isSealed(entry: LogEntry): boolean {
  return entry.kind === 'event' && entry.unverified !== true
}
