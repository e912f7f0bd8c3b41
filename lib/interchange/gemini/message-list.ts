// The list of messages of one chat file, and where each message is in our chain. The file changes the
// list: it adds a message, replaces one by its id, drops the end, or stores another list. Every change
// becomes an event, as far as the model sees it.

import { hash } from 'node:crypto'
import type { Emitter } from '../import/emitter.js'
import { known, textOf } from '../import/fields.js'
import { type ForeignValue, HEADER_UUID } from '../import/importer.js'
import { type MessageView, viewMessage } from './messages.js'
import type { GeminiTasks } from './tasks.js'
import type { Versions } from './versions.js'

/** A message that is in the list now, and the events it became. */
interface Live {
  readonly id: string
  /** The uuid of its first event; those after it are numbered. */
  readonly name: string
  /** How many of its events the model sees. */
  readonly shown: number
  /** Its last event; `undefined` if it has none. */
  readonly last: string | undefined
  /** Hash of what it became, to recognise a record that means the same. */
  readonly key: number
  /** Hash of the record, to recognise a copy of it. */
  raw: number
  /** Hashes of the calls that it answers. */
  readonly answers: readonly number[]
  /** Written since the last boundary, so that another event can follow it. */
  isNew: boolean
}

/** A message that is wanted in the list. */
interface Wanted {
  readonly message: ForeignValue
  readonly view: MessageView
  readonly id: string
  readonly key: number
  readonly raw: number
  readonly answers: readonly number[]
}

/** What all lists of a session share. */
export interface Shared {
  readonly emitter: Emitter
  readonly versions: Versions
  readonly tasks: GeminiTasks
  /** The list that the newest event belongs to. */
  current: MessageList | undefined
  epoch: number
}

interface State {
  readonly live: readonly Live[]
  readonly tip: string
  readonly boundary: string | undefined
}

export class MessageList {
  readonly #shared: Shared
  #live: Live[] = []
  #tip = HEADER_UUID
  /** The boundary on the path, if there is one. */
  #boundary: string | undefined
  readonly #answered = new Set<number>()
  /** The list before a shorter one was stored: a client that resumes stores it again at once. */
  #before: State | undefined
  /** Another file of the session, as long as this one repeats it. */
  #twin: MessageList | undefined

  constructor(shared: Shared, twin?: MessageList) {
    this.#shared = shared
    this.#twin = twin
  }

  /** The model sees something of it. */
  get isShown(): boolean {
    return this.#live.some(({ shown }) => shown > 0)
  }

  /** Adds a message, or replaces the one with its id. */
  add(message: ForeignValue): void {
    const { emitter, versions } = this.#shared
    const id = String(message['id'])
    // A new id is the usual case, and needs no search.
    const index = versions.has(id) ? this.#live.findLastIndex((live) => live.id === id) : -1
    if (index === -1) {
      this.#append(this.#want(message, this.#rawOf(), (call) => this.#answered.has(call)))
      return
    }
    if (this.#live[index]!.raw === this.#rawOf()) {
      emitter.drop('repeated_record')
      return
    }
    const own = this.#live[index]!.answers
    const isAnswered = (call: number) => this.#answered.has(call) && !own.includes(call)
    const wanted = this.#want(message, this.#rawOf(), isAnswered)
    if (this.#isSame(this.#live[index], wanted)) {
      this.#adopt(index, wanted)
      emitter.drop('repeated_record')
    } else if (index === this.#live.length - 1) {
      // The usual case: a reply that grows replaces its earlier version.
      this.#rewindBefore(index, 'replaced', 'rewind')
      this.#append(wanted)
    } else {
      this.#rearrange(this.#live.map((live, at) => (at === index ? wanted : live)))
    }
  }

  /** Drops this message and all after it; everything if it is missing. */
  rewindTo(id: unknown): void {
    const index = this.#live.findLastIndex((live) => live.id === id)
    if (index === -1) this.#shared.emitter.repair('rewind_unknown')
    this.#rewindBefore(Math.max(index, 0), 'rewound', 'rewind')
  }

  /** Stores another list; false if the model sees the same as before. */
  replace(messages: readonly ForeignValue[]): boolean {
    const wanted = this.#wantAll(messages)
    const shown = wanted.filter(isShown)
    const live = this.#live.filter(isShown)
    if (this.#restore(shown)) {
      this.#extend(wanted)
      return true
    }
    const common = this.#countCommon(live, shown)
    if (common === live.length) return this.#extend(wanted)
    if (common === shown.length) {
      this.#before = { live: [...this.#live], tip: this.#tip, boundary: this.#boundary }
      this.#shorten(common)
      this.#extend(wanted)
      return true
    }
    const later = new Set(live.slice(common).map(({ id }) => id))
    if (common > 0 && !shown.slice(common).some(({ id }) => later.has(id))) {
      this.#shorten(common)
      this.#extend(wanted)
      return true
    }
    const held = new Map(this.#live.map((one) => [one.id, one]))
    this.#rearrange(
      wanted.map((one) => {
        const same = held.get(one.id)
        return same !== undefined && this.#isSame(same, one) ? same : one
      }),
    )
    return true
  }

  /** Makes this the list that the model sees; `reason` says why. */
  activate(reason: string, suffix: string): void {
    const { current, emitter } = this.#shared
    this.#shared.current = this
    if (current === undefined || current === this || current.#tip === this.#tip) return
    const uuid = `${emitter.uuidOf()}~${suffix}`
    const payload = { target_uuid: this.#tip, from_uuid: current.#tip, reason }
    emitter.emit({ type: 'rewind', uuid, prev: this.#tip, payload })
    this.#tip = uuid
  }

  // Reads what a list says

  #wantAll(messages: readonly ForeignValue[]): Wanted[] {
    const answered = new Set<number>()
    // A list may hold an id twice: the client takes the last, at the place of the first.
    const byId = new Map(messages.map((message) => [String(message['id']), message]))
    return [...byId.values()].map((message) => {
      const wanted = this.#want(message, hashOf(message), (call) => answered.has(call))
      for (const call of wanted.answers) answered.add(call)
      return wanted
    })
  }

  /** Of the record being read; the client writes a message as it writes it in a list. */
  #rawOf(): number {
    return Number.parseInt(this.#shared.emitter.origin.record.sha256.slice(0, 8), 16) | 0
  }

  #want(message: ForeignValue, raw: number, isAnswered: (call: number) => boolean): Wanted {
    const view = viewMessage(message, (call) => isAnswered(hashCall(call)))
    const { events, isKept } = view
    const key = isKept ? hashOf([message['type'], message['content']]) : hashOf(events)
    const answers = view.answers.length === 0 ? NO_ANSWERS : view.answers.map(hashCall)
    return { message, view, id: String(message['id']), key, raw, answers }
  }

  #isSame(live: Live | undefined, { id, key }: Wanted): boolean {
    return live?.id === id && live.key === key
  }

  #countCommon(live: readonly Live[], wanted: readonly Wanted[]): number {
    const index = live.findIndex(
      (one, at) => wanted[at] === undefined || !this.#isSame(one, wanted[at]),
    )
    return index === -1 ? live.length : index
  }

  // Changes the list

  /** Adds what the list does not hold yet, and takes its order; the model sees the rest already. */
  #extend(wanted: readonly Wanted[]): boolean {
    const held = new Map(this.#live.map((live) => [live.id, live]))
    const before = this.#live.filter(isShown).length
    this.#live = []
    this.#answered.clear()
    for (const one of wanted) {
      const live = held.get(one.id)
      if (live !== undefined && this.#isSame(live, one)) {
        this.#live.push(live)
        this.#adopt(this.#live.length - 1, one)
        for (const call of live.answers) this.#answered.add(call)
      } else this.#append(one, { isListed: true })
    }
    return this.#live.filter(isShown).length > before
  }

  /** The record is another, and means the same: it counts as written, so that uuids stay what they are. */
  #adopt(index: number, { id, raw }: Wanted): void {
    const live = this.#live[index]!
    if (live.raw === raw) return
    this.#nextName(id)
    live.raw = raw
  }

  #append(wanted: Wanted, { isListed = false } = {}): void {
    const twin = this.#findTwin(wanted)
    this.#live.push(twin === undefined ? this.#write(wanted, isListed) : this.#take(twin))
    for (const call of wanted.answers) this.#answered.add(call)
  }

  #findTwin(wanted: Wanted): Live | undefined {
    const file = this.#twin
    if (file === undefined) return undefined
    const twin = file.#boundary === undefined ? file.#live[this.#live.length] : undefined
    if (this.#isSame(twin, wanted)) return twin
    this.#twin = undefined
    return undefined
  }

  /** The events of the same message in another file of the session. */
  #take(twin: Live): Live {
    this.#shared.emitter.drop('repeated_record')
    if (twin.last !== undefined) this.#tip = twin.last
    return { ...twin }
  }

  /** Drops the messages after the first ones that the model sees. */
  #shorten(shown: number): void {
    let rest = shown
    const index = this.#live.findIndex((live) => isShown(live) && rest-- === 0)
    this.#rewindBefore(index, 'replaced', 'list')
  }

  /** The list that was replaced by a shorter one is stored again. */
  #restore(wanted: readonly Wanted[]): boolean {
    const before = this.#before
    if (before === undefined) return false
    const live = before.live.filter(isShown)
    if (this.#countCommon(live, wanted) < live.length) return false
    const { emitter } = this.#shared
    const uuid = `${emitter.uuidOf()}~list`
    const payload = { target_uuid: before.tip, from_uuid: this.#tip, reason: 'restored' }
    this.#shared.current = this
    emitter.emit({ type: 'rewind', uuid, prev: before.tip, payload })
    this.#live = [...before.live]
    this.#before = undefined
    this.#tip = uuid
    this.#boundary = before.boundary
    return true
  }

  /** Makes the list what it was before this message. */
  #rewindBefore(index: number, reason: string, suffix: string): void {
    this.activate('another file', 'file')
    const dropped = this.#live.splice(index)
    for (const { answers } of dropped) for (const call of answers) this.#answered.delete(call)
    const before = this.#live.findLast(({ last }) => last !== undefined)
    const isRoot = before === undefined
    if (isRoot) this.#boundary = undefined
    const prev = isRoot ? HEADER_UUID : before.isNew ? before.last! : this.#boundary!
    // An event that follows one before the boundary would undo the boundary.
    const truncate_after = isRoot || before.isNew ? undefined : this.#lastShown()
    const target_uuid = before?.last ?? HEADER_UUID
    const uuid = `${this.#shared.emitter.uuidOf()}~${suffix}`
    const payload = known({ target_uuid, from_uuid: this.#tip, truncate_after, reason })
    this.#shared.emitter.emit({ type: 'rewind', uuid, prev, payload })
    this.#tip = uuid
  }

  #lastShown(): string | undefined {
    const live = this.#live.findLast(isShown)
    return live === undefined ? undefined : uuidsOf(live).at(-1)
  }

  /** Another list: writes its new messages, then a boundary that keeps its messages in order. */
  #rearrange(wanted: readonly (Live | Wanted)[]): void {
    const shared = this.#shared
    this.activate('another file', 'file')
    const before = this.#live.length
    this.#live = wanted.map((one) => ('message' in one ? this.#write(one, true) : one))
    this.#before = undefined
    this.#answered.clear()
    for (const { answers } of this.#live) for (const call of answers) this.#answered.add(call)
    const boundaryUuid = `${shared.emitter.uuidOf()}~list`
    shared.epoch++
    shared.emitter.compact({
      summaryUuid: `${boundaryUuid}~summary`,
      boundaryUuid,
      prev: this.#tip,
      text: '',
      kept: this.#live.flatMap(uuidsOf),
      trigger: 'external',
      summarized: before,
      epoch: shared.epoch,
    })
    for (const live of this.#live) live.isNew = false
    this.#boundary = boundaryUuid
    this.#tip = boundaryUuid
  }

  // Writes

  #write({ message, view, id, key, raw, answers }: Wanted, isListed: boolean): Live {
    const { emitter, tasks } = this.#shared
    const { events, isKept, agentCalls, unknown } = view
    const name = this.#nextName(id)
    const origin = { ...emitter.origin, ts: emitter.readTime(message['timestamp']) }
    for (const type of unknown) emitter.leaveUninterpreted(type)
    const toLive = (shown: number, last: string | undefined): Live => {
      return { id, name, shown, last, key, raw, answers, isNew: true }
    }
    if (isKept) return toLive(0, this.#keep(message, { name, isListed }, origin))
    if (events.length === 0) {
      emitter.drop('repeated_record')
      return toLive(0, undefined)
    }
    this.activate('another file', 'file')
    this.#before = undefined
    const insert = (uuid: string) => {
      const prev = this.#tip
      this.#tip = uuid
      return prev
    }
    for (const [index, { type, payload }] of events.entries()) {
      const uuid = nameOf(name, index)
      emitter.emit({ type, uuid, prev: insert(uuid), payload }, origin)
      if (index === 0) tasks.spawn(agentCalls, insert)
    }
    tasks.end(agentCalls, events, insert)
    return toLive(events.length, this.#tip)
  }

  #nextName(id: string): string {
    const { emitter, versions } = this.#shared
    const uuid = emitter.uuidOf(id)
    // An id that cannot be a uuid is remembered, too.
    if (uuid !== id) versions.next(id)
    return versions.next(uuid)
  }

  /**
   * Keeps a message that the model does not see. It is off-chain in a list that is stored at once, where
   * messages may follow that were written earlier, and in a file that is not the newest.
   */
  #keep(
    message: ForeignValue,
    { name, isListed }: { name: string; isListed: boolean },
    origin: Emitter['origin'],
  ): string | undefined {
    const { emitter, current } = this.#shared
    const isChained = !isListed && (current === undefined || current === this)
    const prev = isChained ? this.#tip : null
    emitter.keep(textOf(message['type']) ?? 'message', { uuid: name, prev }, message, origin)
    if (isChained) this.#tip = name
    return isChained ? name : undefined
  }
}

function isShown({ shown, view }: Partial<Live> & Partial<Wanted>): boolean {
  return (shown ?? view?.events.length ?? 0) > 0
}

function uuidsOf({ name, shown }: Live): string[] {
  return Array.from({ length: shown }, (_, index) => nameOf(name, index))
}

function nameOf(name: string, index: number): string {
  return index === 0 ? name : `${name}~${index}`
}

const NO_ANSWERS: readonly number[] = []

/** 32 bits, a small integer: only values of the same id are compared, and there may be millions. */
function hashOf(value: unknown): number {
  return Number.parseInt(hash('sha256', JSON.stringify(value), 'hex').slice(0, 8), 16) | 0
}

/** 48 bits: every call is compared with every other. */
function hashCall(id: string): number {
  return Number.parseInt(hash('sha256', id, 'hex').slice(0, 12), 16)
}
