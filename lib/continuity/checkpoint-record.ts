// The payload of a `checkpoint` line as a session writes it. Two that wait for the disk may be merged.

import type { StructuredSummary } from './checkpoints/digest.js'
import { PROMPTS_MAX, QUERIES_MAX, REMEMBERS_MAX } from './state/continuity.js'

export type CheckpointTrigger = 'periodic' | 'pre_compaction' | 'agent' | 'explicit' | 'session_end'

/** As on disk. Lookups use the first five fields, which are first in the line. */
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
  /** The text was longer. */
  readonly truncated?: true | undefined
  /** Since the checkpoint before. */
  readonly prompt_count: number
  readonly total_prompt_count: number
  readonly memory_queries: readonly string[]
  readonly recent_remembers: readonly string[]
  readonly prompt_snippets: readonly string[]
  /** Everything before this byte of the transcript is counted. */
  readonly transcript_offset: number | null
  /** The newest event that the digest covers. */
  readonly last_uuid: string | null
  readonly cycle: string | null
  /** The thresholds that were reached, so that a later process does not trigger them again. */
  readonly rolling: { readonly total_prompt_count: number; readonly percent: number | null }
  readonly structured?: StoredSummary | undefined
  readonly session_summary?: string | undefined
  readonly agent_run_id?: string | undefined
}

export interface StoredSummary extends StructuredSummary {
  readonly tokensAtCheckpoint: number
  readonly messageCount?: number | undefined
  readonly model?: string | undefined
}

/** The later record, with the lists and counts of both. */
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
 * Whether a merge loses nothing: a passive checkpoint holds only lists and numbers, and one that is
 * tried again has the same text.
 */
export function canMerge(earlier: CheckpointRecord, later: CheckpointRecord): boolean {
  if (earlier.trigger === 'periodic') {
    const isGathered = later.trigger === 'periodic' || later.trigger === 'pre_compaction'
    return isGathered && (earlier.structured === undefined || later.structured !== undefined)
  }
  return earlier.trigger === later.trigger && earlier.digest === later.digest
}
