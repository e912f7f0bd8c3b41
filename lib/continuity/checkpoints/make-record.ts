// Makes a record of what was gathered: redacted, cut to size, with a digest.

import { textOfStructured } from '../../compaction/index.js'
import { toIso } from '../../environment/index.js'
import { clip, clipBytes, oneLine } from '../../format/index.js'
import type { CheckpointRecord, CheckpointTrigger, StoredSummary } from '../checkpoint-record.js'
import type { ConsumedState } from '../state/continuity.js'
import { type DigestFacts, gatheredDigest } from './digest.js'

const SNIPPET_CHARS_MAX = 200
const QUERY_CHARS_MAX = 200
// A line must stay writable; the whole text is in the transcript.
const REMEMBER_CHARS_MAX = 2000
const TEXT_BYTES_MAX = 16 * 1024
// Texts are redacted before they are cut, because no rule recognizes half a secret. Of a huge text
// only this much, because only its start is kept.
const REDACTED_CHARS = 16 * 1024

/** The position of a session when a checkpoint of it is made, which only its host knows. */
export interface CheckpointFacts {
  /** Exactly what was recorded so far is before this byte of the transcript. */
  readonly transcript_offset: number | null
  readonly last_uuid: string | null
  /** The folder of the work, where it is not that of the session's start. */
  readonly project?: string | undefined
  readonly topReferences?: readonly string[] | undefined
}

export interface CheckpointRequest {
  readonly trigger: CheckpointTrigger
  readonly cause: string
  readonly facts: CheckpointFacts
  /** An agent's own words, instead of a digest of what was gathered. */
  readonly text?: string | undefined
  /** Before a compaction: what the host knows about the current work. */
  readonly sessionContext?: string | undefined
  readonly structured?: StoredSummary | undefined
  readonly sessionSummary?: string | undefined
  readonly agentRunId?: string | undefined
}

/** Replaces secrets in a text, or in every text of a value. */
export type Redact = <Value>(value: Value) => Value

export function checkpointRecord(
  state: ConsumedState,
  request: CheckpointRequest,
  { id, redact }: { readonly id: string; readonly redact: Redact },
): CheckpointRecord {
  const { trigger, cause, facts, sessionSummary, agentRunId } = request
  const lines = (texts: readonly string[], chars: number) =>
    texts.map((text) => clip(oneLine(redact(text.slice(0, REDACTED_CHARS))), chars)).filter(Boolean)
  const project = facts.project ?? state.project
  const activity = {
    snippets: lines(state.recentPrompts, SNIPPET_CHARS_MAX),
    queries: lines(state.pendingQueries, QUERY_CHARS_MAX),
    remembers: lines(state.pendingRemembers, REMEMBER_CHARS_MAX),
    topReferences: lines(facts.topReferences ?? [], QUERY_CHARS_MAX),
  }
  const structured = redactSummary(request.structured, redact)
  const { promptCount, totalPromptCount } = state
  const digestFacts: DigestFacts = {
    ...activity,
    project,
    promptCount,
    totalPromptCount,
    durationMs: state.consumedAt - state.startedAt,
  }
  return {
    id,
    session_key: state.sessionKey,
    project_normalized: state.projectNormalized,
    created_at: toIso(state.consumedAt),
    trigger,
    cause,
    agent_id: state.agentId,
    harness: state.harness,
    project,
    ...makeDigest(request, digestFacts, structured, redact),
    prompt_count: promptCount,
    total_prompt_count: totalPromptCount,
    memory_queries: activity.queries,
    recent_remembers: activity.remembers,
    prompt_snippets: activity.snippets,
    transcript_offset: facts.transcript_offset,
    last_uuid: facts.last_uuid,
    cycle: state.cycle,
    rolling: { total_prompt_count: state.rolling.totalPromptCount, percent: state.rolling.percent },
    ...(structured !== undefined && { structured }),
    ...(sessionSummary !== undefined && { session_summary: redact(sessionSummary) }),
    ...(agentRunId !== undefined && { agent_run_id: agentRunId }),
  }
}

function makeDigest(
  { trigger, text, sessionContext, sessionSummary }: CheckpointRequest,
  facts: DigestFacts,
  structured: StoredSummary | undefined,
  redact: Redact,
): { digest: string; truncated?: true } {
  const words = text ?? (trigger === 'agent' ? sessionSummary : undefined)
  if (words !== undefined) return clipped(redact(words), (kept) => kept)
  if (structured !== undefined) return clipped(textOfStructured(structured), (kept) => kept)
  if (trigger !== 'pre_compaction') return { digest: gatheredDigest(trigger, facts) }
  return clipped(redact(sessionContext ?? ''), (kept) => gatheredDigest(trigger, facts, kept))
}

function clipped(text: string, toDigest: (kept: string) => string) {
  const kept = clipBytes(text, TEXT_BYTES_MAX)
  const digest = toDigest(kept)
  return kept === text ? { digest } : { digest, truncated: true as const }
}

function redactSummary(
  structured: StoredSummary | undefined,
  redact: Redact,
): StoredSummary | undefined {
  if (structured === undefined) return undefined
  const { tokensAtCheckpoint, messageCount, model, ...words } = structured
  return { ...structured, ...redact(words) }
}
