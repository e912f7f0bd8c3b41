// Asks summarizers within a time limit: the first one, unless it has failed too often lately, then
// the others in order. The result is a summary with text, or errors that say why there is none.

import type { Environment } from '../environment/index.js'
import { isSessionError, SessionError } from '../errors.js'
import type { CompactionSettings } from './policy.js'
import type { Summarizer, Summary, SummaryRequest } from './summarizer.js'

/** What failed on the way to a summary. None of it stopped the compaction. */
export interface SummaryFailure {
  readonly step:
    | 'pre_compaction'
    | 'find_checkpoints'
    | 'primary'
    | 'fallback'
    | 'checkpoint_check'
    | 'retry'
  readonly error: unknown
}

export interface AskOptions {
  readonly env: Environment
  /** The first is the primary one; the others are asked when it fails. */
  readonly summarizers: readonly Summarizer[]
  readonly breaker: Breaker
  /** 0: no limit. */
  readonly timeoutMs: number
  /** The caller's own; when it is aborted, its reason is thrown. */
  readonly signal?: AbortSignal | undefined
  /** A longer answer, in chars, would free nothing. */
  readonly charsMax: number
}

export interface Asked {
  /** `undefined`: no summarizer returned a summary. */
  readonly found?: { readonly summary: Summary; readonly strategy: 'primary' | 'fallback' }
  readonly failures: readonly SummaryFailure[]
}

// A longer timer would fire immediately.
const TIMER_MS_MAX = 2 ** 31 - 1

/** Rejects only when the caller's signal is aborted. */
export async function askInOrder(
  request: Omit<SummaryRequest, 'signal'>,
  options: AskOptions,
): Promise<Asked> {
  const { summarizers, breaker, signal, charsMax } = options
  const failures: SummaryFailure[] = []
  for (const [index, summarizer] of summarizers.entries()) {
    const strategy = index === 0 ? 'primary' : 'fallback'
    if (strategy === 'primary' && breaker.isOpen) continue
    try {
      const summary = await ask(summarizer, request, options)
      assertShorter(summary, charsMax)
      if (strategy === 'primary') breaker.succeeded()
      return { found: { summary, strategy }, failures }
    } catch (error) {
      // A call that was aborted says nothing about the summarizer.
      signal?.throwIfAborted()
      if (strategy === 'primary') breaker.failed()
      failures.push({ step: strategy, error })
    }
  }
  return { failures }
}

async function ask(
  summarizer: Summarizer,
  request: Omit<SummaryRequest, 'signal'>,
  { env, timeoutMs, signal }: Pick<AskOptions, 'env' | 'timeoutMs' | 'signal'>,
): Promise<Summary> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  const expire = () => {
    const what = `The summarizer gave no answer within ${timeoutMs} ms`
    controller.abort(new SessionError('ERR_SUMMARIZER', what, { timeoutMs }))
  }
  const timer =
    timeoutMs > 0 ? env.timers.setTimeout(expire, Math.min(timeoutMs, TIMER_MS_MAX)) : undefined
  // Listens before the summarizer is called: that call may abort.
  const aborted = rejectOnAbort(controller.signal)
  try {
    // A summarizer that ignores its signal keeps running, and its answer is dropped.
    const answer = callSummarizer(summarizer, { ...request, signal: controller.signal })
    return withText(await Promise.race([aborted, answer]))
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    throw toSummarizerError(error)
  } finally {
    env.timers.clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    controller.abort()
  }
}

// Asynchronous, so that a summarizer that throws synchronously is a rejection as well.
async function callSummarizer(summarizer: Summarizer, request: SummaryRequest): Promise<Summary> {
  return summarizer(request)
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function withText(summary: Summary): Summary {
  const { text } = (summary ?? {}) as Partial<Summary>
  if (typeof text === 'string' && text.trim() !== '') return summary
  throw new SessionError('ERR_SUMMARIZER', 'The summarizer returned no text')
}

function assertShorter({ text }: Summary, charsMax: number): void {
  if (text.length <= charsMax) return
  const what = `The summary is longer than what it replaces (${text.length} characters)`
  throw new SessionError('ERR_SUMMARIZER', what, { length: text.length })
}

function toSummarizerError(error: unknown): SessionError {
  if (isSessionError(error, 'ERR_SUMMARIZER')) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new SessionError('ERR_SUMMARIZER', `The summarizer failed: ${reason}`, { cause: error })
}

/** Skips a summarizer that fails repeatedly, so that not every compaction waits for it. */
export class Breaker {
  readonly #threshold: number
  readonly #resetMs: number
  readonly #now: () => number
  #failures = 0
  #lastFailure = 0

  /** With a threshold of 0 it never opens. */
  constructor(
    {
      failureThreshold,
      resetMinutes,
    }: Pick<CompactionSettings, 'failureThreshold' | 'resetMinutes'>,
    now: () => number,
  ) {
    this.#threshold = failureThreshold
    this.#resetMs = resetMinutes * 60_000
    this.#now = now
  }

  get isOpen(): boolean {
    if (this.#threshold === 0 || this.#failures < this.#threshold) return false
    const age = this.#now() - this.#lastFailure
    // A clock that was set back must not keep it open for hours.
    if (age <= this.#resetMs && age >= 0) return true
    this.#failures = 0
    return false
  }

  get failures(): number {
    return this.#failures
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(): void {
    this.#failures++
    this.#lastFailure = this.#now()
  }
}
