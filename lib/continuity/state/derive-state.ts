// The state of a session, derived from its transcript and its latest checkpoint: for processes that
// record a single event, and for sessions that are resumed. The numbers are those that a process
// would have which had recorded all events itself.
//
// Only the transcript after that checkpoint is read, and only the events that count are parsed.

import { BranchBackward } from '../../chain/index.js'
import type { Environment, EnvironmentOverrides } from '../../environment/index.js'
import { copiedFromOf, fieldsOf } from '../../format/fields.js'
import { isOnChain, type SessionEvent } from '../../format/index.js'
import { type OpenLog, readLogBackwardSync, readLogSync } from '../../log/index.js'
import type { CheckpointRecord } from '../checkpoint-record.js'
import { nameOf } from '../session-ref.js'
import type { ContinuitySettings } from '../settings.js'
import {
  type ContinuityState,
  NOTHING_ROLLED,
  PROMPTS_MAX,
  promptOf,
  QUERIES_MAX,
  REMEMBERS_MAX,
  type RollingState,
  textOf,
} from './continuity.js'
import { percentOf } from './triggers.js'

export interface DeriveOptions {
  /**
   * As of this byte of the transcript.
   *
   * @default its end
   */
  to?: number | undefined
  /**
   * The session's newest checkpoint with a transcript offset, as it is stored.
   *
   * @default none
   */
  latest?: CheckpointLike | undefined
  /**
   * Only what came after this event.
   *
   * @default what came after `latest`
   */
  after?: string | undefined
  /**
   * The last committed boundary, for callers that know it.
   *
   * @default the newest one after the checkpoint, else the checkpoint's
   */
  cycle?: string | null | undefined
  /**
   * Replaces the file system, for tests and simulators.
   *
   * @default the system's
   */
  environment?: EnvironmentOverrides | undefined
  /**
   * Override the facts of the header.
   *
   * @default none
   */
  facts?: DeriveFacts | undefined
}

type Fact = 'sessionKey' | 'agentId' | 'harness' | 'project' | 'projectNormalized' | 'startedAt'
type DeriveFacts = { readonly [Key in Fact]?: ContinuityState[Key] | undefined }

/** A record from a file: fields that were added later are optional. */
export type CheckpointLike = Pick<CheckpointRecord, 'created_at' | 'total_prompt_count'> & {
  readonly [Key in 'cause' | 'transcript_offset' | 'cycle' | 'rolling']?:
    | CheckpointRecord[Key]
    | null
    | undefined
}

/**
 * Derives from a transcript what `createContinuity` would have collected in the process that
 * wrote it.
 */
export function deriveContinuity(
  transcript: string | OpenLog,
  options: DeriveOptions = {},
): ContinuityState {
  const { latest, environment } = options
  const header = readHeader(transcript, environment)
  const { forked_from } = fieldsOf(header?.payload)
  // Without an offset it is unknown what came after the checkpoint.
  const from = latest?.transcript_offset ?? undefined
  const tail = new ActivityTail(isByHooks(header))
  for (const entry of readLogBackwardSync(transcript, {
    environment,
    from,
    to: options.to,
    lazyPayloads: true,
  })) {
    if (entry.kind !== 'event') {
      tail.skipDamage()
      continue
    }
    const { uuid } = entry.event
    // What a fork copied belongs to its source.
    if (uuid === options.after || uuid === fieldsOf(forked_from)['at_uuid']) break
    tail.add(entry.event)
  }
  const cycle = options.cycle !== undefined ? options.cycle : (tail.cycle ?? latest?.cycle ?? null)
  const facts = readFacts(header, options.facts)
  return {
    ...facts,
    lastCheckpointAt: latest === undefined ? facts.startedAt : Date.parse(latest.created_at),
    promptCount: tail.promptCount,
    totalPromptCount: tail.promptCount + (from === undefined ? 0 : latest!.total_prompt_count),
    pendingQueries: tail.queries.toReversed(),
    pendingRemembers: tail.remembers.toReversed(),
    recentPrompts: tail.prompts.toReversed(),
    cycle,
    rolling: toRollingState(latest, cycle),
  }
}

/**
 * Whether a checkpoint may be due after a prompt, without a look at those that are stored: not while
 * the session is younger than the time interval and has fewer prompts than the prompt interval.
 */
export function mayCheckpointBeDue(
  transcript: string | OpenLog,
  { enabled, promptInterval, timeIntervalMs }: ContinuitySettings,
  env: Environment,
): boolean {
  if (!enabled) return false
  if (env.now() - startOf(readHeader(transcript, env)) >= timeIntervalMs) return true
  let prompts = 0
  for (const entry of readLogBackwardSync(transcript, { environment: env, lazyPayloads: true })) {
    if (entry.kind === 'event' && entry.event.type === 'user') prompts++
    if (prompts >= promptInterval) return true
  }
  return false
}

const COUNTED = ['user', 'memory_query', 'remember']

function keep(list: string[], text: string, most: number): void {
  if (list.length < most) list.push(text)
}

/** Collects the newest events while a transcript is read backward, newest first. */
class ActivityTail {
  promptCount = 0
  readonly prompts: string[] = []
  readonly queries: string[] = []
  readonly remembers: string[] = []
  cycle: string | undefined
  readonly #seen = new Set<string>()
  /** A boundary that is committed if the next older on-chain event is its summary. */
  #boundary: SessionEvent | undefined
  readonly #branch = new BranchBackward()
  readonly #isByHooks: boolean

  constructor(isByHooks: boolean) {
    this.#isByHooks = isByHooks
  }

  add(event: SessionEvent): void {
    const isOnBranch = this.#branch.takes(event)
    if (isOnChain(event)) this.#addLink(event)
    const { type, uuid } = event
    if (!COUNTED.includes(type) || this.#seen.has(uuid)) return
    // Hooks record a prompt again where the client has it in another place, and learn of a rewind late.
    if (this.#isByHooks && type === 'user' && !isOnBranch) return
    // A retried append may have written the event twice.
    this.#seen.add(uuid)
    // Parsed only here: most events do not count.
    const { payload } = event
    if (type === 'memory_query') keep(this.queries, textOf(payload), QUERIES_MAX)
    else if (type === 'remember') keep(this.remembers, textOf(payload), REMEMBERS_MAX)
    else {
      const prompt = promptOf(payload)
      // A copy was counted when it was said.
      if (prompt === undefined || copiedFromOf(payload) !== null) return
      this.promptCount++
      keep(this.prompts, prompt, PROMPTS_MAX)
    }
  }

  skipDamage(): void {
    this.#branch.forget()
  }

  #addLink(event: SessionEvent): void {
    if (this.cycle !== undefined) return
    const { summary_event_uuid } = fieldsOf(this.#boundary?.payload)
    if (event.type === 'summary' && event.uuid === summary_event_uuid) {
      this.cycle = this.#boundary!.uuid
    }
    this.#boundary = event.type === 'compaction_boundary' ? event : undefined
  }
}

function readHeader(
  log: string | OpenLog,
  environment: EnvironmentOverrides | undefined,
): SessionEvent | undefined {
  for (const entry of readLogSync(log, { environment })) {
    if (entry.kind === 'event') return entry.event
  }
  return undefined
}

function isByHooks(header: SessionEvent | undefined): boolean {
  return fieldsOf(fieldsOf(header?.payload)['lib'])['capture'] === 'hooks'
}

function readFacts(header: SessionEvent | undefined, given: DeriveFacts = {}) {
  const fields = fieldsOf(header?.type === 'session_header' ? header.payload : undefined)
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined)
  return {
    ...nameOf({
      sessionKey: given.sessionKey ?? text('session_id') ?? '',
      agentId: given.agentId ?? text('agent_id'),
    }),
    harness: given.harness ?? text('harness') ?? 'unknown',
    project: given.project ?? text('project') ?? null,
    projectNormalized: given.projectNormalized ?? text('project_normalized') ?? null,
    startedAt: given.startedAt ?? startOf(header),
  }
}

/** When a session began, by its first event; 0 when that is unknown. */
function startOf(first: SessionEvent | undefined): number {
  const { start_ts } = fieldsOf(first?.type === 'session_header' ? first.payload : undefined)
  const start = Date.parse(typeof start_ts === 'string' ? start_ts : (first?.ts ?? ''))
  return Number.isNaN(start) ? 0 : start
}

function toRollingState(latest: CheckpointLike | undefined, cycle: string | null): RollingState {
  if (latest === undefined) return NOTHING_ROLLED
  // A record of another writer without the field: assume that its thresholds were reached.
  const { total_prompt_count, percent } = latest.rolling ?? {
    total_prompt_count: latest.total_prompt_count,
    percent: percentOf(latest.cause),
  }
  const isSameCycle = (latest.cycle ?? null) === cycle
  return { totalPromptCount: total_prompt_count, percent: isSameCycle ? percent : null }
}
