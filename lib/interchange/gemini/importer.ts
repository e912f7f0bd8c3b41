// Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`, subagents in a folder named
// by their session. The first line describes the chat; older chats are one JSON object.
//
// The file says what to do to a list of messages: add one, replace one by its id, drop the end of the
// list, or use another list. The final list is what the model sees; each change becomes an event.

import { Emitter } from '../import/emitter.js'
import { fieldsOf, firstText, isObject, known, listOf, textOf, toTime } from '../import/fields.js'
import {
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportContext,
  type Importer,
  type ImportRun,
  type SourceFacts,
} from '../import/importer.js'
import { eventsOf, summaryOf } from './messages.js'

const FORMAT = 'gemini'
const TYPES = new Set(['user', 'gemini', 'info', 'warning', 'error'])

export const gemini: Importer = {
  format: FORMAT,
  harness: 'Gemini CLI',
  folder: {
    home: ['.gemini'],
    inside: ['tmp'],
    depth: 2,
    isTranscript: (name) => name.startsWith('session-') && /\.jsonl?$/.test(name),
  },
  detects: ([head]) => head !== undefined && isHead(head),
  isRecord: (value) =>
    isHead(value) || isMessageRecord(value) || isObject(value['$set']) || '$rewindTo' in value,
  describe,
  start: (context) => new GeminiRun(context),
}

function isHead(value: ForeignValue): boolean {
  if (typeof value['sessionId'] !== 'string' || 'uuid' in value || 'parentUuid' in value)
    return false
  return 'projectHash' in value || 'startTime' in value
}

function isMessageRecord({ id, type, timestamp }: ForeignValue): boolean {
  return typeof id === 'string' && typeof timestamp === 'string' && TYPES.has(String(type))
}

function describe(first: readonly ForeignValue[], name: string): SourceFacts {
  const head = first.find(isHead) ?? {}
  return {
    sessionId: textOf(head['sessionId']) ?? name,
    startTs: toTime(head['startTime']),
    cwd: firstText(listOf(head['directories'])),
    kind: head['kind'] === 'subagent' ? 'subagent' : undefined,
  }
}

/** A message that is in the list now, and the events it became. */
interface Live {
  readonly id: string
  /** To recognise a record that says the same. */
  readonly json: string
  /** Events the model sees, in their order. */
  readonly shown: readonly string[]
  readonly last: string
  /** Written since the last boundary, so that another event can follow it. */
  isNew: boolean
}

class GeminiRun implements ImportRun {
  readonly #emitter: Emitter
  #live: Live[] = []
  #tip = HEADER_UUID
  /** The boundary on the path, if there is one. */
  #boundary: string | undefined
  #epoch = 0
  /** How often an id was written: the first time it is the uuid itself. */
  readonly #versions = new Map<string, number>()

  constructor(context: ImportContext) {
    this.#emitter = new Emitter(FORMAT, context)
  }

  add(record: ForeignRecord): void {
    const { value } = record
    this.#emitter.begin(record, value['timestamp'] ?? value['lastUpdated'])
    if (isObject(value['$set'])) this.#set(value['$set'])
    else if ('$rewindTo' in value) this.#rewindTo(value['$rewindTo'])
    else if (isMessage(value)) this.#addMessage(value)
    else this.#addFacts(value)
  }

  /** The first line; in the oldest files it is the whole file, with the messages in it. */
  #addFacts(value: ForeignValue): void {
    const { messages, ...facts } = value
    this.#keep(Array.isArray(messages) ? facts : value)
    if (Array.isArray(messages)) this.#replaceAll(messages)
  }

  #set(fields: ForeignValue): void {
    const { messages, ...facts } = fields
    if (!Array.isArray(messages)) {
      this.#keep(fields)
      return
    }
    const hasFacts = Object.keys(facts).length > 0
    if (hasFacts) this.#keep(facts)
    const isChange = this.#replaceAll(messages)
    if (!hasFacts && !isChange) this.#emitter.drop('repeated_record')
  }

  #keep(facts: ForeignValue): void {
    const title = summaryOf(facts)
    if (title !== undefined) this.#emitter.title(title, 'auto')
    this.#emitter.keep('metadata', { uuid: this.#nameOf(undefined), prev: null }, facts)
  }

  #addMessage(message: ForeignValue): void {
    const id = String(message['id'])
    const index = this.#live.findLastIndex((live) => live.id === id)
    if (index === -1) {
      this.#live.push(this.#write(message))
    } else if (this.#live[index]!.json === JSON.stringify(message)) {
      this.#emitter.drop('repeated_record')
    } else if (index === this.#live.length - 1) {
      // The usual case: a reply that grows replaces its earlier version.
      this.#rewindBefore(index, 'replaced')
      this.#live.push(this.#write(message))
    } else {
      this.#rearrange(this.#live.map((live, at) => (at === index ? message : live)))
    }
  }

  #write(message: ForeignValue): Live {
    const id = String(message['id'])
    const origin = { ...this.#emitter.origin, ts: this.#emitter.readTime(message['timestamp']) }
    const name = this.#nameOf(id)
    const shown: string[] = []
    for (const [index, { type, payload }] of eventsOf(message).entries()) {
      const at = { uuid: index === 0 ? name : `${name}~${index}`, prev: this.#tip }
      this.#tip = at.uuid
      if (type === undefined) {
        this.#emitter.keep(textOf(message['type']) ?? 'message', at, message, origin)
      } else {
        this.#emitter.emit({ ...at, type, payload }, origin)
        shown.push(at.uuid)
      }
    }
    return { id, json: JSON.stringify(message), shown, last: this.#tip, isNew: true }
  }

  /** A record without an id is named by its position, which several messages may share. */
  #nameOf(id: string | undefined): string {
    const uuid = this.#emitter.uuidOf(id)
    const version = (this.#versions.get(uuid) ?? 0) + 1
    this.#versions.set(uuid, version)
    return version === 1 ? uuid : `${uuid}~v${version}`
  }

  #rewindTo(id: unknown): void {
    const index = this.#live.findLastIndex((live) => live.id === id)
    if (index === -1) this.#emitter.repair('rewind_unknown')
    this.#rewindBefore(Math.max(index, 0), 'rewound')
  }

  /** Makes the list what it was before this message. */
  #rewindBefore(index: number, reason: string): void {
    const before = this.#live[index - 1]
    this.#live.length = index
    const isRoot = before === undefined
    if (isRoot) this.#boundary = undefined
    const prev = isRoot ? HEADER_UUID : before.isNew ? before.last : this.#boundary!
    // An event that follows one before the boundary would undo the boundary.
    const truncate_after = isRoot || before.isNew ? undefined : this.#lastShown()
    const target_uuid = before?.last ?? HEADER_UUID
    const uuid = `${this.#emitter.uuidOf()}~rewind`
    const payload = known({ target_uuid, from_uuid: this.#tip, truncate_after, reason })
    this.#emitter.emit({ type: 'rewind', uuid, prev, payload })
    this.#tip = uuid
  }

  #lastShown(): string | undefined {
    return this.#live.findLast(({ shown }) => shown.length > 0)?.shown.at(-1)
  }

  /** False if the list is the same as before. */
  #replaceAll(messages: readonly unknown[]): boolean {
    const wanted = messages.map((message) => {
      const json = JSON.stringify(message)
      return this.#live.find((live) => live.json === json) ?? fieldsOf(message)
    })
    const isGrown = this.#live.every((live, index) => wanted[index] === live)
    if (!isGrown) {
      this.#rearrange(wanted)
      return true
    }
    const added = wanted.slice(this.#live.length)
    for (const message of added) this.#live.push(this.#written(message))
    return added.length > 0
  }

  /** Another list: writes its new messages, then a boundary that keeps its messages in order. */
  #rearrange(wanted: readonly (Live | ForeignValue)[]): void {
    const before = this.#live.length
    this.#live = wanted.map((message) => this.#written(message))
    const boundaryUuid = `${this.#emitter.uuidOf()}~list`
    this.#epoch++
    this.#emitter.compact({
      summaryUuid: `${boundaryUuid}~summary`,
      boundaryUuid,
      prev: this.#tip,
      text: '',
      kept: this.#live.flatMap(({ shown }) => shown),
      trigger: 'external',
      summarized: before,
      epoch: this.#epoch,
    })
    for (const live of this.#live) live.isNew = false
    this.#boundary = boundaryUuid
    this.#tip = boundaryUuid
  }

  #written(message: Live | ForeignValue): Live {
    return isLive(message) ? message : this.#write(message)
  }
}

function isLive(value: Live | ForeignValue): value is Live {
  return 'shown' in value && 'last' in value && 'json' in value
}

/** Of any type: the list also holds messages that the model does not see. */
function isMessage(value: ForeignValue): boolean {
  return typeof value['id'] === 'string' && typeof value['type'] === 'string'
}
