// Subagents of Claude Code. Newer versions give each a file of its own; the oldest wrote their lines
// between those of the session, and only the prompt tells which call they belong to.

import {
  answeredCalls,
  assistantPayload,
  messageText,
  resultText,
  spawningCalls,
  userPayload,
} from './claude-lines.js'
import type { Emitter } from './emitter.js'
import { fieldsOf, textOf } from './fields.js'
import {
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportContext,
} from './importer.js'

const SUMMARY_CHARS_MAX = 2000

interface Call {
  readonly id: string
  readonly prompt: string
  readonly kind?: string
}

interface SpawnPlace {
  /** Puts an event of ours into the chain; it answers with what it was told. */
  insert(uuid: string): string
}

export class ClaudeTasks {
  readonly #emitter: Emitter
  readonly #inFiles: ImportContext['tasks']
  readonly #openCalls = new Map<string, Call>()
  /** Lines of subagents between those of the session → whose they are. */
  readonly #taskOfLine = new Map<string, string>()
  readonly #taskOfCall = new Map<string, string>()
  readonly #spawned = new Set<string>()
  readonly #ended = new Set<string>()

  constructor(emitter: Emitter, tasks: ImportContext['tasks']) {
    this.#emitter = emitter
    this.#inFiles = tasks
  }

  /** An assistant line of the session. */
  takeCalls(value: ForeignValue): void {
    for (const call of spawningCalls(value)) this.#openCalls.set(call.id, call)
  }

  /** Before a user line of the session: a result that names its subagent tells of it. */
  spawnBefore(record: ForeignRecord, place: SpawnPlace, ts: string): void {
    const { value } = record
    const taskId = textOf(fieldsOf(value['toolUseResult'])['agentId'])
    if (taskId === undefined) return
    const [callId] = answeredCalls(value)
    if (callId === undefined) return
    const file = this.#inFiles.get(taskId)
    if (file !== undefined) this.#spawn(taskId, this.#openCalls.get(callId), record, place, ts)
    this.#taskOfCall.set(callId, taskId)
  }

  /** After it: what the subagent came back with. */
  endAfter(record: ForeignRecord, place: SpawnPlace, ts: string): void {
    if (this.#openCalls.size === 0 && this.#taskOfCall.size === 0) return
    for (const callId of answeredCalls(record.value)) {
      const task_id = this.#taskOfCall.get(callId)
      this.#openCalls.delete(callId)
      if (task_id === undefined || !this.#spawned.has(task_id)) continue
      this.#taskOfCall.delete(callId)
      const text = resultText(record.value, callId)
      const summary = text.slice(0, SUMMARY_CHARS_MAX).toWellFormed()
      const completion_status = text.trim() === '' ? 'failed' : 'completed'
      this.#emitter.sink.taskEnded(task_id, {
        isSuccess: completion_status === 'completed',
        summary: text,
      })
      const uuid = this.#nameResult(task_id, record)
      const payload = {
        task_id,
        completion_status,
        summary,
        bytes: null,
        errors: [],
        tool_call_id: callId,
      }
      const prev = place.insert(uuid)
      this.#emitter.emit({ type: 'subagent_result', uuid, prev, payload }, record, ts)
    }
  }

  /** A line of a subagent that stands between those of the session. */
  takeInline(record: ForeignRecord, place: SpawnPlace, ts: string): void {
    const { value } = record
    const id = this.#emitter.uuidOf(value['uuid'], record)
    const parent = textOf(value['parentUuid'])
    const known = parent === undefined ? undefined : this.#taskOfLine.get(parent)
    const task = textOf(value['agentId']) ?? known ?? id
    if (!this.#spawned.has(task)) {
      const call = this.#callFor(messageText(value))
      if (call !== undefined) this.#taskOfCall.set(call.id, task)
      this.#spawn(task, call, record, place, ts)
    }
    this.#taskOfLine.set(id, task)
    const prev = known === task && parent !== undefined ? parent : HEADER_UUID
    const { type } = value
    if (type === 'user') {
      this.#emitter.emit({ type, uuid: id, prev, payload: userPayload(value), task }, record, ts)
    } else if (type === 'assistant') {
      const payload = assistantPayload(value)
      this.#emitter.emit({ type, uuid: id, prev, payload, task }, record, ts)
    } else {
      this.#emitter.verbatim(String(type), { uuid: id, prev, task }, record, ts)
    }
  }

  /** One that is called again comes back again. */
  #nameResult(task: string, { byte_offset }: ForeignRecord): string {
    const isFirst = !this.#ended.has(task)
    this.#ended.add(task)
    return isFirst ? `${task}~result` : `${task}~result-${byte_offset}`
  }

  #callFor(prompt: string): Call | undefined {
    for (const call of this.#openCalls.values()) {
      if (call.prompt === prompt && !this.#taskOfCall.has(call.id)) return call
    }
    return undefined
  }

  #spawn(
    task_id: string,
    call: Call | undefined,
    record: ForeignRecord,
    place: SpawnPlace,
    ts: string,
  ): void {
    if (this.#spawned.has(task_id)) return
    this.#spawned.add(task_id)
    const tool_call_id = call?.id ?? this.#inFiles.get(task_id)?.tool_call_id
    const facts = {
      ...(call?.kind !== undefined && { agent_type: call.kind }),
      ...(tool_call_id !== undefined && { tool_call_id }),
    }
    const uuid = `${task_id}~spawn`
    const prev = place.insert(uuid)
    const payload = { task_id, ...facts }
    this.#emitter.emit({ type: 'subagent_spawn', uuid, prev, payload }, record, ts)
    this.#emitter.sink.task({ task_id, spawn_uuid: uuid, ...facts })
  }
}
