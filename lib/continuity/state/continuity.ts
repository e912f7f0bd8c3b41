// The states of the sessions of this process, in memory only: the same numbers can be derived from
// the log.

import { fieldsOf } from '../../chain/index.js'
import {
  type Environment,
  type EnvironmentOverrides,
  environmentFrom,
} from '../../environment/index.js'
import { SessionError } from '../../errors.js'
import type { Diagnostic } from '../../format/index.js'
import { normalizeProject, openContext } from '../../store/index.js'
import { nameOf, type SessionRef, slotOf } from '../session-ref.js'
import { type ContinuityOptions, type ContinuitySettings, continuitySettings } from '../settings.js'
import { type ContextUse, type Due, dueTriggers, type RollingCause, rolledBy } from './triggers.js'

export interface CreateContinuityOptions {
  /**
   * When checkpoints are due and how many are kept.
   *
   * @default the default settings
   */
  continuity?: ContinuityOptions | undefined
  /**
   * Replaces the clock, for tests and simulators.
   *
   * @default the system's
   */
  environment?: EnvironmentOverrides | undefined
  /**
   * Called with everything that was tolerated.
   *
   * @default none
   */
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined
}

/** A new session needs its key and harness; a resumed one gets the state derived from its log. */
export type ContinuityStart = Pick<ContinuityState, 'sessionKey' | 'harness'> & {
  readonly [Key in Exclude<keyof ContinuityState, 'sessionKey' | 'harness'>]?:
    | ContinuityState[Key]
    | undefined
}

/** Collects prompts, queries and remembered texts of sessions until a checkpoint is due. */
export function createContinuity(options: CreateContinuityOptions = {}): Continuity {
  return new Continuity(options)
}

export class Continuity {
  readonly settings: ContinuitySettings
  readonly #env: Environment
  readonly #states = new Map<string, GatheredState>()
  // By the key as the caller spells it, so that it is normalized once and not at every prompt.
  readonly #bySpelling = new Map<SessionRef, GatheredState>()

  /** Use `createContinuity`. */
  constructor({ continuity, environment, onDiagnostic }: CreateContinuityOptions) {
    this.settings = continuitySettings(continuity, onDiagnostic)
    this.#env = environmentFrom(environment)
  }

  /** Starts a session. A harness may start the same one repeatedly: the first call counts. */
  initContinuity(start: ContinuityStart): ContinuityState {
    checkText('harness', start.harness)
    const name = nameOf(start)
    const known = this.#states.get(slotOf(name))
    if (known !== undefined) return known.snapshot()
    const { startedAt = this.#env.now(), project = null } = start
    const state = new GatheredState({
      ...name,
      harness: start.harness,
      project,
      projectNormalized:
        start.projectNormalized ??
        (project === null
          ? null
          : normalizeProject(openContext({ environment: this.#env }), project)),
      startedAt,
      lastCheckpointAt: start.lastCheckpointAt ?? startedAt,
      promptCount: start.promptCount ?? 0,
      totalPromptCount: start.totalPromptCount ?? start.promptCount ?? 0,
      pendingQueries: start.pendingQueries ?? [],
      pendingRemembers: start.pendingRemembers ?? [],
      recentPrompts: start.recentPrompts ?? [],
      cycle: start.cycle ?? null,
      rolling: start.rolling ?? NOTHING_ROLLED,
    })
    this.#states.set(slotOf(name), state)
    return state.snapshot()
  }

  /** Counts a prompt, and keeps the memory query made for it, if any. */
  recordPrompt(session: SessionRef, prompt: string, query?: string): void {
    if (typeof prompt !== 'string') throw new TypeError('A prompt must be a string')
    this.#stateOf(session).addPrompt(prompt)
    if (query !== undefined) this.recordQuery(session, query)
  }

  recordQuery(session: SessionRef, query: string): void {
    checkText('query', query)
    this.#stateOf(session).addQuery(query)
  }

  /** Keeps a remembered text, once it is saved. */
  recordRemember(session: SessionRef, content: string): void {
    checkText('content', content)
    this.#stateOf(session).addRemember(content)
  }

  /** Counts an event that was written: prompts, queries, remembers and boundaries. */
  recordEvent(session: SessionRef, event: RecordedEvent): void {
    this.#stateOf(session).addEvent(event)
  }

  /** After a compaction, or a rewind past one: thresholds may trigger again, counters continue. */
  startCycle(session: SessionRef, boundaryUuid: string | null): void {
    this.#stateOf(session).startCycle(boundaryUuid)
  }

  /** Whether a checkpoint is due by prompts or time. Call it after a prompt. */
  shouldCheckpoint(session: SessionRef): boolean {
    return this.whatIsDue(session).passive !== undefined
  }

  /** Everything that is due now: by prompts or time, and by the size of the context. */
  whatIsDue(session: SessionRef, use?: ContextUse): Due {
    return dueTriggers(this.#stateOf(session), this.settings, this.#env.now(), use)
  }

  /**
   * Returns what was gathered and starts the next interval. With `rolled` it is for a rolling
   * checkpoint, which covers that many prompts.
   */
  consumeState(
    session: SessionRef,
    rolled?: { readonly cause: RollingCause; readonly totalPromptCount?: number | undefined },
  ): ConsumedState {
    const state = this.#stateOf(session)
    if (rolled !== undefined) {
      const { cause, totalPromptCount = state.totalPromptCount } = rolled
      state.rolling = rolledBy(cause, totalPromptCount, state.rolling)
    }
    return state.consume(this.#env.now())
  }

  /** Forgets the session; `false` if it was not known. */
  clearContinuity(session: SessionRef): boolean {
    this.#bySpelling.clear()
    return this.#states.delete(slotOf(nameOf(session)))
  }

  /** A copy. */
  getState(session: SessionRef): ContinuityState | undefined {
    return this.#states.get(slotOf(nameOf(session)))?.snapshot()
  }

  #stateOf(session: SessionRef): GatheredState {
    return this.#bySpelling.get(session) ?? this.#find(session)
  }

  #find(session: SessionRef): GatheredState {
    const name = nameOf(session)
    const state = this.#states.get(slotOf(name))
    if (state === undefined) {
      const what = `Session "${name.sessionKey}" has no continuity state: call initContinuity first`
      throw new SessionError('ERR_NOT_FOUND', what, { ...name })
    }
    // Not for objects, whose fields may change.
    if (typeof session === 'string') this.#bySpelling.set(session, state)
    return state
  }
}

function checkText(name: string, value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string`)
}

// What is gathered about one session between two checkpoints: counters, and the last few prompts,
// queries and remembered texts.
//
// Prompts are kept as they are. They are cut and redacted when a checkpoint is made, once in ten
// prompts, so recording one is cheap.

export const QUERIES_MAX = 20
export const REMEMBERS_MAX = 10
export const PROMPTS_MAX = 10

export interface ContinuityState {
  readonly sessionKey: string
  readonly agentId: string
  readonly harness: string
  readonly project: string | null
  readonly projectNormalized: string | null
  /** Milliseconds since the epoch, as all times here. */
  readonly startedAt: number
  /** When the last checkpoint was made; before the first, when the session started. */
  readonly lastCheckpointAt: number
  /** Since the last checkpoint. */
  readonly promptCount: number
  /** Since the session started; it never decreases. */
  readonly totalPromptCount: number
  readonly pendingQueries: readonly string[]
  readonly pendingRemembers: readonly string[]
  /** As they were typed, oldest first. */
  readonly recentPrompts: readonly string[]
  /** The last committed boundary: thresholds reached before it may trigger again. */
  readonly cycle: string | null
  readonly rolling: RollingState
}

/** The state that a checkpoint was made of, and when. */
export interface ConsumedState extends ContinuityState {
  readonly consumedAt: number
}

export interface RollingState {
  /** `totalPromptCount` at the last rolling checkpoint, 0 before the first. */
  readonly totalPromptCount: number
  /** The highest threshold of the context that was reached in this cycle. */
  readonly percent: number | null
}

export const NOTHING_ROLLED: RollingState = { totalPromptCount: 0, percent: null }

/** The parts of a transcript event that continuity uses. */
export interface RecordedEvent {
  readonly type: string
  readonly uuid: string
  readonly payload: unknown
}

/** The state of one session while it grows. */
export class GatheredState {
  promptCount: number
  totalPromptCount: number
  lastCheckpointAt: number
  cycle: string | null
  rolling: RollingState
  readonly #start: ContinuityState
  /** A ring: prompt number n of this interval is at n modulo the length. */
  #prompts: string[] = noPrompts()
  #queries: string[]
  #remembers: string[]

  constructor(start: ContinuityState) {
    this.#start = start
    this.promptCount = start.promptCount
    this.totalPromptCount = start.totalPromptCount
    this.lastCheckpointAt = start.lastCheckpointAt
    this.cycle = start.cycle
    this.rolling = start.rolling
    this.#queries = start.pendingQueries.slice(-QUERIES_MAX)
    this.#remembers = start.pendingRemembers.slice(-REMEMBERS_MAX)
    const prompts = start.recentPrompts.slice(-Math.min(PROMPTS_MAX, start.promptCount))
    const first = start.promptCount - prompts.length
    for (const [index, text] of prompts.entries()) {
      this.#prompts[(first + index) % PROMPTS_MAX] = text
    }
  }

  addPrompt(text: string): void {
    this.#prompts[this.promptCount % PROMPTS_MAX] = text
    this.promptCount++
    this.totalPromptCount++
  }

  addQuery(text: string): void {
    this.#queries.push(text)
    if (this.#queries.length > QUERIES_MAX) this.#queries.shift()
  }

  addRemember(text: string): void {
    this.#remembers.push(text)
    if (this.#remembers.length > REMEMBERS_MAX) this.#remembers.shift()
  }

  /** Counts an event of the transcript; most types do not count. */
  addEvent({ type, uuid, payload }: RecordedEvent): void {
    if (type === 'user') {
      const prompt = promptOf(payload)
      if (prompt !== undefined) this.addPrompt(prompt)
    } else if (type === 'memory_query') this.addQuery(textOf(payload))
    else if (type === 'remember') this.addRemember(textOf(payload))
    else if (type === 'compaction_boundary') this.startCycle(uuid)
  }

  startCycle(boundaryUuid: string | null): void {
    if (boundaryUuid === this.cycle) return
    this.cycle = boundaryUuid
    this.rolling = { ...this.rolling, percent: null }
  }

  snapshot(): ContinuityState {
    const first = Math.max(0, this.promptCount - PROMPTS_MAX)
    return {
      ...this.#start,
      lastCheckpointAt: this.lastCheckpointAt,
      promptCount: this.promptCount,
      totalPromptCount: this.totalPromptCount,
      pendingQueries: [...this.#queries],
      pendingRemembers: [...this.#remembers],
      recentPrompts: Array.from(
        { length: this.promptCount - first },
        (_, index) => this.#prompts[(first + index) % PROMPTS_MAX]!,
      ),
      cycle: this.cycle,
      rolling: this.rolling,
    }
  }

  /** Returns what was gathered and starts the next interval; totals and reached thresholds stay. */
  consume(now: number): ConsumedState {
    const consumed = { ...this.snapshot(), consumedAt: now }
    this.promptCount = 0
    this.lastCheckpointAt = now
    this.#prompts = noPrompts()
    this.#queries = []
    this.#remembers = []
    return consumed
  }
}

function noPrompts(): string[] {
  return new Array<string>(PROMPTS_MAX).fill('')
}

/**
 * The text of a `user` event that is a prompt; `undefined` for one that holds only tool results,
 * which no user typed.
 */
export function promptOf(payload: unknown): string | undefined {
  const { content } = fieldsOf(payload)
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const blocks = content.map(fieldsOf)
  if (blocks.length > 0 && blocks.every(({ type }) => type === 'tool_result')) return undefined
  return blocks
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n')
}

/** The text of a `memory_query` or `remember` event. */
export function textOf(payload: unknown): string {
  const { text } = fieldsOf(payload)
  return typeof text === 'string' ? text : ''
}
