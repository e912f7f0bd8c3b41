// Where a summary comes from, in this order: a checkpoint that covers all messages that go, the
// first summarizer, the other summarizers, any checkpoint of this cycle, and a stub that says what
// is missing. There is always a text, because a full context would end the conversation.

import { type Message, messagesOf } from '../chain/index.js'
import type { Environment } from '../environment/index.js'
import { clipEnd } from '../format/index.js'
import { type Asked, askInOrder, type Breaker, type SummaryFailure } from './ask.js'
import {
  anyCheckpoint,
  type CheckpointChoice,
  type CheckpointSummary,
  coveringCheckpoint,
  type FindCheckpoints,
} from './checkpoint-summary.js'
import { sizeOf } from './count-tokens.js'
import { type CompactionPlan, findPlan, type PlanOptions } from './plan.js'
import type { CompactionSettings } from './policy.js'
import type { Summarizer, Summary } from './summarizer.js'

export interface SummaryChain {
  readonly env: Environment
  readonly settings: CompactionSettings
  /** The options of the plan; another plan may have to be made with them. */
  readonly planOptions: PlanOptions
  readonly summarizers: readonly Summarizer[]
  readonly breaker: Breaker
  readonly instructions: string
  readonly findCheckpoints: FindCheckpoints | undefined
  readonly sessionKey: string
  readonly transcriptPath: string
  readonly signal?: AbortSignal | undefined
}

export interface ChosenSummary extends Summary {
  /** The plan that is carried out; it may keep more than the one that was given. */
  readonly plan: CompactionPlan
  readonly strategy: 'checkpoint' | 'primary' | 'fallback' | 'emergency'
  /** It is incomplete, and to be replaced when a summarizer answers again. */
  readonly needsRetry: boolean
  readonly checkpointId?: string | undefined
  readonly failures: readonly SummaryFailure[]
}

/** Rejects only when its signal is aborted. */
export async function chooseSummary(
  plan: CompactionPlan,
  chain: SummaryChain,
): Promise<ChosenSummary> {
  const { settings, planOptions } = chain
  const { checkpoints, failures } = await findCheckpoints(plan, chain)
  const covering = settings.preferCheckpoint
    ? coveringCheckpoint(plan, checkpoints, planOptions)
    : undefined
  if (covering !== undefined) return fromCheckpoint(covering, chain, failures)

  const asked = await askFor(plan, chain)
  failures.push(...asked.failures)
  if (asked.found !== undefined) {
    const { summary, strategy } = asked.found
    return { ...summary, plan, strategy, needsRetry: false, failures }
  }
  const other = anyCheckpoint(plan, checkpoints)
  return other === undefined
    ? toStub(plan, chain, failures)
    : fromCheckpoint(other, chain, failures)
}

/** What a summarizer gets of a plan: the repaired messages, and an older summary apart from them. */
export function requestParts({ context, range }: Pick<CompactionPlan, 'context' | 'range'>): {
  readonly messages: readonly Message[]
  readonly previousSummary: string | undefined
} {
  const entries = context.entries.slice(range.start, range.end)
  const first = entries.findIndex(({ kind }) => kind !== 'summary')
  const older = entries.slice(0, first === -1 ? entries.length : first)
  const texts = older.flatMap((entry) => (entry.kind === 'summary' ? entry.text : []))
  const rest = entries.slice(older.length)
  const { messages } = messagesOf({ entries: rest, compactedCount: rest.length })
  return { messages, previousSummary: texts.length === 0 ? undefined : texts.join('\n\n') }
}

/** Asks for a summary of what a plan covers; also used to replace an incomplete one later. */
export function askFor(
  plan: Pick<CompactionPlan, 'context' | 'range'>,
  chain: Pick<
    SummaryChain,
    'env' | 'settings' | 'summarizers' | 'breaker' | 'instructions' | 'signal'
  >,
): Promise<Asked> {
  const { settings, instructions } = chain
  const { summaryMaxTokens, maxInputTokens, summarizerTimeoutMs: timeoutMs } = settings
  const parts = requestParts(plan)
  const covered = plan.context.messages.slice(plan.range.start, plan.range.end)
  const coveredBytes = covered.reduce((sum, message) => sum + sizeOf(message).bytes, 0)
  const charsMax = Math.max(charsOf(summaryMaxTokens), coveredBytes)
  return askInOrder(
    { ...parts, maxTokens: summaryMaxTokens, maxInputTokens, instructions },
    { ...chain, timeoutMs, charsMax },
  )
}

async function findCheckpoints(
  { context }: CompactionPlan,
  { findCheckpoints: find, sessionKey }: SummaryChain,
): Promise<{ checkpoints: readonly CheckpointSummary[]; failures: SummaryFailure[] }> {
  try {
    return { checkpoints: (await find?.(sessionKey, context.boundaryUuid)) ?? [], failures: [] }
  } catch (error) {
    return { checkpoints: [], failures: [{ step: 'find_checkpoints', error }] }
  }
}

function fromCheckpoint(
  { checkpoint, text, plan, coveredCount }: CheckpointChoice,
  { settings, transcriptPath }: SummaryChain,
  failures: readonly SummaryFailure[],
): ChosenSummary {
  const { previousSummary } = requestParts(plan)
  const unseen = plan.range.end - coveredCount
  const note =
    unseen === 0
      ? ''
      : `\n\n[This was written before the last ${unseen} of the messages it replaces; ` +
        `${transcriptPath} holds them all.]`
  return {
    text: withPrevious(`${text}${note}`, previousSummary, 2 * charsOf(settings.summaryMaxTokens)),
    plan,
    strategy: 'checkpoint',
    needsRetry: unseen > 0,
    checkpointId: checkpoint.id,
    failures,
  }
}

function toStub(
  planned: CompactionPlan,
  { settings, planOptions, transcriptPath }: SummaryChain,
  failures: readonly SummaryFailure[],
): ChosenSummary {
  const { emergencyKeepPercent, summaryMaxTokens } = settings
  const keepPercent = Math.max(emergencyKeepPercent, planned.keepPercent)
  const plan = findPlan(planned.context, { ...planOptions, keepPercent }) ?? planned
  const { messages, previousSummary } = requestParts(plan)
  const charsMax = 2 * charsOf(summaryMaxTokens)
  const text = withPrevious(stubText(messages, transcriptPath), previousSummary, charsMax)
  return { text, plan, strategy: 'emergency', needsRetry: true, failures }
}

/** Says how many messages are missing and where they are stored. */
function stubText(messages: readonly Message[], transcriptPath: string): string {
  const count = `${messages.length} earlier ${messages.length === 1 ? 'message' : 'messages'}`
  const times = messages.map(({ ts }) => ts).filter((ts) => typeof ts === 'string' && ts !== '')
  const span = times.length === 0 ? '' : ` (${times[0]} to ${times.at(-1)})`
  return (
    `[No summary could be made of ${count}${span}. They are not shown here, but nothing is lost: ` +
    `${transcriptPath} holds them all. Look there before relying on what they may have said.]`
  )
}

/** Adds the older summary, as far as it fits, unless the text contains it. */
function withPrevious(text: string, previousSummary: string | undefined, charsMax: number): string {
  const previous = previousSummary?.trim() ?? ''
  if (previous === '' || text.includes(previous)) return text
  const chars = charsMax - text.length
  return chars < 100
    ? text
    : `${text}\n\nWhat was known before that:\n\n${clipEnd(previous, chars)}`
}

// An approximation for texts.
const CHARS_PER_TOKEN = 3.6

function charsOf(tokens: number): number {
  return Math.ceil(tokens * CHARS_PER_TOKEN)
}
