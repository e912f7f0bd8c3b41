// One summarizer is asked, within its time. Whatever it does, the answer here is a summary that
// says something, or an error that says why there is none.

import { isSessionError, SessionError } from '../errors.js'
import type { Summarizer, Summary, SummaryRequest } from './summarizer.js'

export interface AskOptions {
  /** 0: no limit. */
  readonly timeoutMs: number
  /** The caller's own; when it is aborted, its reason is thrown. */
  readonly signal?: AbortSignal | undefined
}

// Longer ones would fire at once.
const TIMER_MS_MAX = 2 ** 31 - 1

export async function ask(
  summarizer: Summarizer,
  request: Omit<SummaryRequest, 'signal'>,
  { timeoutMs, signal }: AskOptions,
): Promise<Summary> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  const timer = timeoutMs > 0 ? setTimeout(expire, Math.min(timeoutMs, TIMER_MS_MAX)) : undefined
  // Listening before the summarizer is called: it may be called off in the middle of that.
  const aborted = rejectionOf(controller.signal)
  try {
    // A summarizer that does not listen to its signal is left to itself.
    const answer = summarizerCall(summarizer, { ...request, signal: controller.signal })
    return checked(await Promise.race([aborted, answer]))
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    throw asSummarizerError(error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    // Nobody waits any more, whatever it is still doing.
    controller.abort()
  }

  function expire(): void {
    const what = `The summarizer gave no answer within ${timeoutMs} ms`
    controller.abort(new SessionError('ERR_SUMMARIZER', what, { timeoutMs }))
  }
}

// Asynchronous, so that one that throws at once is a rejection like any other.
async function summarizerCall(summarizer: Summarizer, request: SummaryRequest): Promise<Summary> {
  return summarizer(request)
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function checked(summary: Summary): Summary {
  const { text } = (summary ?? {}) as Partial<Summary>
  if (typeof text === 'string' && text.trim() !== '') return summary
  throw new SessionError('ERR_SUMMARIZER', 'The summarizer gave no text')
}

function asSummarizerError(error: unknown): SessionError {
  if (isSessionError(error, 'ERR_SUMMARIZER')) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new SessionError('ERR_SUMMARIZER', `The summarizer failed: ${reason}`, { cause: error })
}
