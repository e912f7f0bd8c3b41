// Checkpoints that somebody asks for: an agent with what it has learnt, or a person with a few
// words. Each is one line, on the disk when the call returns, and sending it again stores nothing
// twice.

import { type Diagnostic, isOnChain, normalizeSessionKey } from '../format/index.js'
import { readLogBackwardSync, readLogSync } from '../log/index.js'
import {
  type AppendCheckpointOptions,
  type AppendedCheckpoint,
  appendCheckpoint,
  type CheckpointPayload,
  layoutOf,
  type NewCheckpoint,
  type PartKey,
  type StoreOptions,
} from '../store/index.js'
import { clipBytes } from './clip.js'
import { checkMemories, checkRunId, checkSummary, type Memory } from './context-input.js'
import { isDone } from './memories.js'
import { conflictsIn, memoryKeys, summaryKey } from './part-keys.js'
import { type RedactText, redactWords } from './served.js'
import { readOrigin } from './session-facts.js'

const DIGEST_BYTES_MAX = 16 * 1024

interface AskedCheckpointOptions
  extends Omit<AppendCheckpointOptions, 'unlessKeys' | 'unlessKnownMemories'> {
  sessionKey: string
  /** @default the project of the session's header */
  project?: string | undefined
  /** @default as the session's header names it, else 'unknown' */
  harness?: string | undefined
  /** Where the session stands, for hosts that count. */
  facts?: CheckpointPlace | undefined
  redact?: RedactText | undefined
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined
}

export type CheckpointPlace = Partial<
  Pick<
    NewCheckpoint,
    'prompt_count' | 'total_prompt_count' | 'transcript_offset' | 'last_uuid' | 'cycle'
  >
>

export interface ContextCheckpointOptions extends AskedCheckpointOptions {
  /** To brief whoever comes next: what was done, decided and left open. */
  sessionSummary: string
  /** At most 50. */
  memories?: readonly Memory[] | undefined
  /** Of this run of the agent: what it has stored under the same run is not stored again. */
  agentRunId?: string | undefined
  /**
   * Without a run id, leave out memories that the project holds in the same words.
   *
   * @default true
   */
  dedup?: boolean | undefined
}

export interface ContextCheckpoint {
  readonly id: string
  /** All of it was there, in the checkpoint of this id. */
  readonly duplicate?: true
  /** How many memories were stored. */
  readonly stored: number
  /** How many were there already. */
  readonly skipped: number
  /** Keys that were known with other content; both are kept. */
  readonly conflicts?: readonly string[]
}

export async function contextCheckpoint(
  options: ContextCheckpointOptions,
): Promise<ContextCheckpoint> {
  const { sessionSummary, memories = [], agentRunId, dedup = true, redact } = options
  checkSummary(sessionSummary, 'sessionSummary')
  checkMemories(memories)
  if (agentRunId !== undefined) checkRunId(agentRunId, 'agentRunId')
  const words = redactWords(
    { digest: sessionSummary, session_summary: sessionSummary, memories: [...memories] },
    redact,
  )
  const keys =
    agentRunId === undefined
      ? []
      : [...memoryKeys(agentRunId, words.memories), summaryKey(agentRunId, words.session_summary)]
  const checkpoint = newCheckpoint(options, {
    trigger: 'agent',
    cause: 'context_checkpoint',
    ...words,
    memories: words.memories.length > 0 ? words.memories : undefined,
    agent_run_id: agentRunId,
  })
  // A task that is done says the same as when it was open, and must still be told.
  const unlessKnownMemories = dedup && agentRunId === undefined && !memories.some(isDone)
  const appended = await appendCheckpoint(checkpoint, {
    ...options,
    unlessKeys: keys,
    unlessKnownMemories,
  })
  return resultOf(appended, memories.length, keys)
}

export interface CheckpointSessionOptions extends AskedCheckpointOptions {
  digest: string
  summary?: string | undefined
  /** The same words under the same run id are stored once. */
  runId?: string | undefined
  /** @default 'agent' with a run id, else 'explicit' */
  trigger?: 'agent' | 'explicit' | undefined
}

export type SessionCheckpoint = Pick<ContextCheckpoint, 'id' | 'duplicate' | 'conflicts'>

/** A checkpoint in somebody's own words. */
export async function checkpointSession(
  options: CheckpointSessionOptions,
): Promise<SessionCheckpoint> {
  const { digest, summary, runId, redact } = options
  checkSummary(digest, 'digest')
  if (summary !== undefined) checkSummary(summary, 'summary')
  if (runId !== undefined) checkRunId(runId, 'runId')
  const words = redactWords({ digest, session_summary: summary }, redact)
  const keys = runId === undefined ? [] : [summaryKey(runId, [words.digest, words.session_summary])]
  const { trigger = runId === undefined ? 'explicit' : 'agent' } = options
  const checkpoint = newCheckpoint(options, {
    trigger,
    cause: 'manual',
    ...words,
    agent_run_id: runId,
  })
  const appended = await appendCheckpoint(checkpoint, { ...options, unlessKeys: keys })
  const { stored: _, skipped: __, ...result } = resultOf(appended, 0, keys)
  return result
}

function newCheckpoint(
  options: AskedCheckpointOptions,
  words: Pick<NewCheckpoint, 'trigger' | 'cause' | 'digest'> & Partial<NewCheckpoint>,
): NewCheckpoint {
  const session_key = normalizeSessionKey(options.sessionKey)
  const origin = readOrigin(session_key, options)
  const digest = clipBytes(words.digest, DIGEST_BYTES_MAX)
  return {
    prompt_count: 0,
    last_uuid: readTip(session_key, options),
    ...options.facts,
    ...words,
    session_key,
    harness: options.harness ?? origin?.harness ?? 'unknown',
    project: options.project ?? origin?.project ?? null,
    digest,
    truncated: digest === words.digest ? undefined : true,
  }
}

/** The newest event on the chain: what the checkpoint speaks of ends there. */
export function readTip(sessionKey: string, options: StoreOptions): string | null {
  const path = layoutOf(options).transcriptPath(sessionKey)
  if (readOrigin(sessionKey, options) === undefined) return null
  for (const entry of readLogBackwardSync(path, { lazyPayloads: true })) {
    if (entry.kind === 'event' && isOnChain(entry.event)) return entry.event.uuid
  }
  return null
}

function resultOf(
  { id, duplicate, path, byte_offset }: AppendedCheckpoint,
  given: number,
  keys: readonly PartKey[],
): ContextCheckpoint {
  if (duplicate === true) return { id, duplicate, stored: 0, skipped: given }
  const stored = readStored(path, byte_offset, id)
  const kept = stored?.memories?.length ?? 0
  const conflicts = stored === undefined ? [] : conflictsIn(stored, keys)
  const result = { id, stored: kept, skipped: given - kept }
  return conflicts.length > 0 ? { ...result, conflicts } : result
}

/** What of it was new is known once it is written, under the lock; the line itself tells. */
function readStored(path: string, from: number, id: string): CheckpointPayload | undefined {
  for (const entry of readLogSync(path, { from })) {
    if (entry.kind !== 'event' || entry.event.uuid !== id) continue
    return entry.event.payload as CheckpointPayload
  }
  return undefined
}
