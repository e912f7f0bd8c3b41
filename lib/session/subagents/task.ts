// The task of a subagent, and the three events that record it: the spawn in its parent's log, the
// header and the prompt in its own.

import { createHash } from 'node:crypto'
import { SessionError } from '../../errors.js'
import { type ContentInput, FORMAT_VERSION, normalizeSessionKey } from '../../format/index.js'
import type { NewEvent } from '../../log/index.js'

type Content = ContentInput

/** Subagents of subagents, and no further. */
const DEPTH_MAX = 2

/** The task of a subagent. */
export interface SpawnOptions {
  /** Its instructions: the first event of its log. */
  prompt: Content
  /**
   * Names the task, and the file.
   *
   * @default a new random uuid
   */
  taskId?: string | undefined
  /**
   * The kind of subagent, as the harness names it.
   *
   * @default none
   */
  agentType?: string | undefined
  /**
   * The tool call that asked for it: the model then sees the tool's result, not the summary.
   *
   * @default none
   */
  toolCallId?: string | undefined
  /**
   * How far from the session; 2 at most.
   *
   * @default one more than the parent's
   */
  depth?: number | undefined
}

/** A task for a subagent of another process. Plain JSON: it can be sent there. */
export interface SubagentTask {
  readonly taskId: string
  readonly sessionId: string
  /** The `subagent_spawn` event in the log of its parent; `null` if there is none. */
  readonly parentUuid: string | null
  readonly depth: number
  readonly prompt: Content
  /** Of the subagent that spawned this one. */
  readonly parentTaskId?: string | undefined
  readonly agentType?: string | undefined
  readonly toolCallId?: string | undefined
}

export interface Spawner {
  readonly sessionId: string
  readonly depth: number
  readonly taskId?: string | undefined
  newUuid(): string
}

export function newTask(options: SpawnOptions, spawner: Spawner): SubagentTask {
  const { prompt, agentType, toolCallId, depth = spawner.depth + 1 } = options
  if (Number.isSafeInteger(depth) && depth <= spawner.depth) {
    throw new SessionError(
      'ERR_ARG',
      `depth must be more than ${spawner.depth}, the depth of the spawner, not ${depth}`,
    )
  }
  return normalizeTask({
    taskId: options.taskId ?? spawner.newUuid(),
    sessionId: spawner.sessionId,
    parentUuid: spawner.newUuid(),
    depth,
    prompt,
    parentTaskId: spawner.taskId,
    agentType,
    toolCallId,
  })
}

/** Also for a task from another process. */
export function normalizeTask(task: SubagentTask): SubagentTask {
  const { depth, prompt, parentUuid } = task
  if (!Number.isSafeInteger(depth) || depth < 1) {
    throw new SessionError('ERR_ARG', `The depth of a subagent must be a positive integer`, {
      depth,
    })
  }
  if (depth > DEPTH_MAX) {
    const what = `A subagent of depth ${depth} is more than ${DEPTH_MAX} away from its session`
    throw new SessionError('ERR_SPAWN_DEPTH', what, { depth, depthMax: DEPTH_MAX })
  }
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) {
    throw new TypeError('The prompt of a subagent must be a string or an array of blocks')
  }
  if (typeof prompt === 'string' ? prompt.trim() === '' : prompt.length === 0) {
    throw new SessionError('ERR_ARG', 'The prompt of a subagent must not be empty')
  }
  if (parentUuid !== null && typeof parentUuid !== 'string') {
    throw new TypeError('parentUuid must be the uuid of the spawn event, or null')
  }
  return {
    ...task,
    taskId: normalizeSessionKey(task.taskId, 'A task id'),
    sessionId: normalizeSessionKey(task.sessionId),
  }
}

export function spawnEvent(task: SubagentTask, sidechainPath: string): NewEvent {
  const { taskId, parentUuid, agentType, toolCallId, prompt } = task
  const text = typeof prompt === 'string' ? prompt : JSON.stringify(prompt)
  return {
    type: 'subagent_spawn',
    uuid: parentUuid ?? undefined,
    payload: {
      task_id: taskId,
      sidechain_path: sidechainPath,
      agent_type: agentType,
      spec_sha256: createHash('sha256').update(text).digest('hex'),
      tool_call_id: toolCallId,
    },
  }
}

/** The first two lines of its log, written in one call: a reader never finds it without its prompt. */
export function openingEvents(task: SubagentTask, startTs: string): NewEvent[] {
  const header = {
    format: FORMAT_VERSION,
    task_id: task.taskId,
    parent_session_id: task.sessionId,
    parent_uuid: task.parentUuid,
    depth: task.depth,
    start_ts: startTs,
    parent_task_id: task.parentTaskId,
    agent_type: task.agentType,
    tool_call_id: task.toolCallId,
  }
  return [
    { type: 'sidechain_header', payload: header },
    { type: 'user', payload: { content: task.prompt, source: 'spawn' } },
  ]
}
