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
    if (known !== undefined) return copyOf(known)
    const { startedAt = this.#env.now(), project = null, promptCount = 0 } = start
    const state = copyOf({
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
      promptCount,
      totalPromptCount: start.totalPromptCount ?? promptCount,
      pendingQueries: start.pendingQueries?.slice(-QUERIES_MAX) ?? [],
      pendingRemembers: start.pendingRemembers?.slice(-REMEMBERS_MAX) ?? [],
      recentPrompts: start.recentPrompts?.slice(-PROMPTS_MAX) ?? [],
      cycle: start.cycle ?? null,
      rolling: start.rolling ?? NOTHING_ROLLED,
    })
    this.#states.set(slotOf(name), state)
    return copyOf(state)
  }

  /** Counts a prompt, and keeps the memory query made for it, if any. */
  recordPrompt(session: SessionRef, prompt: string, query?: string): void {
    if (typeof prompt !== 'string') throw new TypeError('A prompt must be a string')
    addPrompt(this.#stateOf(session), prompt)
    if (query !== undefined) this.recordQuery(session, query)
  }

  recordQuery(session: SessionRef, query: string): void {
    checkText('query', query)
    keep(this.#stateOf(session).pendingQueries, query, QUERIES_MAX)
  }

  /** Keeps a remembered text, once it is saved. */
  recordRemember(session: SessionRef, content: string): void {
    checkText('content', content)
    keep(this.#stateOf(session).pendingRemembers, content, REMEMBERS_MAX)
  }

  /** Counts an event that was written: prompts, queries, remembers and boundaries. */
  recordEvent(session: SessionRef, { type, uuid, payload }: RecordedEvent): void {
    const state = this.#stateOf(session)
    if (type === 'user') {
      const prompt = promptOf(payload)
      if (prompt !== undefined) addPrompt(state, prompt)
    } else if (type === 'memory_query') keep(state.pendingQueries, textOf(payload), QUERIES_MAX)
    else if (type === 'remember') keep(state.pendingRemembers, textOf(payload), REMEMBERS_MAX)
    else if (type === 'compaction_boundary') startCycle(state, uuid)
  }

  /** After a compaction, or a rewind past one: thresholds may trigger again, counters continue. */
  startCycle(session: SessionRef, boundaryUuid: string | null): void {
    startCycle(this.#stateOf(session), boundaryUuid)
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
    const consumedAt = this.#env.now()
    const consumed = { ...state, consumedAt }
    state.promptCount = 0
    state.lastCheckpointAt = consumedAt
    state.recentPrompts = []
    state.pendingQueries = []
    state.pendingRemembers = []
    return consumed
  }

  /** Forgets the session; `false` if it was not known. */
  clearContinuity(session: SessionRef): boolean {
    this.#bySpelling.clear()
    return this.#states.delete(slotOf(nameOf(session)))
  }

  /** A copy. */
  getState(session: SessionRef): ContinuityState | undefined {
    const state = this.#states.get(slotOf(nameOf(session)))
    return state && copyOf(state)
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
type GatheredState = {
  -readonly [Key in keyof ContinuityState]: ContinuityState[Key] extends readonly string[]
    ? string[]
    : ContinuityState[Key]
}

function copyOf(state: ContinuityState): GatheredState {
  return {
    ...state,
    pendingQueries: [...state.pendingQueries],
    pendingRemembers: [...state.pendingRemembers],
    recentPrompts: [...state.recentPrompts],
  }
}

function keep(list: string[], text: string, most: number): void {
  list.push(text)
  if (list.length > most) list.shift()
}

function addPrompt(state: GatheredState, text: string): void {
  keep(state.recentPrompts, text, PROMPTS_MAX)
  state.promptCount++
  state.totalPromptCount++
}

function startCycle(state: GatheredState, boundaryUuid: string | null): void {
  if (boundaryUuid === state.cycle) return
  state.cycle = boundaryUuid
  state.rolling = { ...state.rolling, percent: null }
}

/**
 * The text of a `user` event that is a prompt; `undefined` for one that no person typed: it has only
 * tool results, or is of the client itself (`is_meta`).
 */
export function promptOf(payload: unknown): string | undefined {
  const { content, is_meta } = fieldsOf(payload)
  if (is_meta === true) return undefined
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
