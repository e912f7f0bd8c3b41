// Several summarizers as one: each is asked when those before it failed.

import type { Summarizer } from '../compaction/index.js'
import { SessionError } from '../errors.js'

/** Asks summarizers in order until one answers. */
export function withFallbacks(first: Summarizer, ...others: readonly Summarizer[]): Summarizer {
  return async (request) => {
    const errors: unknown[] = []
    for (const summarizer of [first, ...others]) {
      request.signal.throwIfAborted()
      try {
        const summary = await summarizer(request)
        if (typeof summary?.text === 'string' && summary.text.trim() !== '') return summary
        errors.push(new SessionError('ERR_SUMMARIZER', 'The summarizer gave no text'))
      } catch (error) {
        errors.push(error)
      }
    }
    request.signal.throwIfAborted()
    const reasons = errors.map((error) => (error instanceof Error ? error.message : String(error)))
    throw new SessionError(
      'ERR_SUMMARIZER',
      `No summarizer returned a summary: ${reasons.join(' / ')}`,
      {
        cause: new AggregateError(errors),
      },
    )
  }
}
