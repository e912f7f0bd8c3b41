// A compaction whose summary somebody else makes: planned and summed up without a lock, which is
// taken only to write the result.

import type { SummaryFailure } from '../compaction/index.js'
import type { CompactionOutcome, Compactor } from '../session/index.js'
import { storeOptionsOf } from './arguments.js'
import { type Call, UsageError } from './command.js'
import { cutOf } from './compact-cut.js'
import { number } from './compact-plan.js'
import { EXIT } from './exit-codes.js'
import { toPlainText } from './plain-text.js'
import { plural } from './plural.js'
import { withProgress } from './progress.js'
import { sessionOf } from './target.js'
import { answer, withSession } from './with-session.js'

export async function compactSummarized(call: Call): Promise<number> {
  const compactor = await compactorOf(call)
  const id = compactor.session_id
  const { keepPercent, from, upTo } = cutOf(call)
  // If somebody has it open, a summary would be made for nothing.
  await withSession(call, async () => {})
  const { covered, usage } = compactor.plan({ keepPercent, from, upTo })
  const outcome = await withProgress(
    call.notes,
    `${call.value('summarizer')} sums up ${plural(covered.length, 'message')}`,
    () => compactor.compact({ keepPercent, from, upTo }),
  )
  // Also when another had a summary: whoever named it should hear that it does not answer.
  sayFailures(call, outcome.failures)
  if (outcome.needsRetry) sayStandIn(call, id, outcome)
  if (outcome.tokensAfter > outcome.tokensBefore) {
    call.notes.say('The summary is longer than what it covers: the context is larger now')
  }
  const left = usage.messages - outcome.messagesSummarized + 1
  const tokens = `about ${number(outcome.tokensBefore)} tokens ${number(outcome.tokensAfter)}`
  await answer(
    call,
    fieldsOf(id, outcome),
    `compacted ${id}: ${usage.messages} messages are ${left} now, ${tokens}; ` +
      `boundary ${outcome.boundary_uuid}`,
  )
  return EXIT.done
}

export async function retrySummaries(call: Call): Promise<number> {
  if (call.value('summarizer') === undefined) {
    throw new UsageError('--retry needs somebody to ask: --summarizer ollama:qwen2.5:7b')
  }
  const compactor = await compactorOf(call)
  const id = compactor.session_id
  const what = `${call.value('summarizer')} makes up for summaries`
  const { revised, failed } = await withProgress(call.notes, what, () => compactor.retrySummaries())
  for (const { failures } of failed) sayFailures(call, failures)
  const told = failed.map(({ failures, ...names }) => ({ ...names, failures: reasonsOf(failures) }))
  await answer(
    call,
    { session_id: id, revised, failed: told },
    `${id}: ${revised.length} made up for, ${failed.length} still to be made up for`,
  )
  if (failed.length > 0) return EXIT.failed
  return revised.length > 0 ? EXIT.done : EXIT.no
}

async function compactorOf(call: Call): Promise<Compactor> {
  const storeOptions = storeOptionsOf(call)
  const { summarizerFrom } = await call.rooms.summarizers()
  const names = call.value('summarizer')!.split(',')
  const summarizers = names.map((name) => summarizerFrom(name, call.io.env))
  const { createStoredCompactor } = await import('../session/index.js')
  const id = await sessionOf(call.operands[0]!, storeOptions)
  const stored = {
    ...storeOptions,
    id,
    onDiagnostic: call.notes.tell.bind(call.notes),
  }
  const { minKeepMessages } = cutOf(call)
  return createStoredCompactor(stored, { summarizers, minKeepMessages })
}

function fieldsOf(session_id: string, outcome: CompactionOutcome): object {
  const { boundary_uuid, summary_uuid, strategy, tokensBefore, tokensAfter } = outcome
  const { needsRetry, contextEpoch, messagesSummarized, failures } = outcome
  return {
    session_id,
    boundary_uuid,
    summary_uuid,
    strategy,
    tokensBefore,
    tokensAfter,
    needsRetry,
    contextEpoch,
    messagesSummarized,
    failures: reasonsOf(failures),
  }
}

function sayStandIn(call: Call, id: string, { strategy }: CompactionOutcome): void {
  const what = strategy === 'emergency' ? 'a note' : 'an older checkpoint'
  call.notes.say(`No summary could be had: ${what} stands in. To make up for it:`)
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
