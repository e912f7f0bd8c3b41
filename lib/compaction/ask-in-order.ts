// The first summarizer, unless it has failed too often of late; then the others, one by one.

import { SessionError } from '../errors.js'
import { ask } from './ask.js'
import type { Breaker } from './breaker.js'
import type { Summarizer, Summary, SummaryRequest } from './summarizer.js'

/** What did not work on the way to a summary. Nothing of it stopped the compaction. */
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

export interface AskInOrderOptions {
  /** The first is the primary one; the others are asked when it fails. */
  readonly summarizers: readonly Summarizer[]
  readonly breaker: Breaker
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** An answer longer than this would be no gain; in characters. */
  readonly charsMax: number
}

export interface Asked {
  /** `undefined`: none of them had one. */
  readonly found?: { readonly summary: Summary; readonly strategy: 'primary' | 'fallback' }
  readonly failures: readonly SummaryFailure[]
}

/** Rejects only when the caller's signal is aborted. */
export async function askInOrder(
  request: Omit<SummaryRequest, 'signal'>,
  { summarizers, breaker, timeoutMs, signal, charsMax }: AskInOrderOptions,
): Promise<Asked> {
  const failures: SummaryFailure[] = []
  for (const [index, summarizer] of summarizers.entries()) {
    const strategy = index === 0 ? 'primary' : 'fallback'
    if (strategy === 'primary' && breaker.isOpen) continue
    try {
      const summary = await ask(summarizer, request, { timeoutMs, signal })
      refuseLonger(summary, charsMax)
      if (strategy === 'primary') breaker.succeeded()
      return { found: { summary, strategy }, failures }
    } catch (error) {
      // Being called off says nothing about the summarizer.
      signal?.throwIfAborted()
      if (strategy === 'primary') breaker.failed()
      failures.push({ step: strategy, error })
    }
  }
  return { failures }
}

function refuseLonger({ text }: Summary, charsMax: number): void {
  if (text.length <= charsMax) return
  const what = `The summary is longer than what it stands for (${text.length} characters)`
  throw new SessionError('ERR_SUMMARIZER', what, { length: text.length })
}
