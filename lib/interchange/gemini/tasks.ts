// Subagents of Gemini CLI: each has a file of its own, and the call that started it names it.

import type { Emitter } from '../import/emitter.js'
import { known } from '../import/fields.js'
import type { ImportContext } from '../import/importer.js'
import type { AgentCall, GeminiEvent } from './messages.js'

const SUMMARY_CHARS_MAX = 2000

/** Inserts an event into the chain; returns the uuid of the event it follows. */
type Insert = (uuid: string) => string

export class GeminiTasks {
  readonly #emitter: Emitter
  readonly #inFiles: ImportContext['tasks']
  readonly #spawned = new Set<string>()
  readonly #ended = new Set<string>()

  constructor(emitter: Emitter, tasks: ImportContext['tasks']) {
    this.#emitter = emitter
    this.#inFiles = tasks
  }

  spawn(calls: readonly AgentCall[], insert: Insert): void {
    for (const { agentId, callId, agentType } of this.#new(calls, this.#spawned)) {
      const uuid = `${agentId}~spawn`
      const payload = known({ task_id: agentId, agent_type: agentType, tool_call_id: callId })
      this.#emitter.emit({ type: 'subagent_spawn', uuid, prev: insert(uuid), payload })
      this.#emitter.sink.task({ taskId: agentId, spawnUuid: uuid, agentType, toolCallId: callId })
    }
  }

  /** After the results of the calls. */
  end(calls: readonly AgentCall[], events: readonly GeminiEvent[], insert: Insert): void {
    const answered = calls.flatMap((call) => {
      const result = events.find(({ payload }) => payload['tool_call_id'] === call.callId)
      return result === undefined ? [] : [{ ...call, result }]
    })
    for (const { agentId, callId, result } of this.#new(answered, this.#ended)) {
      const { content, is_error } = result.payload
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      const success = is_error !== true && hasReachedItsGoal(text)
      this.#emitter.sink.taskEnded(agentId, { success, summary: text })
      const uuid = `${agentId}~result`
      const payload = {
        task_id: agentId,
        completion_status: success ? 'completed' : 'failed',
        summary: text.slice(0, SUMMARY_CHARS_MAX).toWellFormed(),
        bytes: null,
        errors: [],
        tool_call_id: callId,
      }
      this.#emitter.emit({ type: 'subagent_result', uuid, prev: insert(uuid), payload })
    }
  }

  /** Those that have a file and are not in `done`, which then holds them. */
  #new<Call extends AgentCall>(calls: readonly Call[], done: Set<string>): Call[] {
    return calls.filter(({ agentId }) => {
      const isNew = this.#inFiles.has(agentId) && !done.has(agentId)
      if (isNew) done.add(agentId)
      return isNew
    })
  }
}

/** The client calls an agent successful, too, that ran out of time or turns. */
function hasReachedItsGoal(text: string): boolean {
  const reason = /^Termination Reason: (\w+)/m.exec(text)?.[1]
  return reason === undefined || reason === 'GOAL'
}
