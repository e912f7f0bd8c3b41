// One rollout of Codex. The file is a line without branches; what was taken back is said by an
// event, and a compaction brings the history that replaces the old one.

import { DisplayCopies, type Held } from './codex-copies.js'
import { beginsTurn, type CodexEvent, eventOf } from './codex-items.js'
import { plainText, toUsage } from './content.js'
import { Emitter } from './emitter.js'
import { countOf, fieldsOf, isObject, listOf, textOf } from './fields.js'
import {
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportContext,
  type ImportRun,
} from './importer.js'
import { withoutPermissions } from './without-permissions.js'

export const CODEX = 'codex'

const USAGE = { input: 'input_tokens', output: 'output_tokens', cacheRead: 'cached_input_tokens' }

export class CodexRun implements ImportRun {
  readonly #emitter: Emitter
  #tip = HEADER_UUID
  #boundary: string | null = null
  #epoch = 0
  /** What every turn of the current history follows. */
  #turns: string[] = []
  /** User messages the model still sees, for compactions of the oldest kind. */
  #prompts: string[] = []
  #messageCount = 0
  /** The newest reply or call, until its usage is told. */
  #reply: Held | undefined
  readonly #copies = new DisplayCopies()
  #lastCall: string | undefined
  #hasMeta = false

  constructor(context: ImportContext) {
    this.#emitter = new Emitter(CODEX, context)
  }

  take(record: ForeignRecord): void {
    const { value } = record
    const ts = this.#emitter.timeOf(value['timestamp'] ?? value['created_at'], record)
    const payload = fieldsOf(value['payload'])
    const isEnveloped = isObject(value['payload'])
    switch (isEnveloped ? value['type'] : undefined) {
      case 'session_meta':
        this.#takeMeta(record, ts)
        break
      case 'response_item':
        this.#takeItem(payload, record, ts)
        break
      case 'event_msg':
        this.#takeEvent(payload, record, ts)
        break
      case 'compacted':
        this.#compact(payload, record, ts)
        break
      case 'turn_context':
        this.#takeContext(payload, record, ts)
        break
      default:
        if (isEnveloped) this.#keep(record, ts)
        else this.#takeItem(value, record, ts)
    }
  }

  damage(): void {}

  end(): void {
    this.#flush()
  }

  #takeMeta(record: ForeignRecord, ts: string): void {
    // Those that follow were copied with the history of the session this one was forked from.
    if (this.#hasMeta) this.#emitter.sink.dropped('copied_history', record)
    else this.#keep(record, ts)
    this.#hasMeta = true
  }

  #takeItem(item: ForeignValue, record: ForeignRecord, ts: string): void {
    const uuid = this.#emitter.uuidOf(undefined, record)
    const event = eventOf(item, this.#idForCall(item, uuid))
    if (event === undefined) {
      this.#keep(record, ts)
      return
    }
    const copied = this.#settleCopy(event)
    this.#settleReply()
    // It takes the name of its copy: that may be all there was of it when the file was last read.
    const held = { event, record, uuid: copied ?? uuid, ts }
    if (event.text !== undefined && copied === undefined) this.#copies.expect(event.text)
    if (event.type === 'assistant' || event.type === 'tool_call') this.#reply = held
    else this.#push(held)
  }

  /** Of calls without an id, the result that comes next is meant. */
  #idForCall({ type }: ForeignValue, uuid: string): string {
    if (typeof type === 'string' && /call$/.test(type)) this.#lastCall = uuid
    return this.#lastCall ?? uuid
  }

  #takeEvent(event: ForeignValue, record: ForeignRecord, ts: string): void {
    switch (event['type']) {
      case 'user_message':
      case 'agent_message':
        this.#takeCopy(event, record, ts)
        break
      case 'agent_reasoning':
      case 'agent_reasoning_raw_content':
        this.#emitter.sink.dropped('said_twice', record)
        break
      case 'thread_rolled_back':
        this.#rollBack(countOf(event['num_turns']) ?? 0, record, ts)
        break
      case 'thread_name_updated':
        this.#takeTitle(event, record, ts)
        break
      case 'token_count':
        this.#takeUsage(fieldsOf(event['info'])['last_token_usage'], record, ts)
        break
      case 'turn.completed':
        this.#takeUsage(event['usage'], record, ts)
        break
      default:
        this.#takeOther(event, record, ts)
        break
    }
  }

  #takeOther(event: ForeignValue, record: ForeignRecord, ts: string): void {
    if (/approval|permission/i.test(String(event['type']))) {
      this.#emitter.sink.dropped('permission_state', record)
    } else {
      this.#keep(record, ts)
    }
  }

  #takeTitle(event: ForeignValue, record: ForeignRecord, ts: string): void {
    const title = textOf(event['thread_name']) ?? textOf(event['name'])
    if (title !== undefined) this.#emitter.title(title, 'user', record, ts)
    this.#keep(record, ts)
  }

  /** Files of all versions hold most messages twice; some only this way. */
  #takeCopy(event: ForeignValue, record: ForeignRecord, ts: string): void {
    const text = textOf(event['message']) ?? ''
    if (this.#copies.isExpected(text)) {
      this.#emitter.sink.dropped('said_twice', record)
      return
    }
    this.#settleCopy(undefined)
    const type = event['type'] === 'user_message' ? 'user' : 'assistant'
    const images = listOf(event['images']).map((image) => ({
      type: 'input_image',
      image_url: image,
    }))
    const content = images.length === 0 ? text : [{ type: 'input_text', text }, ...images]
    const uuid = this.#emitter.uuidOf(undefined, record)
    this.#copies.hold({ event: { type, payload: { content }, text }, record, uuid, ts })
  }

  /** `next`: the item that came now. The uuid of the copy that said the same, if one did. */
  #settleCopy(next: CodexEvent | undefined): string | undefined {
    const settled = this.#copies.settle(next)
    if (settled === undefined) return undefined
    if (settled.isSame) {
      this.#emitter.sink.dropped('said_twice', settled.copy.record)
      return settled.copy.uuid
    }
    this.#settleReply()
    this.#push(settled.copy)
    return undefined
  }

  #takeUsage(value: unknown, record: ForeignRecord, ts: string): void {
    const usage = toUsage(value, USAGE)
    const reply = this.#reply
    if (usage !== undefined && reply !== undefined) {
      this.#reply = undefined
      const event = { ...reply.event, payload: { ...reply.event.payload, usage } }
      this.#push({ ...reply, event })
    }
    this.#keep(record, ts)
  }

  #takeContext(context: ForeignValue, record: ForeignRecord, ts: string): void {
    const { value, isStripped } = withoutPermissions(context)
    if (isStripped) this.#emitter.sink.dropped('permission_state', record)
    const uuid = this.#emitter.uuidOf(undefined, record)
    const payload = { record: { ...record.value, payload: value } }
    const type = this.#emitter.typeOf('turn_context')
    this.#emitter.emit({ type, uuid, prev: null, payload }, record, ts)
  }

  /** Beside the chain, as it is. */
  #keep(record: ForeignRecord, ts: string): void {
    const { type, payload } = record.value
    const inner = type === 'event_msg' ? textOf(fieldsOf(payload)['type']) : undefined
    const uuid = this.#emitter.uuidOf(undefined, record)
    this.#emitter.verbatim(inner ?? textOf(type) ?? 'record', { uuid, prev: null }, record, ts)
  }

  #push({ event, record, uuid, ts }: Held): void {
    if (beginsTurn(event)) {
      this.#turns.push(this.#tip)
      this.#prompts.push(uuid)
    }
    this.#emitter.emit({ ...event, uuid, prev: this.#tip }, record, ts)
    this.#tip = uuid
    this.#messageCount++
  }

  #rollBack(count: number, record: ForeignRecord, ts: string): void {
    this.#flush()
    if (count === 0) {
      this.#keep(record, ts)
      return
    }
    if (count > this.#turns.length) this.#emitter.sink.repaired('rollback_too_far', record)
    const target = this.#turns.at(-count) ?? HEADER_UUID
    this.#turns = this.#turns.slice(0, Math.max(0, this.#turns.length - count))
    this.#prompts = this.#prompts.slice(0, Math.max(0, this.#prompts.length - count))
    const uuid = this.#emitter.uuidOf(undefined, record)
    const payload = {
      target_uuid: target,
      from_uuid: this.#tip,
      reason: `${count} turns taken back`,
    }
    this.#emitter.emit({ type: 'rewind', uuid, prev: target, payload }, record, ts)
    this.#tip = uuid
  }

  #compact(payload: ForeignValue, record: ForeignRecord, ts: string): void {
    this.#flush()
    const history = payload['replacement_history']
    const message = plainText(payload['message'])
    const boundaryUuid = this.#emitter.uuidOf(undefined, record)
    const isReplaced = Array.isArray(history)
    if (!isReplaced && message === '') this.#emitter.sink.repaired('summary_missing', record)
    this.#epoch++
    const compaction = {
      summaryUuid: `${boundaryUuid}~summary`,
      boundaryUuid,
      prev: this.#tip,
      // The history that replaces the old one holds the summary, too.
      text: isReplaced ? '' : message,
      kept: isReplaced ? null : [...this.#prompts],
      isPrefixKept: !isReplaced,
      trigger: 'external',
      summarized: this.#messageCount,
      epoch: this.#epoch,
      summaryFields: isReplaced && message !== '' ? { message } : undefined,
    } as const
    this.#emitter.compact(compaction, record, ts)
    this.#tip = boundaryUuid
    this.#boundary = boundaryUuid
    this.#messageCount = this.#prompts.length
    if (isReplaced) this.#replace(history, record, ts)
  }

  /** The new history, as ordinary events that all stand in the record of the compaction. */
  #replace(history: readonly unknown[], record: ForeignRecord, ts: string): void {
    const turns = this.#turns.length
    this.#prompts = []
    this.#messageCount = 0
    for (const [index, item] of history.entries()) {
      const uuid = `${this.#boundary}~${index}`
      const event = eventOf(fieldsOf(item), uuid)
      if (event !== undefined) this.#push({ event, record, uuid, ts })
      else this.#keepItem(item, uuid, record, ts)
    }
    // Turns are counted where they were taken, not where they are told again.
    this.#turns.length = turns
  }

  #keepItem(item: unknown, uuid: string, record: ForeignRecord, ts: string): void {
    const payload = { record: withoutPermissions(item).value }
    const type = this.#emitter.typeOf(textOf(fieldsOf(item)['type']) ?? 'item')
    this.#emitter.emit({ type, uuid, prev: this.#tip, payload }, record, ts)
    this.#tip = uuid
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
