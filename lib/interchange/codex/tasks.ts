// Subagents of Codex have files of their own; the rollout of their parent records that they began.

import type { Emitter } from '../import/emitter.js'
import { fieldsOf, known, listOf, textOf } from '../import/fields.js'
import type { ForeignValue } from '../import/importer.js'

const SPAWN = 'spawn_agent'

interface Agent {
  readonly taskId: string
  readonly agentType?: string | undefined
  readonly toolCallId?: string | undefined
}

/** The subagents that a call started, by the event at its end; older versions have no such event. */
export function findAgents(type: string, { item }: ForeignValue): Agent[] {
  const { type: kind, tool, id, receiver_thread_ids, receiver_agents } = fieldsOf(item)
  if (type !== 'item_completed' || kind !== 'CollabAgentToolCall' || tool !== SPAWN) return []
  const agents = listOf(receiver_agents).map(fieldsOf)
  return listOf(receiver_thread_ids).flatMap((thread) => {
    const taskId = textOf(thread)
    const agent = agents.find(({ thread_id }) => thread_id === taskId)
    const agentType = textOf(agent?.['agent_role'])
    return taskId === undefined ? [] : { taskId, agentType, toolCallId: textOf(id) }
  })
}

export class CodexTasks {
  readonly #emitter: Emitter
  readonly #spawned = new Set<string>()
  readonly #openCalls = new Map<string, string | undefined>()

  constructor(emitter: Emitter) {
    this.#emitter = emitter
  }

  addCall({ tool_call_id, name, input }: ForeignValue): void {
    if (name !== SPAWN) return
    this.#openCalls.set(String(tool_call_id), textOf(fieldsOf(input)['agent_type']))
  }

  /** A result may name the subagent that its call started. */
  addResult({ tool_call_id, content }: ForeignValue, prev: string): string {
    const toolCallId = String(tool_call_id)
    if (!this.#openCalls.has(toolCallId)) return prev
    const agentType = this.#openCalls.get(toolCallId)
    this.#openCalls.delete(toolCallId)
    const [, taskId] = /"agent_id":\s*"([^"\\]+)"/.exec(String(content)) ?? []
    return taskId === undefined ? prev : this.spawn([{ taskId, agentType, toolCallId }], prev)
  }

  /** Emits the beginnings of subagents after `prev`; returns the last event. */
  spawn(agents: readonly Agent[], prev: string): string {
    let tip = prev
    for (const { taskId, agentType, toolCallId } of agents) {
      if (this.#spawned.has(taskId)) continue
      this.#spawned.add(taskId)
      const uuid = `${this.#emitter.uuidOf()}~spawn-${taskId}`
      const payload = known({ task_id: taskId, agent_type: agentType, tool_call_id: toolCallId })
      this.#emitter.emit({ type: 'subagent_spawn', uuid, prev: tip, payload })
      this.#emitter.sink.task({ taskId, spawnUuid: uuid, agentType, toolCallId })
      tip = uuid
    }
    return tip
  }
}
