// One rollout of Codex. The file is a sequence without branches; a rollback is an event, and a
// compaction brings the history that replaces the old one.

import { isPermissionType } from '../../format/index.js'
import { plainText, toUsage } from '../import/content.js'
import { Emitter } from '../import/emitter.js'
import { countOf, fieldsOf, isObject, listOf, textOf } from '../import/fields.js'
import {
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportContext,
  type ImportRun,
} from '../import/importer.js'
import { DisplayCopies, type Held } from './copies.js'
import { beginsTurn, type CodexEvent, eventOf } from './items.js'

export const CODEX = 'codex'

const USAGE = { input: 'input_tokens', output: 'output_tokens', cacheRead: 'cached_input_tokens' }

export class CodexRun implements ImportRun {
  readonly #emitter: Emitter
  #tip = HEADER_UUID
  #epoch = 0
  /** What every turn of the current history follows. */
  #turns: string[] = []
  /** User messages the model still sees, for compactions of the oldest kind. */
  #prompts: string[] = []
  #messageCount = 0
  /** The newest reply or call, until its usage is known. */
  #reply: Held | undefined
  readonly #copies = new DisplayCopies()
  #lastCall: string | undefined
  #hasMeta = false

  constructor(context: ImportContext) {
    this.#emitter = new Emitter(CODEX, context)
  }

  add(record: ForeignRecord): void {
    const { value } = record
    this.#emitter.begin(record, value['timestamp'] ?? value['created_at'])
    const { payload } = value
    if (!isObject(payload)) this.#addItem(value)
    else if (value['type'] === 'session_meta') this.#addMeta()
    else if (value['type'] === 'response_item') this.#addItem(payload)
    else if (value['type'] === 'event_msg') this.#addEvent(payload)
    else if (value['type'] === 'compacted') this.#compact(payload)
    else this.#keep()
  }

  end(): void {
    this.#flush()
  }

  #addMeta(): void {
    // Later ones were copied with the history of the session this one was forked from.
    if (this.#hasMeta) this.#emitter.drop('copied_history')
    else this.#keep()
    this.#hasMeta = true
  }

  #addItem(item: ForeignValue): void {
    const uuid = this.#emitter.uuidOf()
    const event = eventOf(item, this.#idForCall(item, uuid))
    if (event === undefined) {
      this.#keep()
      return
    }
    const copied = this.#settleCopy(event)
    this.#settleReply()
    // Named as its copy: an earlier import may have read the copy and not yet the item.
    const held = { event, uuid: copied ?? uuid, origin: this.#emitter.origin }
    if (event.text !== undefined && copied === undefined) this.#copies.expect(event.text)
    if (event.type === 'assistant' || event.type === 'tool_call') this.#reply = held
    else this.#push(held)
  }

  /** A call without an id belongs to the next result. */
  #idForCall({ type }: ForeignValue, uuid: string): string {
    if (typeof type === 'string' && /call$/.test(type)) this.#lastCall = uuid
    return this.#lastCall ?? uuid
  }

  #addEvent(event: ForeignValue): void {
    const type = String(event['type'])
    if (type === 'user_message' || type === 'agent_message') this.#addCopy(event)
    else if (/^agent_reasoning(?:_raw_content)?$/.test(type)) this.#emitter.drop('said_twice')
    else if (type === 'thread_rolled_back') this.#rollBack(countOf(event['num_turns']) ?? 0)
    else if (isPermissionType(type)) this.#emitter.drop('permission_state')
    else {
      const title = textOf(event['thread_name']) ?? textOf(event['name'])
      if (type === 'thread_name_updated' && title) this.#emitter.title(title, 'user')
      if (type === 'token_count') this.#addUsage(fieldsOf(event['info'])['last_token_usage'])
      if (type === 'turn.completed') this.#addUsage(event['usage'])
      this.#keep()
    }
  }

  /** Files of all versions hold most messages twice; some only this way. */
  #addCopy(event: ForeignValue): void {
    const text = textOf(event['message']) ?? ''
    if (this.#copies.isExpected(text)) {
      this.#emitter.drop('said_twice')
      return
    }
    this.#settleCopy(undefined)
    const type = event['type'] === 'user_message' ? 'user' : 'assistant'
    const images = listOf(event['images']).map((image_url) => ({ type: 'input_image', image_url }))
    const content = images.length === 0 ? text : [{ type: 'input_text', text }, ...images]
    const { origin } = this.#emitter
    const uuid = this.#emitter.uuidOf()
    this.#copies.hold({ event: { type, payload: { content }, text }, uuid, origin })
  }

  /** `next`: the item just read. Returns the uuid of the copy that says the same, if there is one. */
  #settleCopy(next: CodexEvent | undefined): string | undefined {
    const settled = this.#copies.settle(next)
    if (settled === undefined) return undefined
    const { copy, isSame } = settled
    if (isSame) {
      this.#emitter.sink.dropped('said_twice', copy.origin.record)
      return copy.uuid
    }
    this.#settleReply()
    this.#push(copy)
    return undefined
  }

  #addUsage(value: unknown): void {
    const usage = toUsage(value, USAGE)
    const reply = this.#reply
    if (usage === undefined || reply === undefined) return
    this.#reply = undefined
    this.#push({ ...reply, event: { ...reply.event, payload: { ...reply.event.payload, usage } } })
  }

  #keep(): void {
    const { type, payload } = this.#emitter.origin.record.value
    const inner = type === 'event_msg' ? textOf(fieldsOf(payload)['type']) : undefined
    this.#emitter.keep(inner ?? textOf(type) ?? 'record')
  }

  #push({ event, uuid, origin }: Held): void {
    if (beginsTurn(event)) {
      this.#turns.push(this.#tip)
      this.#prompts.push(uuid)
    }
    const { type, payload } = event
    this.#emitter.emit({ type, payload, uuid, prev: this.#tip }, origin)
    this.#tip = uuid
    this.#messageCount++
  }

  #rollBack(count: number): void {
    this.#flush()
    if (count === 0) {
      this.#keep()
      return
    }
    if (count > this.#turns.length) this.#emitter.repair('rollback_too_far')
    const target = this.#turns.at(-count) ?? HEADER_UUID
    this.#turns.splice(-count)
    this.#prompts.splice(-count)
    const uuid = this.#emitter.uuidOf()
    const reason = `${count} turns taken back`
    const payload = { target_uuid: target, from_uuid: this.#tip, reason }
    this.#emitter.emit({ type: 'rewind', uuid, prev: target, payload })
    this.#tip = uuid
  }

  #compact(payload: ForeignValue): void {
    this.#flush()
    const history = payload['replacement_history']
    const message = plainText(payload['message'])
    const boundaryUuid = this.#emitter.uuidOf()
    const isReplaced = Array.isArray(history)
    if (!isReplaced && message === '') this.#emitter.repair('summary_missing')
    this.#epoch++
    this.#emitter.compact({
      summaryUuid: `${boundaryUuid}~summary`,
      boundaryUuid,
      prev: this.#tip,
      // A replacement history holds the summary itself.
      text: isReplaced ? '' : message,
      kept: isReplaced ? null : [...this.#prompts],
      isPrefixKept: !isReplaced,
      trigger: 'external',
      summarized: this.#messageCount,
      epoch: this.#epoch,
      summaryFields: isReplaced && message !== '' ? { message } : undefined,
    })
    this.#tip = boundaryUuid
    this.#messageCount = this.#prompts.length
    if (isReplaced) this.#replace(history, boundaryUuid)
  }

  /** The new history, as ordinary events made of the record of the compaction. */
  #replace(history: readonly unknown[], boundaryUuid: string): void {
    const turns = this.#turns.length
    this.#prompts = []
    this.#messageCount = 0
    for (const [index, item] of history.entries()) {
      const uuid = `${boundaryUuid}~${index}`
      const event = eventOf(fieldsOf(item), uuid)
      if (event !== undefined) this.#push({ event, uuid, origin: this.#emitter.origin })
      else {
        const kind = textOf(fieldsOf(item)['type']) ?? 'item'
        this.#emitter.keep(kind, { uuid, prev: this.#tip }, item)
        this.#tip = uuid
      }
    }
    // Repeated turns were counted when they were first recorded.
    this.#turns.length = turns
  }

  #flush(): void {
    this.#settleCopy(undefined)
    this.#settleReply()
  }

  #settleReply(): void {
    const reply = this.#reply
    this.#reply = undefined
    if (reply !== undefined) this.#push(reply)
  }
}
