// What a subagent is told to do, and the three events that say so: the spawn in its parent's log,
// the header and the prompt in its own.

import { createHash } from 'node:crypto'
import { SessionError } from '../errors.js'
import { FORMAT_VERSION, normalizeSessionKey, type PayloadByType } from '../format/index.js'
import type { NewEvent } from '../log/index.js'

type Content = PayloadByType['user']['content']

/** Subagents of subagents, and no further: whoever delegates deeper has lost sight of the task. */
const DEPTH_MAX = 2

export interface SpawnOptions {
  /** What it is told to do: the first event of its log. */
  prompt: Content
  /**
   * Names the task, and the file.
   *
   * @default a new random uuid
   */
  task_id?: string | undefined
  agent_type?: string | undefined
  /** The tool call that asked for it: then the tool's result speaks to the model, not the summary. */
  tool_call_id?: string | undefined
  /**
   * How far from the session; 2 at most.
   *
   * @default one more than the parent's
   */
  depth?: number | undefined
}

/** A task for a subagent of another process. Plain JSON: it can be sent there. */
export interface SubagentTask {
  readonly task_id: string
  readonly session_id: string
  /** The `subagent_spawn` event in the log of its parent; `null` where nobody wrote one. */
  readonly parent_uuid: string | null
  readonly depth: number
  readonly prompt: Content
  /** Of the subagent that spawned this one. */
  readonly parent_task_id?: string | undefined
  readonly agent_type?: string | undefined
  readonly tool_call_id?: string | undefined
}

export interface Spawner {
  readonly session_id: string
  readonly depth: number
  readonly task_id?: string | undefined
  newUuid(): string
}

export function newTask(options: SpawnOptions, spawner: Spawner): SubagentTask {
  const depth = options.depth ?? spawner.depth + 1
  if (Number.isSafeInteger(depth) && depth <= spawner.depth) {
    throw new SessionError('ERR_ARG', `A child of depth ${spawner.depth} cannot have ${depth}`)
  }
  return checkedTask({
    task_id: options.task_id ?? spawner.newUuid(),
    session_id: spawner.session_id,
    parent_uuid: spawner.newUuid(),
    depth,
    prompt: options.prompt,
    parent_task_id: spawner.task_id,
    agent_type: options.agent_type,
    tool_call_id: options.tool_call_id,
  })
}

/** Also for one that came from another process. */
export function checkedTask(task: SubagentTask): SubagentTask {
  const { depth, prompt, parent_uuid } = task
  if (!Number.isSafeInteger(depth) || depth < 1) {
    throw new SessionError('ERR_ARG', `The depth of a subagent is a whole number from 1`, { depth })
  }
  if (depth > DEPTH_MAX) {
    const what = `A subagent of depth ${depth} would be more than ${DEPTH_MAX} away from its session`
    throw new SessionError('ERR_SPAWN_DEPTH', what, { depth, depthMax: DEPTH_MAX })
  }
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) {
    throw new TypeError('The prompt of a subagent is a string or an array of blocks')
  }
  if (typeof prompt === 'string' ? prompt.trim() === '' : prompt.length === 0) {
    throw new SessionError('ERR_ARG', 'A subagent must be told what to do: its prompt is empty')
  }
  if (parent_uuid !== null && typeof parent_uuid !== 'string') {
    throw new TypeError('parent_uuid is the uuid of the spawn event, or null')
  }
  return {
    ...task,
    task_id: normalizeSessionKey(task.task_id, 'A task id'),
    session_id: normalizeSessionKey(task.session_id),
  }
}

export function spawnEvent(task: SubagentTask, sidechainPath: string): NewEvent {
  const { task_id, parent_uuid, agent_type, tool_call_id, prompt } = task
  const text = typeof prompt === 'string' ? prompt : JSON.stringify(prompt)
  return {
    type: 'subagent_spawn',
    uuid: parent_uuid ?? undefined,
    payload: {
      task_id,
      sidechain_path: sidechainPath,
      agent_type,
      spec_sha256: createHash('sha256').update(text).digest('hex'),
      tool_call_id,
    },
  }
}

/** The first two lines of its log, written as one: nobody finds it without its prompt. */
export function openingEvents(task: SubagentTask, startTs: string): NewEvent[] {
  const { task_id, session_id, parent_uuid, depth, parent_task_id, agent_type, prompt } = task
  const header = {
    format: FORMAT_VERSION,
    task_id,
    parent_session_id: session_id,
    parent_uuid,
    depth,
    start_ts: startTs,
    parent_task_id,
    agent_type,
    tool_call_id: task.tool_call_id,
  }
  return [
    { type: 'sidechain_header', payload: header },
    { type: 'user', payload: { content: prompt, source: 'spawn' } },
  ]
}
