// Asks the host's summarizer for a rolling checkpoint: one call at a time per session, never under a
// lock, and with a growing pause after failures, so that a broken model is not asked every turn.

import { stringsOf } from '../../compaction/index.js'
import type { Environment } from '../../environment/index.js'
import { clip, type Diagnostic, diagnostic } from '../../format/index.js'
import { type SessionName, slotOf } from '../session-ref.js'
import type { RollingCause } from '../state/triggers.js'
import type { StructuredSummary } from './digest.js'

const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 3_600_000
const TIME_LIMIT_MS = 600_000
// For an answer that is only text.
const PLAIN_SUMMARY_CHARS_MAX = 4000

export interface RollingRequest extends SessionName {
  readonly cause: RollingCause
  readonly tokens: number
  /** Aborted when the session ends and on timeout. */
  readonly signal: AbortSignal
}

/** A text, or an object with at least a summary. */
export type SummarizerAnswer =
  | string
  | (Pick<StructuredSummary, 'summary'> & {
      readonly [Key in 'topics' | 'keyDecisions' | 'openQuestions' | 'nextSteps']?:
        | StructuredSummary[Key]
        | undefined
    } & { readonly model?: string | undefined })

export type RollingSummarizer = (request: RollingRequest) => Promise<SummarizerAnswer>

export interface GeneratedSummary extends StructuredSummary {
  readonly model?: string | undefined
}

export interface RollingGenerationOptions {
  readonly summarize: RollingSummarizer
  readonly timeLimitMs?: number | undefined
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined
}

interface Pause {
  readonly failures: number
  readonly until: number
}

export class RollingGeneration {
  readonly #env: Environment
  readonly #options: RollingGenerationOptions
  readonly #running = new Map<string, AbortController>()
  readonly #pauses = new Map<string, Pause>()

  constructor(env: Environment, options: RollingGenerationOptions) {
    this.#env = env
    this.#options = options
  }

  /** No call is running for this session, and no failure is too recent. */
  isFree(session: SessionName): boolean {
    const slot = slotOf(session)
    if (this.#running.has(slot)) return false
    return this.#env.now() >= (this.#pauses.get(slot)?.until ?? Number.NEGATIVE_INFINITY)
  }

  /** `undefined` without a usable answer, which is reported. Never rejects. */
  async generate(request: Omit<RollingRequest, 'signal'>): Promise<GeneratedSummary | undefined> {
    const slot = slotOf(request)
    const { summarize, timeLimitMs = TIME_LIMIT_MS } = this.#options
    const abort = new AbortController()
    this.#running.set(slot, abort)
    const { timers } = this.#env
    const expire = () => abort.abort(new Error('the summarizer took too long'))
    const timer = timers.setTimeout(expire, timeLimitMs)
    timer.unref()
    try {
      const { signal } = abort
      const summary = summaryOf(await untilAborted(summarize({ ...request, signal }), signal))
      this.#pauses.delete(slot)
      return summary
    } catch (error) {
      // Not after the session has ended.
      if (this.#running.get(slot) === abort) this.#failed(request, error)
      return undefined
    } finally {
      timers.clearTimeout(timer)
      if (this.#running.get(slot) === abort) this.#running.delete(slot)
    }
  }

  /** At the end of a session: aborts its call and forgets its failures. */
  forget(session: SessionName): void {
    const slot = slotOf(session)
    const running = this.#running.get(slot)
    this.#running.delete(slot)
    this.#pauses.delete(slot)
    running?.abort(new Error('the session ended'))
  }

  #failed(session: SessionName, error: unknown): void {
    const slot = slotOf(session)
    const failures = (this.#pauses.get(slot)?.failures ?? 0) + 1
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
    this.#pauses.set(slot, { failures, until: this.#env.now() + pauseMs })
    const reason = error instanceof Error ? error.message : String(error)
    const what = `No rolling checkpoint of session "${session.sessionKey}": ${reason}`
    const next = `the next try is in ${pauseMs / 1000} s or later`
    this.#options.onDiagnostic?.(diagnostic('rolling_checkpoint_failed', `${what}; ${next}`))
  }
}

function untilAborted<Answer>(answer: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    answer.then(resolve, reject)
  })
}

function summaryOf(given: SummarizerAnswer): GeneratedSummary {
  const answer: Exclude<SummarizerAnswer, string> =
    typeof given === 'string' ? { summary: clip(given, PLAIN_SUMMARY_CHARS_MAX) } : given
  const { summary, topics, keyDecisions, openQuestions, model } = answer ?? {}
  const nextSteps = stringsOf(answer?.nextSteps)
  if (typeof summary !== 'string' || summary.trim() === '') {
    throw new Error('the summarizer returned no summary')
  }
  return {
    summary,
    topics: stringsOf(topics),
    keyDecisions: stringsOf(keyDecisions),
    openQuestions: stringsOf(openQuestions),
    ...(nextSteps.length > 0 && { nextSteps }),
    ...(typeof model === 'string' && { model }),
  }
}
