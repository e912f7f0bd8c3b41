// One chat of Gemini CLI. The file says what to do to a list of messages: add one, replace one by its
// id, drop the end of the list, or take another list instead. What the list holds at the end is what
// the model sees; here each of these becomes an event, and nothing is lost.

import { Emitter } from './emitter.js'
import { fieldsOf, isObject, textOf } from './fields.js'
import { eventsOf, summaryOf } from './gemini-messages.js'
import {
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportContext,
  type ImportRun,
} from './importer.js'
import { withoutPermissions } from './without-permissions.js'

export const GEMINI = 'gemini'

/** A message that is in the list now, and the events it became. */
interface Live {
  readonly id: string
  /** To see whether another record says the same. */
  readonly json: string
  /** Events the model sees, in their order. */
  readonly shown: readonly string[]
  readonly last: string
  /** Written since the last boundary, so that another event can follow it. */
  isNew: boolean
}

export class GeminiRun implements ImportRun {
  readonly #emitter: Emitter
  #live: Live[] = []
  #tip = HEADER_UUID
  /** The boundary on the path, if there is one. */
  #boundary: string | undefined
  #epoch = 0
  /** How often an id was written: the first time it is the uuid itself. */
  readonly #versions = new Map<string, number>()

  constructor(context: ImportContext) {
    this.#emitter = new Emitter(GEMINI, context)
  }

  take(record: ForeignRecord): void {
    const { value } = record
    const ts = this.#emitter.timeOf(value['timestamp'] ?? value['lastUpdated'], record)
    if (isObject(value['$set'])) this.#set(value['$set'], record, ts)
    else if ('$rewindTo' in value) this.#rewindTo(value['$rewindTo'], record, ts)
    else if (isMessage(value)) this.#takeMessage(value, record, ts)
    else this.#takeFacts(value, record, ts)
  }

  damage(): void {}

  end(): void {}

  /** The first line; in the oldest files it is all of the file, with the messages in it. */
  #takeFacts(value: ForeignValue, record: ForeignRecord, ts: string): void {
    const { messages, ...facts } = value
    this.#keep(Array.isArray(messages) ? facts : value, record, ts)
    if (Array.isArray(messages)) this.#replaceAll(messages, record, ts)
  }

  #set(fields: ForeignValue, record: ForeignRecord, ts: string): void {
    const { messages, ...facts } = fields
    if (!Array.isArray(messages)) {
      this.#keep(fields, record, ts)
      return
    }
    const hasFacts = Object.keys(facts).length > 0
    if (hasFacts) this.#keep(facts, record, ts)
    const isChange = this.#replaceAll(messages, record, ts)
    if (!hasFacts && !isChange) this.#emitter.sink.dropped('repeated_record', record)
  }

  #keep(facts: ForeignValue, record: ForeignRecord, ts: string): void {
    const { value, isStripped } = withoutPermissions(facts)
    if (isStripped) this.#emitter.sink.dropped('permission_state', record)
    const title = summaryOf(facts)
    if (title !== undefined) this.#emitter.title(title, 'auto', record, ts)
    const uuid = this.#nameOf(undefined, record)
    const type = this.#emitter.typeOf('metadata')
    this.#emitter.emit({ type, uuid, prev: null, payload: { record: value } }, record, ts)
  }

  #takeMessage(message: ForeignValue, record: ForeignRecord, ts: string): void {
    const id = String(message['id'])
    const index = this.#live.findLastIndex((live) => live.id === id)
    if (index === -1) {
      this.#live.push(this.#write(message, record))
    } else if (this.#live[index]!.json === JSON.stringify(message)) {
      this.#emitter.sink.dropped('repeated_record', record)
    } else if (index === this.#live.length - 1) {
      // The usual case: a reply that grows. It takes the place of what it was before.
      this.#goBack(index, record, ts, 'replaced')
      this.#live.push(this.#write(message, record))
    } else {
      const wanted = this.#live.map((live, at) => (at === index ? message : live))
      this.#rearrange(wanted, record, ts)
    }
  }

  #write(message: ForeignValue, record: ForeignRecord): Live {
    const id = String(message['id'])
    const ts = this.#emitter.timeOf(message['timestamp'], record)
    const name = this.#nameOf(id, record)
    const shown: string[] = []
    for (const [index, { type, payload }] of eventsOf(message).entries()) {
      const uuid = index === 0 ? name : `${name}~${index}`
      const kind = textOf(message['type']) ?? 'message'
      const kept = type === undefined ? { record: this.#stripped(message, record) } : payload
      const event = {
        type: type ?? this.#emitter.typeOf(kind),
        uuid,
        prev: this.#tip,
        payload: kept,
      }
      this.#emitter.emit(event, record, ts)
      this.#tip = uuid
      if (type !== undefined) shown.push(uuid)
    }
    return { id, json: JSON.stringify(message), shown, last: this.#tip, isNew: true }
  }

  #stripped(message: ForeignValue, record: ForeignRecord): unknown {
    const { value, isStripped } = withoutPermissions(message)
    if (isStripped) this.#emitter.sink.dropped('permission_state', record)
    return value
  }

  /** Without an id of its own it is named by its place, which it may share with others. */
  #nameOf(id: string | undefined, record: ForeignRecord): string {
    const uuid = this.#emitter.uuidOf(id, record)
    const version = (this.#versions.get(uuid) ?? 0) + 1
    this.#versions.set(uuid, version)
    return version === 1 ? uuid : `${uuid}~v${version}`
  }

  #rewindTo(id: unknown, record: ForeignRecord, ts: string): void {
    const index = this.#live.findLastIndex((live) => live.id === id)
    if (index === -1) this.#emitter.sink.repaired('rewind_unknown', record)
    this.#goBack(Math.max(index, 0), record, ts, 'rewound')
  }

  /** The list as it was before this message. */
  #goBack(index: number, record: ForeignRecord, ts: string, reason: string): void {
    const before = this.#live[index - 1]
    this.#live.length = index
    const isRoot = before === undefined
    if (isRoot) this.#boundary = undefined
    const prev = isRoot ? HEADER_UUID : before.isNew ? before.last : this.#boundary!
    // What stands before the boundary cannot be followed without undoing it.
    const truncate_after = isRoot || before.isNew ? undefined : this.#lastShown()
    const target_uuid = before?.last ?? HEADER_UUID
    const uuid = `${this.#emitter.uuidOf(undefined, record)}~rewind`
    const payload = {
      target_uuid,
      from_uuid: this.#tip,
      ...(truncate_after !== undefined && { truncate_after }),
      reason,
    }
    this.#emitter.emit({ type: 'rewind', uuid, prev, payload }, record, ts)
    this.#tip = uuid
  }

  #lastShown(): string | undefined {
    return this.#live.findLast(({ shown }) => shown.length > 0)?.shown.at(-1)
  }

  /** Whether it is another list than before. */
  #replaceAll(messages: readonly unknown[], record: ForeignRecord, ts: string): boolean {
    const wanted = messages.map((message) => {
      const fields = fieldsOf(message)
      const json = JSON.stringify(message)
      return this.#live.find((live) => live.json === json) ?? fields
    })
    const isGrown = this.#live.every((live, index) => wanted[index] === live)
    if (!isGrown) {
      this.#rearrange(wanted, record, ts)
      return true
    }
    const added = wanted.slice(this.#live.length)
    for (const message of added) this.#live.push(this.#written(message, record))
    return added.length > 0
  }

  /** Another list: what is new in it is written, then a boundary says what is kept, in its order. */
  #rearrange(wanted: readonly (Live | ForeignValue)[], record: ForeignRecord, ts: string): void {
    const before = this.#live.length
    this.#live = wanted.map((message) => this.#written(message, record))
    const boundaryUuid = `${this.#emitter.uuidOf(undefined, record)}~list`
    this.#epoch++
    const compaction = {
      summaryUuid: `${boundaryUuid}~summary`,
      boundaryUuid,
      prev: this.#tip,
      text: '',
      kept: this.#live.flatMap(({ shown }) => shown),
      trigger: 'external',
      summarized: before,
      epoch: this.#epoch,
    } as const
    this.#emitter.compact(compaction, record, ts)
    for (const live of this.#live) live.isNew = false
    this.#boundary = boundaryUuid
    this.#tip = boundaryUuid
  }

  #written(message: Live | ForeignValue, record: ForeignRecord): Live {
    return isLive(message) ? message : this.#write(message, record)
  }
}

function isLive(value: Live | ForeignValue): value is Live {
  return 'shown' in value && 'last' in value && 'json' in value
}

/** Of any type: those the model does not see are messages of the list, too. */
function isMessage(value: ForeignValue): boolean {
  return typeof value['id'] === 'string' && typeof value['type'] === 'string'
}
