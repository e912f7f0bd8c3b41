// The state of a session, derived from its transcript and its latest checkpoint: for processes that
// live for one event only, and for sessions that go on after a restart. The numbers are those of a
// process that had been there all the time.
//
// Of the transcript only what came after that checkpoint is read, and of that only the events that
// count are parsed.

import { fieldsOf } from '../chain/index.js'
import { isOnChain, type SessionEvent } from '../format/index.js'
import { type LogEntry, readLogBackwardSync, readLogSync } from '../log/index.js'
import { promptOf, textOf } from './activity.js'
import type { CheckpointRecord } from './checkpoint-record.js'
import {
  type ContinuityState,
  NOTHING_ROLLED,
  PROMPTS_MAX,
  QUERIES_MAX,
  REMEMBERS_MAX,
  type RollingState,
} from './continuity-state.js'
import { nameOf } from './session-ref.js'
import { percentOf } from './triggers.js'

export interface DeriveOptions {
  /**
   * As of this byte of the transcript.
   *
   * @default its end
   */
  to?: number | undefined
  /**
   * The session's newest checkpoint that says where it stands, as it is stored; absent if it has
   * none.
   */
  latest?: CheckpointLike | undefined
  /**
   * Only what came after this event.
   *
   * @default what came after `latest`
   */
  after?: string | undefined
  /**
   * The last boundary that counts, for those who know it.
   *
   * @default the newest one after the checkpoint, else the checkpoint's
   */
  cycle?: string | null | undefined
  /** For what the header does not say, or when there is none. */
  facts?: DeriveFacts | undefined
}

type Fact = 'sessionKey' | 'agentId' | 'harness' | 'project' | 'projectNormalized' | 'startedAt'
type DeriveFacts = { readonly [Key in Fact]?: ContinuityState[Key] | undefined }

/** Records come from files: of the fields that are newer than the oldest record none is required. */
export type CheckpointLike = Pick<CheckpointRecord, 'created_at' | 'total_prompt_count'> & {
  readonly [Key in 'cause' | 'transcript_offset' | 'cycle' | 'rolling']?:
    | CheckpointRecord[Key]
    | null
    | undefined
}

export function deriveContinuity(path: string, options: DeriveOptions = {}): ContinuityState {
  const { latest } = options
  const header = readHeader(path)
  const { forked_from } = fieldsOf(header?.payload)
  // A checkpoint that does not say where it stands cannot tell what came after it.
  const from = latest?.transcript_offset ?? undefined
  const tail = new ActivityTail()
  for (const entry of readLogBackwardSync(path, { from, to: options.to, lazyPayloads: true })) {
    if (entry.kind === 'event' && entry.event.uuid === options.after) break
    // What a fork copied was said in its source.
    if (entry.kind === 'event' && entry.event.uuid === fieldsOf(forked_from)['at_uuid']) break
    tail.take(entry)
  }
  const cycle = options.cycle !== undefined ? options.cycle : (tail.cycle ?? latest?.cycle ?? null)
  const facts = factsOf(header, options.facts)
  return {
    ...facts,
    lastCheckpointAt: latest === undefined ? facts.startedAt : Date.parse(latest.created_at),
    promptCount: tail.promptCount,
    totalPromptCount: tail.promptCount + (from === undefined ? 0 : latest!.total_prompt_count),
    pendingQueries: tail.queries.toReversed(),
    pendingRemembers: tail.remembers.toReversed(),
    recentPrompts: tail.prompts.toReversed(),
    cycle,
    rolling: rollingOf(latest, cycle),
  }
}

/** Goes back through a transcript and keeps the newest of everything, newest first. */
class ActivityTail {
  promptCount = 0
  readonly prompts: string[] = []
  readonly queries: string[] = []
  readonly remembers: string[] = []
  cycle: string | undefined
  readonly #seen = new Set<string>()
  /** A boundary that counts if the next older event of the chain is its summary. */
  #boundary: SessionEvent | undefined

  take(entry: LogEntry): void {
    if (entry.kind !== 'event') return
    const { event } = entry
    if (isOnChain(event)) this.#takeLink(event)
    if (event.type === 'user') this.#takePrompt(event)
    else if (event.type === 'memory_query') this.#keep(event, this.queries, QUERIES_MAX)
    else if (event.type === 'remember') this.#keep(event, this.remembers, REMEMBERS_MAX)
  }

  #takePrompt(event: SessionEvent): void {
    const prompt = this.#isNew(event) ? promptOf(event.payload) : undefined
    if (prompt === undefined) return
    this.promptCount++
    if (this.prompts.length < PROMPTS_MAX) this.prompts.push(prompt)
  }

  #keep(event: SessionEvent, list: string[], most: number): void {
    if (this.#isNew(event) && list.length < most) list.push(textOf(event.payload))
  }

  #takeLink(event: SessionEvent): void {
    if (this.cycle !== undefined) return
    const { summary_event_uuid } = fieldsOf(this.#boundary?.payload)
    if (event.type === 'summary' && event.uuid === summary_event_uuid) {
      this.cycle = this.#boundary!.uuid
    }
    this.#boundary = event.type === 'compaction_boundary' ? event : undefined
  }

  // A retried append may stand there twice; it was said once.
  #isNew({ uuid }: SessionEvent): boolean {
    const isNew = !this.#seen.has(uuid)
    this.#seen.add(uuid)
    return isNew
  }
}

function readHeader(path: string): SessionEvent | undefined {
  for (const entry of readLogSync(path)) {
    if (entry.kind === 'event') return entry.event
  }
  return undefined
}

function factsOf(header: SessionEvent | undefined, given: DeriveFacts = {}) {
  const fields = fieldsOf(header?.type === 'session_header' ? header.payload : undefined)
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined)
  const start = Date.parse(text('start_ts') ?? header?.ts ?? '')
  return {
    ...nameOf({
      sessionKey: given.sessionKey ?? text('session_id') ?? '',
      agentId: given.agentId ?? text('agent_id'),
    }),
    harness: given.harness ?? text('harness') ?? 'unknown',
    project: given.project ?? text('project') ?? null,
    projectNormalized: given.projectNormalized ?? text('project_normalized') ?? null,
    startedAt: given.startedAt ?? (Number.isNaN(start) ? 0 : start),
  }
}

function rollingOf(latest: CheckpointLike | undefined, cycle: string | null): RollingState {
  if (latest === undefined) return NOTHING_ROLLED
  // Without the field, somebody else's record: rather one checkpoint too few than one per restart.
  const { total_prompt_count, percent } = latest.rolling ?? {
    total_prompt_count: latest.total_prompt_count,
    percent: percentOf(latest.cause),
  }
  const isSameCycle = (latest.cycle ?? null) === cycle
  return { totalPromptCount: total_prompt_count, percent: isSameCycle ? percent : null }
}
