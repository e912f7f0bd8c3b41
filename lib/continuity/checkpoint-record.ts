// One checkpoint as it is stored: the payload of a `checkpoint` line. Two that wait
// for the disk together can become one.

import { PROMPTS_MAX, QUERIES_MAX, REMEMBERS_MAX } from './continuity-state.js'
import type { StructuredSummary } from './digest.js'

export type CheckpointTrigger = 'periodic' | 'pre_compaction' | 'agent' | 'explicit' | 'session_end'

/** As on disk. The first five are what lookups go by, and stand first in the line. */
export interface CheckpointRecord {
  readonly id: string
  readonly session_key: string
  readonly project_normalized: string | null
  readonly created_at: string
  readonly trigger: CheckpointTrigger
  readonly cause: string
  readonly agent_id: string
  readonly harness: string
  readonly project: string | null
  readonly digest: string
  /** The text was longer; it is in the transcript, or with whoever wrote it. */
  readonly truncated?: true | undefined
  /** Since the checkpoint before. */
  readonly prompt_count: number
  readonly total_prompt_count: number
  readonly memory_queries: readonly string[]
  readonly recent_remembers: readonly string[]
  readonly prompt_snippets: readonly string[]
  /** Everything before this byte of the transcript is counted. */
  readonly transcript_offset: number | null
  /** The newest event the digest speaks of. */
  readonly last_uuid: string | null
  readonly cycle: string | null
  /** What of the rolling triggers has fired, so that a later process knows by this line alone. */
  readonly rolling: { readonly total_prompt_count: number; readonly percent: number | null }
  readonly structured?: StoredSummary | undefined
  readonly session_summary?: string | undefined
  readonly memories?: readonly StoredMemory[] | undefined
  readonly agent_run_id?: string | undefined
  readonly idempotency_keys?: readonly string[] | undefined
}

export interface StoredSummary extends StructuredSummary {
  readonly tokensAtCheckpoint: number
  readonly messageCount?: number | undefined
  readonly model?: string | undefined
}

export interface StoredMemory {
  readonly content: string
  readonly [field: string]: unknown
}

/** The later one, with what both have gathered. */
export function mergeRecords(earlier: CheckpointRecord, later: CheckpointRecord): CheckpointRecord {
  const joined = (
    list: 'memory_queries' | 'recent_remembers' | 'prompt_snippets',
    most: number,
  ): readonly string[] => [...earlier[list], ...later[list]].slice(-most)
  return {
    ...later,
    prompt_count: earlier.prompt_count + later.prompt_count,
    memory_queries: joined('memory_queries', QUERIES_MAX),
    recent_remembers: joined('recent_remembers', REMEMBERS_MAX),
    prompt_snippets: joined('prompt_snippets', PROMPTS_MAX),
  }
}

/**
 * Whether nothing is lost when the earlier one goes into the later: only lists and numbers stand in
 * a passive checkpoint, and one that is tried again says the same.
 */
export function canMerge(earlier: CheckpointRecord, later: CheckpointRecord): boolean {
  if (earlier.trigger === 'periodic') {
    const isGathered = later.trigger === 'periodic' || later.trigger === 'pre_compaction'
    return isGathered && (earlier.structured === undefined || later.structured !== undefined)
  }
  return (
    earlier.trigger === later.trigger &&
    earlier.digest === later.digest &&
    earlier.memories === undefined
  )
}
