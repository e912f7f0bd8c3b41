// Checkpoints that a caller asks for: an agent with what it has learnt, or a person with a few
// words. Each is one line that is synced when the call returns. Sending it again stores nothing
// twice.

import { clipBytes, isOnChain, normalizeSessionKey } from '../../format/index.js'
import { readLogBackwardSync, readLogSync } from '../../log/index.js'
import {
  type AppendedCheckpoint,
  appendCheckpoint,
  type CheckpointPayload,
  listCheckpoints,
  type NewCheckpoint,
  type PartKey,
  type StoreContext,
} from '../../store/index.js'
import { type RedactText, redactByDefault, redactWords } from '../redact-words.js'
import { readOrigin } from '../state/session-origin.js'
import { checkMemories, checkRunId, checkText, type Memory } from './context-input.js'
import { isDone } from './memories.js'
import { conflictsIn, memoryKeys, summaryKey } from './part-keys.js'

const DIGEST_BYTES_MAX = 16 * 1024

interface AskedCheckpointOptions {
  sessionKey: string
  /**
   * Where the work is: a recovery of this project finds it.
   *
   * @default the project of the session's header
   */
  project?: string | undefined
  /** @default the harness in the session's header, else 'unknown' */
  harness?: string | undefined
  /** Counts and offsets of the session, for hosts that know them. */
  facts?: CheckpointPlace | undefined
  /** @default the default redaction rules */
  redact?: RedactText | undefined
}

export type CheckpointPlace = Partial<
  Pick<
    NewCheckpoint,
    'prompt_count' | 'total_prompt_count' | 'transcript_offset' | 'last_uuid' | 'cycle'
  >
>

export interface ContextCheckpointOptions extends AskedCheckpointOptions {
  /** A briefing for the next session: what was done, decided and left open. */
  sessionSummary: string
  /**
   * At most 50.
   *
   * @default []
   */
  memories?: readonly Memory[] | undefined
  /**
   * Of this run of the agent: what the same run has stored is not stored again.
   *
   * @default none
   */
  agentRunId?: string | undefined
  /**
   * Without a run id, leave out memories that the project holds in the same words.
   *
   * @default true
   */
  dedup?: boolean | undefined
  /**
   * Messages of the host to the agent; the first five are returned with the result.
   *
   * @default none
   */
  pendingMessages?: (() => readonly string[] | Promise<readonly string[]>) | undefined
}

export interface ContextCheckpoint {
  readonly id: string
  /** All of it is stored already, in the checkpoint of this id. */
  readonly duplicate?: true
  /** How many memories were stored. */
  readonly stored: number
  /** How many were stored before. */
  readonly skipped: number
  /** Keys that were known with other content; both are kept. */
  readonly conflicts?: readonly string[]
  /** What the host has for the agent; absent where the host passes no messages. */
  readonly pendingMessages?: readonly string[]
}

export async function contextCheckpoint(
  store: StoreContext,
  options: ContextCheckpointOptions,
): Promise<ContextCheckpoint> {
  const { sessionSummary, memories = [], agentRunId, dedup = true, redact } = options
  checkText(sessionSummary, 'sessionSummary')
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
  const checkpoint = newCheckpoint(store, options, {
    trigger: 'agent',
    cause: 'context_checkpoint',
    ...words,
    memories: words.memories.length > 0 ? words.memories : undefined,
    agent_run_id: agentRunId,
  })
  // A task that is done has the same words as when it was open, and must be stored all the same.
  const unlessKnownMemories = dedup && agentRunId === undefined && !memories.some(isDone)
  const appended = await appendCheckpoint(store, checkpoint, {
    namedProject: options.project,
    unlessKeys: keys,
    unlessKnownMemories,
  })
  const result = toResult(store, appended, memories.length, keys)
  if (options.pendingMessages === undefined) return result
  return { ...result, pendingMessages: await readMessages(options.pendingMessages, redact) }
}

const MESSAGES_MAX = 5

/** The first five messages of the host, redacted. */
export async function readMessages(
  pending: NonNullable<ContextCheckpointOptions['pendingMessages']>,
  redact: RedactText = redactByDefault,
): Promise<string[]> {
  return (await pending()).slice(0, MESSAGES_MAX).map((message) => redact(message).toWellFormed())
}

export interface CheckpointSessionOptions extends AskedCheckpointOptions {
  /** The text for the next session. */
  digest: string
  /**
   * A summary of the session, stored next to the digest.
   *
   * @default none
   */
  summary?: string | undefined
  /**
   * The same words under the same run id are stored once.
   *
   * @default none
   */
  runId?: string | undefined
  /**
   * Who asked for the checkpoint.
   *
   * @default 'agent' with a run id, else 'explicit'
   */
  trigger?: 'agent' | 'explicit' | undefined
}

export type SessionCheckpoint = Pick<ContextCheckpoint, 'id' | 'duplicate' | 'conflicts'>

/** A checkpoint in the caller's own words. */
export async function checkpointSession(
  store: StoreContext,
  options: CheckpointSessionOptions,
): Promise<SessionCheckpoint> {
  const { digest, summary, runId, redact } = options
  checkText(digest, 'digest')
  if (summary !== undefined) checkText(summary, 'summary')
  if (runId !== undefined) checkRunId(runId, 'runId')
  const words = redactWords({ digest, session_summary: summary }, redact)
  const keys = runId === undefined ? [] : [summaryKey(runId, [words.digest, words.session_summary])]
  const { trigger = runId === undefined ? 'explicit' : 'agent' } = options
  const given = { trigger, cause: 'manual', ...words, agent_run_id: runId }
  const checkpoint = newCheckpoint(store, options, given)
  const appended = await appendCheckpoint(store, checkpoint, {
    namedProject: options.project,
    unlessKeys: keys,
  })
  const { stored: _, skipped: __, ...result } = toResult(store, appended, 0, keys)
  return result
}

/** Whether an agent's checkpoint was stored since the newest message of the session. */
export function isCheckpointed(store: StoreContext, sessionKey: string): boolean {
  const session = normalizeSessionKey(sessionKey)
  const tip = readTip(store, session)
  if (tip === null) return false
  const { checkpoints } = listCheckpoints(store, { session })
  const asked = checkpoints.find(({ checkpoint }) => checkpoint.trigger === 'agent')
  return asked?.checkpoint.last_uuid === tip
}

function newCheckpoint(
  store: StoreContext,
  options: AskedCheckpointOptions,
  words: Pick<NewCheckpoint, 'trigger' | 'cause' | 'digest'> & Partial<NewCheckpoint>,
): NewCheckpoint {
  const session_key = normalizeSessionKey(options.sessionKey)
  const origin = readOrigin(store, session_key)
  const digest = clipBytes(words.digest, DIGEST_BYTES_MAX)
  return {
    prompt_count: 0,
    last_uuid: readTip(store, session_key),
    ...options.facts,
    ...words,
    session_key,
    harness: options.harness ?? origin?.harness ?? 'unknown',
    project: options.project ?? origin?.project ?? null,
    digest,
    truncated: digest === words.digest ? undefined : true,
  }
}

/** The newest event on the chain: the last one that the checkpoint covers. */
function readTip(store: StoreContext, sessionKey: string): string | null {
  if (readOrigin(store, sessionKey) === undefined) return null
  const path = store.layout.transcriptPath(sessionKey)
  for (const entry of readLogBackwardSync(path, { lazyPayloads: true, environment: store.env })) {
    if (entry.kind === 'event' && isOnChain(entry.event)) return entry.event.uuid
  }
  return null
}

function toResult(
  store: StoreContext,
  { id, duplicate, path, byteOffset }: AppendedCheckpoint,
  given: number,
  keys: readonly PartKey[],
): ContextCheckpoint {
  if (duplicate === true) return { id, duplicate, stored: 0, skipped: given }
  const stored = readStored(store, path, byteOffset, id)
  const kept = stored?.memories?.length ?? 0
  const conflicts = stored === undefined ? [] : conflictsIn(stored, keys)
  const result = { id, stored: kept, skipped: given - kept }
  return conflicts.length > 0 ? { ...result, conflicts } : result
}

/** Which parts were new was decided under the lock, so it is read from the line. */
function readStored(
  { env: environment }: StoreContext,
  path: string,
  from: number,
  id: string,
): CheckpointPayload | undefined {
  for (const entry of readLogSync(path, { from, environment })) {
    if (entry.kind !== 'event' || entry.event.uuid !== id) continue
    return entry.event.payload as CheckpointPayload
  }
  return undefined
}
