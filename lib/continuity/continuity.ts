// The states of the sessions that live in this process. In memory only: deleting it loses nothing,
// because the same numbers can be derived from the log.

import { SessionError } from '../errors.js'
import type { Diagnostic } from '../format/index.js'
import { type Environment, systemEnvironment } from '../log/index.js'
import { normalizeProject } from '../store/index.js'
import {
  type ConsumedState,
  type ContinuityState,
  GatheredState,
  NOTHING_ROLLED,
  type RecordedEvent,
} from './continuity-state.js'
import { nameOf, type SessionRef, slotOf } from './session-ref.js'
import { type ContinuityOptions, type ContinuitySettings, continuitySettings } from './settings.js'
import { type ContextUse, type Due, dueTriggers, type RollingCause, rolledBy } from './triggers.js'

export interface CreateContinuityOptions {
  continuity?: ContinuityOptions | undefined
  /** Tests give their own clock. */
  environment?: Partial<Pick<Environment, 'now'>> | undefined
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined
}

/** A new session needs its key and harness; one that goes on is given the state derived from its log. */
export type ContinuityStart = Pick<ContinuityState, 'sessionKey' | 'harness'> & {
  readonly [Key in Exclude<keyof ContinuityState, 'sessionKey' | 'harness'>]?:
    | ContinuityState[Key]
    | undefined
}

export function createContinuity(options: CreateContinuityOptions = {}): Continuity {
  return new Continuity(options)
}

export class Continuity {
  readonly settings: ContinuitySettings
  readonly #now: () => number
  readonly #states = new Map<string, GatheredState>()
  // By the key as it was spelled, so that the spelling is looked into once and not at every prompt.
  readonly #bySpelling = new Map<SessionRef, GatheredState>()

  /** Use `createContinuity`. */
  constructor({ continuity, environment, onDiagnostic }: CreateContinuityOptions) {
    this.settings = continuitySettings(continuity, onDiagnostic)
    this.#now = environment?.now ?? systemEnvironment.now
  }

  /** Sets a session up. A harness may start the same one again and again: the first call counts. */
  initContinuity(start: ContinuityStart): ContinuityState {
    checkText('harness', start.harness)
    const name = nameOf(start)
    const known = this.#states.get(slotOf(name))
    if (known !== undefined) return known.snapshot()
    const { startedAt = this.#now(), project = null } = start
    const state = new GatheredState({
      ...name,
      harness: start.harness,
      project,
      projectNormalized:
        start.projectNormalized ?? (project === null ? null : normalizeProject(project)),
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

  /** Counts a prompt, and keeps what was searched for it, if anything was. */
  recordPrompt(session: SessionRef, prompt: string, query?: string): void {
    if (typeof prompt !== 'string') throw new TypeError('A prompt must be a string')
    this.#stateOf(session).addPrompt(prompt)
    if (query !== undefined) this.recordQuery(session, query)
  }

  recordQuery(session: SessionRef, query: string): void {
    checkText('query', query)
    this.#stateOf(session).addQuery(query)
  }

  /** For what was remembered, once it is saved. */
  recordRemember(session: SessionRef, content: string): void {
    checkText('content', content)
    this.#stateOf(session).addRemember(content)
  }

  /** The same by the event that was written: prompts, queries, remembers and boundaries count. */
  recordEvent(session: SessionRef, event: RecordedEvent): void {
    this.#stateOf(session).addEvent(event)
  }

  /** After a compaction, or a rewind past one: thresholds may fire again, counters go on. */
  startCycle(session: SessionRef, boundaryUuid: string | null): void {
    this.#stateOf(session).startCycle(boundaryUuid)
  }

  /** Whether prompts or time ask for a checkpoint now. Meant to be asked after a prompt. */
  shouldCheckpoint(session: SessionRef): boolean {
    return this.whatIsDue(session).passive !== undefined
  }

  /** All that is due now: by prompts or time, and by the use of the context. */
  whatIsDue(session: SessionRef, use?: ContextUse): Due {
    return dueTriggers(this.#stateOf(session), this.settings, this.#now(), use)
  }

  /**
   * Hands out what was gathered and begins the next interval. With `rolled` it is for a rolling
   * checkpoint, which speaks of so many prompts.
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
    return state.consume(this.#now())
  }

  /** Forgets the session; `false` if it was not known. */
  clearContinuity(session: SessionRef): boolean {
    this.#bySpelling.clear()
    return this.#states.delete(slotOf(nameOf(session)))
  }

  /** A copy, for looking at. */
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
      const what = `There is no continuity state of session "${name.sessionKey}": it was not set up`
      throw new SessionError('ERR_NOT_FOUND', what, { ...name })
    }
    // An object may change its fields; a string is what it is.
    if (typeof session === 'string') this.#bySpelling.set(session, state)
    return state
  }
}

function checkText(name: string, value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string`)
}
