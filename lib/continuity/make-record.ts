// What was gathered becomes a record: redacted, cut to size, put into words.

import type {
  CheckpointRecord,
  CheckpointTrigger,
  StoredMemory,
  StoredSummary,
} from './checkpoint-record.js'
import { clip, clipBytes, oneLine } from './clip.js'
import type { ConsumedState, RollingState } from './continuity-state.js'
import {
  type DigestFacts,
  periodicDigest,
  preCompactionDigest,
  sessionEndDigest,
  structuredDigest,
} from './digest.js'

const SNIPPET_CHARS_MAX = 200
const QUERY_CHARS_MAX = 200
// A line must stay writable whatever somebody remembers; the whole text is in the transcript.
const REMEMBER_CHARS_MAX = 2000
const TEXT_BYTES_MAX = 16 * 1024
// A secret may be cut in two by clipping, and then no rule knows it. So texts are redacted first,
// and of a huge one only so much, because only its beginning is kept.
const REDACTED_CHARS = 16 * 1024

/** Where a session stands when a checkpoint of it is made. Only its host knows. */
export interface CheckpointFacts {
  /** All that was recorded so far stands before this byte of the transcript, and nothing later. */
  readonly transcript_offset: number | null
  readonly last_uuid: string | null
  /** The folder of the work, where it is no longer the one the session began in. */
  readonly project?: string | undefined
  readonly topReferences?: readonly string[] | undefined
}

export interface CheckpointRequest {
  readonly trigger: CheckpointTrigger
  readonly cause: string
  readonly facts: CheckpointFacts
  /** In place of a digest of what was gathered: an agent's own words. */
  readonly text?: string | undefined
  /** Before a compaction: what the host knows of the work under way. */
  readonly sessionContext?: string | undefined
  readonly structured?: StoredSummary | undefined
  readonly sessionSummary?: string | undefined
  readonly memories?: readonly StoredMemory[] | undefined
  readonly agentRunId?: string | undefined
  readonly idempotencyKeys?: readonly string[] | undefined
}

/** Takes secrets out of a text, or of every text in a value. */
export type Redact = <Value>(value: Value) => Value

export interface RecordContext {
  readonly id: string
  readonly redact: Redact
}

export function checkpointRecord(
  state: ConsumedState,
  request: CheckpointRequest,
  { id, redact }: RecordContext,
): CheckpointRecord {
  const { trigger, cause, facts } = request
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
    created_at: new Date(state.consumedAt).toISOString(),
    trigger,
    cause,
    agent_id: state.agentId,
    harness: state.harness,
    project,
    ...digestOf(request, digestFacts, structured, redact),
    prompt_count: promptCount,
    total_prompt_count: totalPromptCount,
    memory_queries: activity.queries,
    recent_remembers: activity.remembers,
    prompt_snippets: activity.snippets,
    transcript_offset: facts.transcript_offset,
    last_uuid: facts.last_uuid,
    cycle: state.cycle,
    rolling: rollingOf(state.rolling),
    ...(structured !== undefined && { structured }),
    ...agentFields(request, redact),
  }
}

function agentFields(request: CheckpointRequest, redact: Redact): Partial<CheckpointRecord> {
  const { sessionSummary, memories, agentRunId, idempotencyKeys } = request
  return {
    ...(sessionSummary !== undefined && { session_summary: redact(sessionSummary) }),
    ...(memories !== undefined && { memories: redact(memories) }),
    ...(agentRunId !== undefined && { agent_run_id: agentRunId }),
    ...(idempotencyKeys !== undefined && { idempotency_keys: idempotencyKeys }),
  }
}

function digestOf(
  { trigger, text, sessionContext, sessionSummary }: CheckpointRequest,
  facts: DigestFacts,
  structured: StoredSummary | undefined,
  redact: Redact,
): { digest: string; truncated?: true } {
  const words = text ?? (trigger === 'agent' ? sessionSummary : undefined)
  if (words !== undefined) return clipped(redact(words), (kept) => kept)
  if (structured !== undefined) return clipped(structuredDigest(structured), (kept) => kept)
  if (trigger === 'session_end') return { digest: sessionEndDigest(facts) }
  if (trigger !== 'pre_compaction') return { digest: periodicDigest(facts) }
  return clipped(redact(sessionContext ?? ''), (kept) => preCompactionDigest(facts, kept))
}

function clipped(text: string, digestOf: (kept: string) => string) {
  const kept = clipBytes(text, TEXT_BYTES_MAX)
  const digest = digestOf(kept)
  return kept === text ? { digest } : { digest, truncated: true as const }
}

function redactSummary(
  structured: StoredSummary | undefined,
  redact: Redact,
): StoredSummary | undefined {
  if (structured === undefined) return undefined
  const { summary, topics, keyDecisions, openQuestions } = structured
  return { ...structured, ...redact({ summary, topics, keyDecisions, openQuestions }) }
}

function rollingOf({ totalPromptCount, percent }: RollingState): CheckpointRecord['rolling'] {
  return { total_prompt_count: totalPromptCount, percent }
}
