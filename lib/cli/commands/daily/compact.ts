// A summary in the place of older messages.

import type { Message } from '../../../chain/index.js'
import {
  type CompactionPlan,
  type PlanOptions,
  planCompaction,
  type SummaryFailure,
} from '../../../compaction/index.js'
import { SessionError } from '../../../errors.js'
import {
  type CompactionOutcome,
  type CompactOptions,
  type Compactor,
  createStoredCompactor,
  type Session,
} from '../../../session/index.js'
import { loadSession } from '../../../store/index.js'
import { type Call, type Command, DRY_RUN, type Parsed, UsageError } from '../../command.js'
import { rejectTogether } from '../../input/arguments.js'
import { findLog, findSession } from '../../input/target.js'
import { readInput } from '../../input/text-input.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'
import { answer, printAnswer } from '../../output/print.js'
import { withProgress } from '../../output/progress.js'
import { formatNumber, plural } from '../../output/units.js'
import { withSession } from '../../with-session.js'

const LESSON = `You give the summary (--summary-file), or one of these summarizers writes it (--summarizer):
  extractive          no model: prompts, last replies, tools and files, word for word
  ollama:MODEL        a model of Ollama on this machine
  openai:MODEL        OpenAI, with the key in OPENAI_API_KEY
  anthropic:MODEL     Anthropic, with the key in ANTHROPIC_API_KEY
@URL after the model names another server that speaks the same API; it gets the key, too.
Separate several with commas: each is asked if the ones before it failed. Without --summarizer
the setting "summarizer" of config.json in the home is used. If all fail, a note
takes the place of the summary, more is kept, and --retry replaces the note later.

Without --keep, --keep-from, --up-to or --from your summary replaces everything; a summarizer
keeps the last tenth. A call is never separated from its result. The session is locked only while
the result is written. Nothing is deleted: \`jsonl-session show --raw\` still prints it all.

Examples:
  $ jsonl-session compact demo --summarizer ollama:qwen2.5:7b,extractive --keep 30%
  compacted demo: 42 → 14 messages, ~24,800 → 6,300 tokens; boundary c1d80b1e-…

  $ jsonl-session compact demo --dry-run --up-to 6a4f0c58-2c06-4a57-8d1a-3b1d6a0e5c11
  demo: 42 messages, about 24,800 tokens (±6,200, estimated from their bytes)
    summarized  35 messages, 22,900 tokens: 0b0e7a52-… to 6a4f0c58-…
    kept        7 messages, 1,900 tokens: from 91aa0d1f-…
    saved       20,900 tokens, with a summary of 2,000
  nothing was written

Exit codes:
  0 compacted, shown, or nothing to retry · 2 wrong use, nothing to compact, or failed
  3 no such session or message · 5 another process has it open
`

export const compact: Command = {
  name: 'compact',
  summary: 'Replace older messages by a summary for the model; nothing is deleted',
  operand: '<session>',
  operandText: 'the session',
  options: [
    { name: 'summary-file', value: 'F', text: 'the text of the summary; - reads it from stdin' },
    {
      name: 'summarizer',
      value: 'S',
      text: 'what writes the summary; see below',
      values: ['extractive'],
      isOpen: true,
    },
    { name: 'keep', value: 'N%', text: 'keep this share of the messages, counted from the end' },
    { name: 'keep-from', value: 'U', text: 'keep this message and what follows it' },
    { name: 'up-to', value: 'U', text: 'summarize up to this message; keep what follows it' },
    { name: 'from', value: 'U', text: 'summarize from this message on; keep what is before it' },
    { name: 'retry', text: 'retry failed summaries; needs --summarizer' },
    DRY_RUN,
    { name: 'plan', text: 'an earlier spelling of --dry-run', isHidden: true },
  ],
  lesson: LESSON,

  async run(call) {
    for (const names of ALTERNATIVES) rejectTogether(call, ...names)
    if (call.has('plan') || call.has('dry-run')) return printPlan(call)
    if (call.has('retry')) return retrySummaries(call)
    if (call.value('summary-file') !== undefined) return compactGiven(call)
    // A message to keep is named for a summary that exists.
    if (call.value('keep-from') === undefined && summarizersOf(call) !== undefined) {
      return compactSummarized(call)
    }
    throw new UsageError(
      'compact needs a summary: --summary-file notes.md, --summary-file - to read it from stdin, ' +
        'or --summarizer extractive',
    )
  },
}

/** There is one cut, one summary and one thing to do. */
const ALTERNATIVES = [
  ['keep', 'keep-from', 'up-to', 'from', 'retry'],
  ['summary-file', 'summarizer'],
  ['plan', 'dry-run'],
  ...['plan', 'dry-run'].flatMap((dry) => [
    [dry, 'retry'],
    ['summary-file', dry],
    ['keep-from', dry],
  ]),
  ['summary-file', 'retry'],
  ['keep-from', 'summarizer'],
]

/** The caller provides the summary. */
async function compactGiven(call: Call): Promise<number> {
  const summary = await summaryOf(call)
  const done = await withSession(call, async (session) => {
    const before = countOf(session)
    const result = await session.compact({ summary, ...(await keptOf(call, session)) })
    return { ...result, sessionId: session.id, before, after: countOf(session) }
  })
  const { sessionId, boundaryUuid, summaryUuid, contextEpoch, tokensBefore, before, after } = done
  const what = `${before} → ${after} messages; boundary ${boundaryUuid}`
  const counts = { tokensBefore, tokensAfter: null, needsRetry: false }
  const fields = { sessionId, boundaryUuid, summaryUuid, strategy: 'external', ...counts }
  return answer(call, { ...fields, contextEpoch }, `compacted ${sessionId}: ${what}`)
}

async function summaryOf(call: Call): Promise<string> {
  const text = (await readInput(call, call.value('summary-file')!, 'summary')).trim()
  if (text === '') throw new UsageError('The summary is empty')
  return text
}

/** What is kept, by the first or the last message of it. */
async function keptOf(call: Call, session: Session): Promise<Partial<CompactOptions>> {
  const upTo = call.value('up-to')
  const from = call.value('from')
  if (call.value('keep') !== undefined) {
    const { kept } = planCompaction(session.projection, readCut(call))
    return { keepFrom: kept[0]?.uuid ?? null }
  }
  if (upTo === undefined && from === undefined) return { keepFrom: call.value('keep-from') }
  const { uuids, indexOf } = messageNames(session)
  if (upTo !== undefined) return { keepFrom: uuids[indexOf(upTo) + 1] }
  return { keepUpTo: uuids[indexOf(from!) - 1] }
}

function messageNames(session: Session) {
  const { messages } = session.messages({ repair: false })
  const uuids = messages.map(({ uuid }) => uuid)
  const indexOf = (uuid: string): number => {
    const index = uuids.lastIndexOf(uuid)
    if (index !== -1) return index
    const what = `"${uuid}" is not among the messages the model sees`
    throw new SessionError('ERR_NOT_FOUND', what, { uuid, path: session.path })
  }
  return { uuids, indexOf }
}

function countOf(session: Session): number {
  return session.messages({ repair: false }).messages.length
}

/** Only reads, so another process may have the session open. */
async function printPlan(call: Call): Promise<number> {
  const path = findLog(call, call.operands[0]!)
  const { log, header } = loadSession(call.store, path)
  const plan = planCompaction(log.projection, readCut(call))
  const { session_id = null } = (header?.payload ?? {}) as { session_id?: string | null }
  return printAnswer(call, {
    json: toPlanFields(session_id, plan),
    lines: () => linesOf(session_id ?? path, plan),
    notes: ['nothing was written'],
  })
}

function toPlanFields(sessionId: string | null, plan: CompactionPlan): object {
  const { keeps, covered, kept, usage, tokensBefore, tokensCovered, tokensAfter } = plan
  const { source, margin, bytesPerToken, samples } = usage
  return {
    sessionId,
    boundaryUuid: null,
    summaryUuid: null,
    strategy: null,
    tokensBefore,
    tokensAfter,
    needsRetry: false,
    tokensCovered,
    tokensSaved: tokensBefore - tokensAfter,
    keeps,
    messagesSummarized: covered.length,
    messagesKept: kept.length,
    coveredFromUuid: covered[0]!.uuid,
    coveredToUuid: covered.at(-1)!.uuid,
    headUuid: kept[0]?.uuid ?? null,
    tailUuid: kept.at(-1)?.uuid ?? null,
    usage: { source, margin, bytesPerToken, samples },
  }
}

function linesOf(name: string, plan: CompactionPlan): string[] {
  const { covered, kept, usage, tokensBefore, tokensCovered, tokensAfter } = plan
  const keptTokens = Math.max(0, tokensBefore - tokensCovered)
  const ends = `${nameOf(covered[0])} to ${nameOf(covered.at(-1))}`
  const about = `about ${tokens(tokensBefore)} (${certaintyOf(plan)})`
  return [
    `${toPlainText(name)}: ${counted(usage.messages)}, ${about}`,
    `  summarized  ${counted(covered.length)}, ${tokens(tokensCovered)}: ${ends}`,
    `  kept        ${counted(kept.length)}, ${tokens(keptTokens)}${keptEnd(plan)}`,
    `  saved       ${tokens(tokensBefore - tokensAfter)}, with a summary of ${formatNumber(tokensAfter - keptTokens)}`,
  ]
}

function keptEnd({ keeps, kept, context, range }: CompactionPlan): string {
  if (keeps === 'nothing') return ''
  if (keeps === 'suffix') return `: from ${nameOf(kept[0])}`
  return `: up to ${nameOf(context.messages[range.start - 1])}`
}

function nameOf(message: Message | undefined): string {
  return toPlainText(String(message?.uuid))
}

function certaintyOf({ usage }: CompactionPlan): string {
  const { source, margin, samples } = usage
  const how =
    source === 'usage'
      ? 'counted by the provider up to its last reply'
      : 'estimated from their bytes'
  const ratio = samples === 0 ? '' : `; ${usage.bytesPerToken.toFixed(1)} bytes per token here`
  return `±${formatNumber(margin)}, ${how}${ratio}`
}

function counted(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'message' : 'messages'}`
}

function tokens(count: number): string {
  return `${formatNumber(count)} tokens`
}

/** Where the conversation is cut. */
function readCut(call: Parsed): PlanOptions {
  const keep = call.value('keep')
  if (keep === undefined) return { from: call.value('from'), upTo: call.value('up-to') }
  const [, digits] = /^(\d+(?:\.\d+)?)%?$/.exec(keep.trim()) ?? []
  const keepPercent = Number(digits)
  if (!(keepPercent <= 100)) throw new UsageError(`--keep takes a share like 30%, not "${keep}"`)
  // The user says how much, so there is no minimum.
  return { keepPercent, minKeepMessages: 1 }
}

/** Planned and summarized without a lock, which is held only while the result is written. */
async function compactSummarized(call: Call): Promise<number> {
  const compactor = await compactorOf(call)
  const id = compactor.sessionId
  const { keepPercent, from, upTo } = readCut(call)
  // If another process has it open, the summary could not be written.
  await withSession(call, async () => {})
  const { covered, usage } = compactor.plan({ keepPercent, from, upTo })
  const outcome = await withProgress(
    call,
    `${summarizersOf(call)} summarizes ${plural(covered.length, 'message')}`,
    () => compactor.compact({ keepPercent, from, upTo }),
  )
  // Also when a later one succeeded: the user named it, and it does not answer.
  sayFailures(call, outcome.failures)
  if (outcome.needsRetry) sayFallback(call, id, outcome)
  if (outcome.tokensAfter > outcome.tokensBefore) {
    call.notes.say('The summary is longer than what it covers: the context is larger now')
  }
  const left = usage.messages - outcome.messagesSummarized + 1
  const tokens = `~${formatNumber(outcome.tokensBefore)} → ${formatNumber(outcome.tokensAfter)} tokens`
  return answer(
    call,
    fieldsOf(id, outcome),
    `compacted ${id}: ${usage.messages} → ${left} messages, ${tokens}; ` +
      `boundary ${outcome.boundaryUuid}`,
  )
}

async function retrySummaries(call: Call): Promise<number> {
  if (summarizersOf(call) === undefined) {
    throw new UsageError('--retry needs --summarizer, for example --summarizer ollama:qwen2.5:7b')
  }
  const compactor = await compactorOf(call)
  const id = compactor.sessionId
  const what = `${summarizersOf(call)} retries summaries`
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

/** Those that the user names, else those of the settings. */
function summarizersOf(call: Call): string | undefined {
  const setting = call.store.config().settings.get('summarizer')?.value as string | undefined
  return call.value('summarizer') ?? setting
}

async function compactorOf(call: Call): Promise<Compactor> {
  const { summarizerFrom } = await call.modules.summarizers()
  const names = summarizersOf(call)!.split(',')
  const summarizers = names.map((name) => summarizerFrom(name, call.io.env))
  const { minKeepMessages } = readCut(call)
  const session = findSession(call, call.operands[0]!)
  return createStoredCompactor(call.store, session, { summarizers, minKeepMessages })
}

function fieldsOf(sessionId: string, outcome: CompactionOutcome): object {
  const { trigger: _, ...fields } = outcome
  return { sessionId, ...fields, failures: reasonsOf(outcome.failures) }
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
