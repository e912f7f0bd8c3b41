// A compaction with a summarizer: planned and summarized without a lock, which is held only while
// the result is written.

import type { SummaryFailure } from '../../compaction/index.js'
import {
  type CompactionOutcome,
  type Compactor,
  createStoredCompactor,
} from '../../session/index.js'
import { type Call, UsageError } from '../command.js'
import { findSession } from '../input/target.js'
import { EXIT } from '../output/exit-codes.js'
import { toPlainText } from '../output/plain-text.js'
import { answer } from '../output/print.js'
import { withProgress } from '../output/progress.js'
import { formatNumber, plural } from '../output/units.js'
import { withSession } from '../with-session.js'
import { readCut } from './plan.js'

export async function compactSummarized(call: Call): Promise<number> {
  const compactor = await compactorOf(call)
  const id = compactor.sessionId
  const { keepPercent, from, upTo } = readCut(call)
  // If another process has it open, the summary could not be written.
  await withSession(call, async () => {})
  const { covered, usage } = compactor.plan({ keepPercent, from, upTo })
  const outcome = await withProgress(
    call,
    `${call.value('summarizer')} summarizes ${plural(covered.length, 'message')}`,
    () => compactor.compact({ keepPercent, from, upTo }),
  )
  // Also when a later one succeeded: the user named it, and it does not answer.
  sayFailures(call, outcome.failures)
  if (outcome.needsRetry) sayFallback(call, id, outcome)
  if (outcome.tokensAfter > outcome.tokensBefore) {
    call.notes.say('The summary is longer than what it covers: the context is larger now')
  }
  const left = usage.messages - outcome.messagesSummarized + 1
  const tokens = `about ${formatNumber(outcome.tokensBefore)} tokens ${formatNumber(outcome.tokensAfter)}`
  return answer(
    call,
    fieldsOf(id, outcome),
    `compacted ${id}: ${usage.messages} messages are ${left} now, ${tokens}; ` +
      `boundary ${outcome.boundaryUuid}`,
  )
}

export async function retrySummaries(call: Call): Promise<number> {
  if (call.value('summarizer') === undefined) {
    throw new UsageError('--retry needs --summarizer, for example --summarizer ollama:qwen2.5:7b')
  }
  const compactor = await compactorOf(call)
  const id = compactor.sessionId
  const what = `${call.value('summarizer')} retries summaries`
  const { revised, failed } = await withProgress(call, what, () => compactor.retrySummaries())
  for (const { failures } of failed) sayFailures(call, failures)
  const left = failed.map(({ failures, ...names }) => ({ ...names, failures: reasonsOf(failures) }))
  await answer(
    call,
    { sessionId: id, revised, failed: left },
    `${id}: ${plural(revised.length, 'summary', 'summaries')} replaced, ${failed.length} still failing`,
  )
  return failed.length > 0 ? EXIT.failed : EXIT.done
}

async function compactorOf(call: Call): Promise<Compactor> {
  const { summarizerFrom } = await call.modules.summarizers()
  const names = call.value('summarizer')!.split(',')
  const summarizers = names.map((name) => summarizerFrom(name, call.io.env))
  const { minKeepMessages } = readCut(call)
  const session = findSession(call, call.operands[0]!)
  return createStoredCompactor(call.store, session, { summarizers, minKeepMessages })
}

function fieldsOf(sessionId: string, outcome: CompactionOutcome): object {
  const { boundaryUuid, summaryUuid, strategy, tokensBefore, tokensAfter } = outcome
  const { needsRetry, contextEpoch, messagesSummarized, failures } = outcome
  return {
    sessionId,
    boundaryUuid,
    summaryUuid,
    strategy,
    tokensBefore,
    tokensAfter,
    needsRetry,
    contextEpoch,
    messagesSummarized,
    failures: reasonsOf(failures),
  }
}

function sayFallback(call: Call, id: string, { strategy }: CompactionOutcome): void {
  const what = strategy === 'emergency' ? 'a note' : 'an older checkpoint'
  call.notes.say(`Every summarizer failed: ${what} takes the place of the summary. Retry with:`)
  call.notes.say(`  jsonl-session compact ${toPlainText(id)} --retry --summarizer …`)
}

function sayFailures(call: Call, failures: readonly SummaryFailure[]): void {
  for (const { step, reason } of reasonsOf(failures)) {
    call.notes.say(`${step}: ${toPlainText(reason)}`)
  }
}

function reasonsOf(failures: readonly SummaryFailure[]) {
  return failures.map(({ step, error }) => ({
    step,
    reason: error instanceof Error ? error.message : String(error),
  }))
}
