// Subagents of Claude Code. Newer versions give each a file of its own; the oldest wrote their lines
// between those of the session, and only the prompt shows which call they belong to.

import type { Emitter } from '../import/emitter.js'
import { fieldsOf, known, textOf } from '../import/fields.js'
import { type ForeignValue, HEADER_UUID, type ImportContext } from '../import/importer.js'
import { noteUninterpreted } from './known-lines.js'
import {
  answeredCalls,
  assistantPayload,
  isApiError,
  messageText,
  resultText,
  type SpawningCall,
  shownAsUser,
  spawningCalls,
  userPayload,
} from './lines.js'

const SUMMARY_CHARS_MAX = 2000

/** Inserts an event of ours into the chain; returns the uuid of the event it follows. */
type Insert = (uuid: string) => string

export class ClaudeTasks {
  readonly #emitter: Emitter
  readonly #inFiles: ImportContext['tasks']
  readonly #openCalls = new Map<string, SpawningCall>()
  /** Lines of subagents between those of the session → their subagent. */
  readonly #taskOfLine = new Map<string, string>()
  readonly #taskOfCall = new Map<string, string>()
  readonly #spawned = new Set<string>()
  readonly #ended = new Set<string>()

  constructor(emitter: Emitter, tasks: ImportContext['tasks']) {
    this.#emitter = emitter
    this.#inFiles = tasks
  }

  /** For an assistant line of the session. */
  addCalls(value: ForeignValue): void {
    for (const call of spawningCalls(value)) this.#openCalls.set(call.id, call)
  }

  /** Before a user line of the session: a tool result may name its subagent. */
  spawnBefore(value: ForeignValue, insert: Insert): void {
    const taskId = textOf(fieldsOf(value['toolUseResult'])['agentId'])
    const [callId] = answeredCalls(value)
    if (taskId === undefined || callId === undefined) return
    if (this.#inFiles.has(taskId)) this.#spawn(taskId, this.#openCalls.get(callId), insert)
    this.#taskOfCall.set(callId, taskId)
  }

  /** After a user line of the session: the result of the subagent. */
  endAfter(value: ForeignValue, insert: Insert): void {
    if (this.#openCalls.size === 0 && this.#taskOfCall.size === 0) return
    for (const callId of answeredCalls(value)) {
      const taskId = this.#taskOfCall.get(callId)
      this.#openCalls.delete(callId)
      if (taskId === undefined || !this.#spawned.has(taskId)) continue
      this.#taskOfCall.delete(callId)
      const text = resultText(value, callId)
      const success = text.trim() !== ''
      this.#emitter.sink.taskEnded(taskId, { success, summary: text })
      const uuid = this.#nameResult(taskId)
      const payload = {
        task_id: taskId,
        completion_status: success ? 'completed' : 'failed',
        summary: text.slice(0, SUMMARY_CHARS_MAX).toWellFormed(),
        bytes: null,
        errors: [],
        tool_call_id: callId,
      }
      this.#emitter.emit({ type: 'subagent_result', uuid, prev: insert(uuid), payload })
    }
  }

  /** A line of a subagent between those of the session. */
  addInline(value: ForeignValue, insert: Insert): void {
    const uuid = this.#emitter.uuidOf(value['uuid'])
    const parent = textOf(value['parentUuid'])
    const parentTask = parent === undefined ? undefined : this.#taskOfLine.get(parent)
    const task = textOf(value['agentId']) ?? parentTask ?? uuid
    if (!this.#spawned.has(task)) {
      const call = this.#findCall(messageText(value))
      if (call !== undefined) this.#taskOfCall.set(call.id, task)
      this.#spawn(task, call, insert)
    }
    this.#taskOfLine.set(uuid, task)
    const prev = parentTask === task && parent !== undefined ? parent : HEADER_UUID
    emitLine(this.#emitter, value, { uuid, prev, task })
  }

  /** A subagent that is called again has another result. */
  #nameResult(task: string): string {
    const isFirst = !this.#ended.has(task)
    this.#ended.add(task)
    const { byteOffset } = this.#emitter.origin.record
    return isFirst ? `${task}~result` : `${task}~result-${byteOffset}`
  }

  #findCall(prompt: string): SpawningCall | undefined {
    for (const call of this.#openCalls.values()) {
      if (call.prompt === prompt && !this.#taskOfCall.has(call.id)) return call
    }
    return undefined
  }

  #spawn(taskId: string, call: SpawningCall | undefined, insert: Insert): void {
    if (this.#spawned.has(taskId)) return
    this.#spawned.add(taskId)
    const agentType = call?.kind
    const toolCallId = call?.id ?? this.#inFiles.get(taskId)?.toolCallId
    const uuid = `${taskId}~spawn`
    const payload = known({ task_id: taskId, agent_type: agentType, tool_call_id: toolCallId })
    this.#emitter.emit({ type: 'subagent_spawn', uuid, prev: insert(uuid), payload })
    this.#emitter.sink.task({ taskId, spawnUuid: uuid, agentType, toolCallId })
  }
}

/** A message as our event, any other line unchanged. Returns whether the model sees it. */
export function emitLine(
  emitter: Emitter,
  value: ForeignValue,
  at: { uuid: string; prev: string; task?: string },
): boolean {
  const { type } = value
  if (isApiError(value)) emitter.keep('api_error', at)
  else if (type === 'user') emitter.emit({ ...at, type, payload: userPayload(value) })
  else if (type === 'assistant') emitter.emit({ ...at, type, payload: assistantPayload(value) })
  else return emitOther(emitter, value, at)
  return !isApiError(value)
}

function emitOther(
  emitter: Emitter,
  value: ForeignValue,
  at: { uuid: string; prev: string; task?: string },
): boolean {
  const payload = shownAsUser(value)
  if (payload !== undefined) emitter.emit({ ...at, type: 'user', payload })
  else {
    noteUninterpreted(emitter, value)
    emitter.keep(String(value['type']), at)
  }
  return payload !== undefined
}
