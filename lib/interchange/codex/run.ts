// The rollouts of one session of Codex. A file is a sequence without branches; a rollback is an event, a
// compaction brings the history that replaces the old one, and a later file continues an earlier one.

import { isPermissionType } from '../../format/index.js'
import { plainText } from '../import/content.js'
import { type Compaction, Emitter } from '../import/emitter.js'
import { countOf, fieldsOf, isObject, known, listOf, textOf } from '../import/fields.js'
import {
  type Continuation,
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportContext,
  type ImportRun,
  type RecalledEvent,
  type SourceFile,
} from '../import/importer.js'
import { beginsTurn } from './context.js'
import { DisplayCopies, type Held } from './copies.js'
import { FileMarks, parseFileName, readContinuation } from './files.js'
import { CodexHistory } from './history.js'
import { type CodexEvent, communicationOf, eventOf, mayBeSent } from './items.js'
import { CodexTasks, findAgents } from './tasks.js'
import { UsageReader } from './usage.js'

export const CODEX = 'codex'

const TITLE_CHARS_MAX = 80

export class CodexRun implements ImportRun {
  readonly #emitter: Emitter
  readonly #history = new CodexHistory()
  readonly #copies = new DisplayCopies()
  readonly #usage = new UsageReader()
  /** Of the present turn. */
  #model: string | undefined
  readonly #marks = new FileMarks()
  readonly #tasks: CodexTasks
  #epoch = 0
  /** The newest reply or call, until its usage is known. */
  #reply: Held | undefined
  #lastCall: string | undefined
  #hasMeta = false
  #hasTitle = false
  #hasRecord = false
  readonly #givenTitle: string | undefined
  /** The end of the last record. */
  #end = 0

  constructor(context: ImportContext) {
    this.#givenTitle = context.facts.title
    this.#emitter = new Emitter(CODEX, context)
    this.#tasks = new CodexTasks(this.#emitter)
  }

  open({ facts, path }: SourceFile): void {
    this.#flush()
    this.#marks.add(this.#end, this.#history.tip)
    // The facts of a file that is gone are not known; its name is.
    this.#marks.open(parseFileName(path).file ?? facts.fileId ?? facts.sessionId)
    this.#hasMeta = false
  }

  recall({ type, uuid, prev_uuid, payload }: RecalledEvent): void {
    const { offset, length } = payload['imported_from'] as { offset: number; length: number }
    this.#end = offset + length
    if (type === `${CODEX}:turn_context`) this.#model = modelOf(payload['record']) ?? this.#model
    if (type === `${CODEX}:task_started`) this.#marks.add(offset, this.#history.tip)
    else if (prev_uuid !== null) this.#history.moveTo(uuid)
    else if (isTurnEnd(type.slice(CODEX.length + 1))) this.#marks.add(this.#end, this.#history.tip)
  }

  add(record: ForeignRecord): void {
    const { value } = record
    this.#hasRecord = true
    this.#emitter.begin(record, value['timestamp'] ?? value['created_at'])
    this.#end = record.byteOffset + record.length
    const { payload } = value
    if (!isObject(payload)) this.#addItem(value)
    else this.#addRecord(String(value['type']), payload)
  }

  #addRecord(type: string, payload: ForeignValue): void {
    switch (type) {
      case 'session_meta':
        this.#addMeta(payload)
        break
      case 'response_item':
        this.#addItem(payload)
        break
      case 'event_msg':
        this.#addEvent(payload)
        break
      case 'compacted':
        this.#compact(payload)
        break
      case 'inter_agent_communication':
        this.#addMessage(communicationOf(payload))
        break
      case 'turn_context':
        this.#model = textOf(payload['model']) ?? this.#model
        this.#keep()
        break
      case 'token_usage_record':
        this.#keepUsage(this.#usage.readRecord(payload))
        break
      default:
        this.#keep()
    }
  }

  end(): void {
    this.#flush()
    const title = this.#givenTitle
    if (title === undefined || !this.#hasRecord) return
    // Named by the title, so that another one is another event.
    const uuid = `title-${Buffer.from(title).toString('hex').slice(0, 100)}`
    const payload = { title, title_source: 'user' }
    this.#emitter.emit({ type: 'session_meta', uuid, prev: null, payload })
  }

  #addMeta(meta: ForeignValue): void {
    // Later ones were copied with the history of the session this one was forked from.
    if (this.#hasMeta) {
      this.#emitter.drop('copied_history')
      return
    }
    this.#hasMeta = true
    this.#history.begin(meta)
    this.#keep()
    this.#continue(readContinuation(meta))
  }

  /** Moves to where this file begins: the position in another one, or the beginning. */
  #continue(base: Continuation | undefined): void {
    const from_uuid = this.#history.tip
    const target = base === undefined ? HEADER_UUID : this.#marks.find(base)
    if (target === undefined) this.#emitter.repair('base_missing')
    const target_uuid = target ?? HEADER_UUID
    if (target_uuid === from_uuid) return
    const uuid = `${this.#emitter.uuidOf()}~continue`
    const payload = { target_uuid, from_uuid, reason: 'continued from an earlier position' }
    this.#emitter.emit({ type: 'rewind', uuid, prev: target_uuid, payload })
    this.#history.moveTo(uuid)
  }

  #addItem(item: ForeignValue): void {
    const event = eventOf(item, this.#idForCall(item, this.#emitter.uuidOf()))
    if (event !== undefined) this.#addMessage(event)
    else {
      if (mayBeSent(item)) this.#emitter.leaveUninterpreted(String(item['type']))
      this.#keep()
    }
  }

  #addMessage(event: CodexEvent): void {
    const copied = this.#settleCopy(event)
    this.#settleReply()
    // Named as its copy: an earlier import may have read the copy and not yet the item.
    const uuid = copied ?? this.#emitter.uuidOf()
    if (event.text !== undefined && copied === undefined) this.#copies.expect(event.text)
    const held = { event, uuid, origin: this.#emitter.origin }
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
    else if (type === 'thread_rolled_back') this.#takeBack(countOf(event['num_turns']) ?? 0)
    else if (isPermissionType(type)) this.#emitter.drop('permission_state')
    else if (type === 'token_count') this.#keepUsage(this.#usage.readCount(event))
    else if (type === 'turn.completed') this.#keepUsage(this.#usage.readTurn(event))
    else this.#addNote(type, event)
  }

  #addNote(type: string, event: ForeignValue): void {
    const title = textOf(event['thread_name']) ?? textOf(event['name'])
    if (type === 'thread_name_updated' && title) this.#emitter.title(title, 'user')
    // Another file may continue the session before or after a turn.
    if (type === 'task_started') {
      this.#flush()
      this.#marks.add(this.#emitter.origin.record.byteOffset, this.#history.tip)
    }
    if (isTurnEnd(type)) {
      this.#flush()
      this.#marks.add(this.#end, this.#history.tip)
    }
    this.#keep()
    const agents = findAgents(type, event)
    if (agents.length > 0) this.#flush()
    this.#history.tip = this.#tasks.spawn(agents, this.#history.tip)
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

  /** A reply has its usage itself; that of a call is counted by the record that is kept. */
  #keepUsage(usage: object | undefined): void {
    const reply = this.#reply
    if (usage === undefined) {
      this.#keep()
    } else if (reply?.event.type === 'assistant') {
      this.#reply = undefined
      const said = reply.event.payload
      const payload = known({ ...said, model: said['model'] ?? this.#model, usage })
      this.#push({ ...reply, event: { ...reply.event, payload } })
      this.#keep()
    } else {
      const type = `${CODEX}:usage`
      const { value: record } = this.#emitter.origin.record
      const payload = known({ record, model: this.#model, usage })
      this.#emitter.emit({ type, uuid: this.#emitter.uuidOf(), prev: null, payload })
    }
  }

  #keep(): void {
    const { type, payload } = this.#emitter.origin.record.value
    const inner = type === 'event_msg' ? textOf(fieldsOf(payload)['type']) : undefined
    this.#emitter.keep(inner ?? textOf(type) ?? 'record')
  }

  #push({ event, uuid, origin }: Held): void {
    const { type, payload } = event
    if (type === 'tool_call') this.#tasks.addCall(payload)
    if (type === 'tool_result') {
      this.#history.tip = this.#tasks.addResult(payload, this.#history.tip)
    }
    const prev = this.#history.push(event, uuid)
    this.#emitter.emit({ type, payload, uuid, prev }, origin)
    if (!this.#hasTitle && beginsTurn(event)) this.#addTitle(event, uuid, origin)
  }

  /** The first prompt: what comes before it was not written by a person. */
  #addTitle({ payload: { content } }: CodexEvent, uuid: string, origin: Held['origin']): void {
    const line = plainText(content).trim().split('\n', 1).join('')
    if (line === '') return
    this.#hasTitle = true
    const title = [...line].slice(0, TITLE_CHARS_MAX).join('')
    const made = { title, title_source: 'auto' }
    const event = { type: 'session_meta', uuid: `${uuid}~title`, prev: null, payload: made }
    this.#emitter.emit(event, origin)
  }

  #takeBack(count: number): void {
    this.#flush()
    const from_uuid = this.#history.tip
    const left = count === 0 ? undefined : this.#history.takeBack(count)
    if (left === undefined) {
      if (count > 0) this.#emitter.repair('rollback_too_far')
      this.#keep()
      return
    }
    if (left.isTooFar) this.#emitter.repair('rollback_too_far')
    const uuid = this.#emitter.uuidOf()
    const payload = { target_uuid: left.target, from_uuid, reason: `${count} turns taken back` }
    this.#emitter.emit({ type: 'rewind', uuid, prev: left.target, payload })
    this.#history.tip = uuid
    if (left.prompts === undefined) return
    this.#emitCompaction({ boundaryUuid: `${uuid}~prompts`, text: '', kept: left.prompts })
  }

  #compact(payload: ForeignValue): void {
    this.#flush()
    const history = payload['replacement_history']
    const message = plainText(payload['message'])
    const boundaryUuid = this.#emitter.uuidOf()
    if (!Array.isArray(history)) {
      if (message === '') this.#emitter.repair('summary_missing')
      const text = message === '' ? '(no summary available)' : message
      this.#emitCompaction({ boundaryUuid, text, kept: this.#history.repeatPrompts() })
      return
    }
    // A replacement history holds the summary itself.
    const summaryFields = message === '' ? undefined : { message }
    this.#emitCompaction({ boundaryUuid, text: '', kept: null, summaryFields })
    this.#history.replace(boundaryUuid)
    this.#replace(history, boundaryUuid)
  }

  #emitCompaction(
    made: Pick<Compaction, 'boundaryUuid' | 'text' | 'kept' | 'summaryFields'>,
  ): void {
    const { boundaryUuid, kept } = made
    this.#epoch++
    this.#emitter.compact({
      ...made,
      summaryUuid: `${boundaryUuid}~summary`,
      prev: this.#history.tip,
      isPrefixKept: kept !== null,
      trigger: 'external',
      summarized: this.#history.messageCount,
      epoch: this.#epoch,
    })
    this.#history.tip = boundaryUuid
  }

  /** The new history, as ordinary events made of the record of the compaction. */
  #replace(history: readonly unknown[], boundaryUuid: string): void {
    for (const [index, item] of history.entries()) {
      const uuid = `${boundaryUuid}~${index}`
      const event = eventOf(fieldsOf(item), uuid)
      if (event !== undefined) this.#push({ event, uuid, origin: this.#emitter.origin })
      else {
        const kind = textOf(fieldsOf(item)['type']) ?? 'item'
        if (mayBeSent(fieldsOf(item))) this.#emitter.leaveUninterpreted(kind)
        this.#emitter.keep(kind, { uuid, prev: this.#history.tip }, item)
        this.#history.tip = uuid
      }
    }
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

/** The model that a record of the context of a turn names. */
function modelOf(record: unknown): string | undefined {
  return textOf(fieldsOf(fieldsOf(record)['payload'])['model'])
}

function isTurnEnd(type: string): boolean {
  return type === 'task_complete' || type === 'turn_aborted'
}
