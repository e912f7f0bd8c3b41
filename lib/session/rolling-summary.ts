// Rolling checkpoints by the summarizers of a compactor: the same words, the same order of asking,
// the same breaker. What one of them wrote an hour ago may spare a compaction the asking.

import { askFor, contextOf, readStructured, type SummaryChain } from '../compaction/index.js'
import type { RollingSummarizer } from '../continuity/index.js'
import { SessionError } from '../errors.js'
import type { CompactionPlace } from './compaction-place.js'

type Chain = Pick<SummaryChain, 'settings' | 'summarizers' | 'breaker' | 'instructions'>

export function rollingSummarizer(
  place: Pick<CompactionPlace, 'projection'>,
  chain: Chain,
): RollingSummarizer {
  return async ({ signal }) => {
    const context = contextOf(place.projection)
    const range = { start: 0, end: context.entries.length }
    const { found, failures } = await askFor({ context, range }, { ...chain, signal })
    if (found === undefined) throw failures.at(-1)?.error ?? pausedError()
    const { text, model } = found.summary
    return { ...partsOf(text), model }
  }
}

/** A checkpoint has no place for next steps, so they end its summary. */
function partsOf(text: string): Exclude<Awaited<ReturnType<RollingSummarizer>>, string> {
  const structured = readStructured(text)
  if (structured === undefined || structured.summary === '') return { summary: text }
  const { summary, topics, keyDecisions, openQuestions, nextSteps } = structured
  const steps = nextSteps.map((step) => `- ${step}`).join('\n')
  const whole = steps === '' ? summary : `${summary}\n\nNext steps:\n${steps}`
  return { summary: whole, topics, keyDecisions, openQuestions }
}

function pausedError(): SessionError {
  return new SessionError('ERR_SUMMARIZER', 'The summarizer failed too often and is left in peace')
}
