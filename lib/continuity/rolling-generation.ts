// Asks the host's summarizer for a rolling checkpoint: one at a time per session, never under a
// lock, and after a failure not again for a while, so that a broken model is not asked every turn.

import { type Diagnostic, diagnostic } from '../format/index.js'
import { clip } from './clip.js'
import type { StructuredSummary } from './digest.js'
import { type SessionName, slotOf } from './session-ref.js'
import type { RollingCause } from './triggers.js'

const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 3_600_000
const TIME_LIMIT_MS = 600_000
// An answer that is only text is a summary too, but not a transcript.
const PLAIN_SUMMARY_CHARS_MAX = 4000

export interface RollingRequest extends SessionName {
  readonly cause: RollingCause
  readonly tokens: number
  /** Aborted when the session ends or the time is up; the answer is of no use then. */
  readonly signal: AbortSignal
}

/** All but the summary may be left out; a text alone is a summary. */
export type SummarizerAnswer =
  | string
  | (Pick<StructuredSummary, 'summary'> & {
      readonly [Key in 'topics' | 'keyDecisions' | 'openQuestions']?:
        | StructuredSummary[Key]
        | undefined
    } & { readonly model?: string | undefined })

export type RollingSummarizer = (request: RollingRequest) => Promise<SummarizerAnswer>

export interface GeneratedSummary extends StructuredSummary {
  readonly model?: string | undefined
}

export interface RollingGenerationOptions {
  readonly summarize: RollingSummarizer
  readonly now: () => number
  readonly timeLimitMs?: number | undefined
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined
}

interface Pause {
  readonly failures: number
  readonly until: number
}

export class RollingGeneration {
  readonly #options: RollingGenerationOptions
  readonly #running = new Map<string, AbortController>()
  readonly #pauses = new Map<string, Pause>()

  constructor(options: RollingGenerationOptions) {
    this.#options = options
  }

  /** Nothing runs for this session, and no failure is too recent. */
  isFree(session: SessionName): boolean {
    const slot = slotOf(session)
    if (this.#running.has(slot)) return false
    return this.#options.now() >= (this.#pauses.get(slot)?.until ?? Number.NEGATIVE_INFINITY)
  }

  /** `undefined` when there is no usable answer: that is reported, and never an exception. */
  async generate(request: Omit<RollingRequest, 'signal'>): Promise<GeneratedSummary | undefined> {
    const slot = slotOf(request)
    const { summarize, timeLimitMs = TIME_LIMIT_MS } = this.#options
    const abort = new AbortController()
    this.#running.set(slot, abort)
    const timer = setTimeout(
      () => abort.abort(new Error('the summarizer took too long')),
      timeLimitMs,
    ).unref()
    try {
      const { signal } = abort
      const summary = summaryOf(await untilAborted(summarize({ ...request, signal }), signal))
      this.#pauses.delete(slot)
      return summary
    } catch (error) {
      // A session that has ended has no failures.
      if (this.#running.get(slot) === abort) this.#failed(request, error)
      return undefined
    } finally {
      clearTimeout(timer)
      if (this.#running.get(slot) === abort) this.#running.delete(slot)
    }
  }

  /** The session is over: what runs is stopped, and past failures are forgotten. */
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
    this.#pauses.set(slot, { failures, until: this.#options.now() + pauseMs })
    const reason = error instanceof Error ? error.message : String(error)
    const what = `No rolling checkpoint of session "${session.sessionKey}": ${reason}`
    const next = `the next try comes in ${pauseMs / 1000} s at the earliest`
    this.#options.onDiagnostic?.(diagnostic('rolling_checkpoint_failed', `${what}; ${next}`))
  }
}

function untilAborted<Answer>(answer: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    answer.then(resolve, reject)
  })
}

function summaryOf(answer: SummarizerAnswer): GeneratedSummary {
  if (typeof answer === 'string')
    return withText({ summary: clip(answer, PLAIN_SUMMARY_CHARS_MAX) })
  return withText(answer)
}

function withText(answer: Exclude<SummarizerAnswer, string>): GeneratedSummary {
  const { summary, topics, keyDecisions, openQuestions, model } = answer ?? {}
  if (typeof summary !== 'string' || summary.trim() === '') {
    throw new Error('the summarizer gave no summary')
  }
  return {
    summary,
    topics: textsOf(topics),
    keyDecisions: textsOf(keyDecisions),
    openQuestions: textsOf(openQuestions),
    ...(typeof model === 'string' && { model }),
  }
}

/** Models answer what they like. */
function textsOf(value: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  return items.filter((item): item is string => typeof item === 'string' && item.trim() !== '')
}
