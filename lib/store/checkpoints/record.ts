// A new checkpoint: checked, completed, and with its fields in the documented order.

import { SessionError } from '../../errors.js'
import { normalizeSessionKey, type PayloadByType } from '../../format/index.js'
import type { StoreContext } from '../context.js'
import { normalizeProject } from '../projects/normalize-project.js'

/** The payload of a checkpoint, as it is on disk. */
export type CheckpointPayload = PayloadByType['checkpoint']

type Memory = NonNullable<CheckpointPayload['memories']>[number]

/** What a checkpoint says; what is left out is filled in. */
export interface NewCheckpoint {
  session_key: string
  trigger: CheckpointPayload['trigger']
  harness: string
  digest: string
  /** Prompts since the checkpoint before. */
  prompt_count: number
  /** @default prompt_count */
  total_prompt_count?: number | undefined
  /** Where the work was, as people spell it. */
  project?: string | null | undefined
  /** @default the project of the session's header, else of `project` */
  project_normalized?: string | null | undefined
  /** @default a new random uuid */
  id?: string | undefined
  /** @default now */
  created_at?: string | undefined
  /** @default the agent of the store */
  agent_id?: string | undefined
  cause?: CheckpointPayload['cause']
  memory_queries?: readonly string[] | undefined
  recent_remembers?: readonly string[] | undefined
  prompt_snippets?: readonly string[] | undefined
  transcript_offset?: CheckpointPayload['transcript_offset']
  last_uuid?: CheckpointPayload['last_uuid']
  cycle?: CheckpointPayload['cycle']
  rolling?: CheckpointPayload['rolling']
  structured?: CheckpointPayload['structured']
  session_summary?: CheckpointPayload['session_summary']
  memories?: readonly Memory[] | undefined
  agent_run_id?: CheckpointPayload['agent_run_id']
  truncated?: CheckpointPayload['truncated']
}

export interface CheckpointDefaults {
  readonly id: string
  readonly created_at: string
  readonly agent_id: string
  /** From the header of the session; `undefined` without a header. */
  readonly headerProject: string | null | undefined
}

const TRIGGERS: readonly string[] = [
  'periodic',
  'pre_compaction',
  'agent',
  'explicit',
  'session_end',
]

const LIST_LIMITS = {
  memory_queries: 20,
  recent_remembers: 10,
  prompt_snippets: 10,
  memories: 50,
} as const

export function checkpointPayload(
  store: StoreContext,
  checkpoint: NewCheckpoint,
  defaults: CheckpointDefaults,
): CheckpointPayload {
  checkFields(checkpoint)
  const { project = null, prompt_count } = checkpoint
  return {
    id: checkpoint.id ?? defaults.id,
    session_key: normalizeSessionKey(checkpoint.session_key),
    created_at: checkpoint.created_at ?? defaults.created_at,
    project_normalized: projectOf(store, checkpoint, defaults.headerProject),
    trigger: checkpoint.trigger,
    agent_id: checkpoint.agent_id ?? defaults.agent_id,
    harness: checkpoint.harness,
    project,
    prompt_count,
    total_prompt_count: checkpoint.total_prompt_count ?? prompt_count,
    digest: checkpoint.digest,
    cause: checkpoint.cause,
    memory_queries: listOf(checkpoint.memory_queries),
    recent_remembers: listOf(checkpoint.recent_remembers),
    prompt_snippets: listOf(checkpoint.prompt_snippets),
    transcript_offset: checkpoint.transcript_offset,
    last_uuid: checkpoint.last_uuid,
    cycle: checkpoint.cycle,
    rolling: checkpoint.rolling,
    structured: checkpoint.structured,
    session_summary: checkpoint.session_summary,
    memories: listOf(checkpoint.memories),
    agent_run_id: checkpoint.agent_run_id,
    truncated: checkpoint.truncated,
  }
}

function listOf<Item>(items: readonly Item[] | undefined): Item[] | undefined {
  return items && [...items]
}

/** All checkpoints of a session are in the shard of its header, wherever it works. */
function projectOf(
  store: StoreContext,
  { project_normalized, project }: NewCheckpoint,
  headerProject: string | null | undefined,
): string | null {
  if (project_normalized !== undefined) return project_normalized
  if (headerProject !== undefined) return headerProject
  return typeof project === 'string' ? normalizeProject(store, project) : null
}

function checkFields(checkpoint: NewCheckpoint): void {
  const { trigger, harness, digest, prompt_count, total_prompt_count = 0 } = checkpoint
  if (typeof harness !== 'string') throw new TypeError('harness must be a string')
  if (typeof digest !== 'string') throw new TypeError('digest must be a string')
  if (!TRIGGERS.includes(trigger)) {
    throw new SessionError(
      'ERR_ARG',
      `trigger must be one of ${TRIGGERS.join(', ')}, not "${trigger}"`,
    )
  }
  for (const count of [prompt_count, total_prompt_count]) {
    if (Number.isSafeInteger(count) && count >= 0) continue
    throw new SessionError(
      'ERR_ARG',
      `A count of prompts must be a non-negative integer, not ${count}`,
    )
  }
  for (const [name, limit] of Object.entries(LIST_LIMITS)) {
    const { length = 0 } = checkpoint[name as keyof typeof LIST_LIMITS] ?? []
    if (length <= limit) continue
    throw new SessionError('ERR_ARG', `${name} holds at most ${limit}, not ${length}`)
  }
}
