// The chain of summaries: a checkpoint that has seen all that goes, the first summarizer, the
// others, any checkpoint of this cycle, and at last a stub that says what is missing. It always
// ends with a text, because without room the conversation could not go on.

import { type Message, messagesOf } from '../chain/index.js'
import { type Asked, askInOrder, type SummaryFailure } from './ask-in-order.js'
import type { Breaker } from './breaker.js'
import {
  anyCheckpoint,
  type CheckpointChoice,
  type CheckpointSummary,
  coveringCheckpoint,
  type FindCheckpoints,
} from './checkpoint-summary.js'
import { sizeOf } from './message-size.js'
import { type CompactionPlan, findPlan, type PlanOptions } from './plan.js'
import type { CompactionSettings } from './policy.js'
import { stubText, withPrevious } from './stub.js'
import type { Summarizer, Summary } from './summarizer.js'

export interface SummaryChain {
  readonly settings: CompactionSettings
  /** Those the plan was made with; the chain may have to plan again. */
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
  /** As it is carried out; it may keep more than the one that was asked for. */
  readonly plan: CompactionPlan
  readonly strategy: 'checkpoint' | 'primary' | 'fallback' | 'emergency'
  /** It does not tell all it should, and is to be replaced when a summarizer can be had. */
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
  if (covering !== undefined) return ofCheckpoint(covering, chain, failures)

  const asked = await askFor(plan, chain)
  failures.push(...asked.failures)
  if (asked.found !== undefined) {
    const { summary, strategy } = asked.found
    return { ...summary, plan, strategy, needsRetry: false, failures }
  }
  const other = anyCheckpoint(plan, checkpoints)
  return other === undefined
    ? emergency(plan, chain, failures)
    : ofCheckpoint(other, chain, failures)
}

/** What a summarizer is given of a plan: the messages mended, an older summary apart from them. */
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

/** Asks for a summary of what a plan covers; also used to make up for one later. */
export function askFor(
  plan: Pick<CompactionPlan, 'context' | 'range'>,
  {
    settings,
    summarizers,
    breaker,
    instructions,
    signal,
  }: Pick<SummaryChain, 'settings' | 'summarizers' | 'breaker' | 'instructions' | 'signal'>,
): Promise<Asked> {
  const { summaryMaxTokens, maxInputTokens, summarizerTimeoutMs: timeoutMs } = settings
  const parts = requestParts(plan)
  const covered = plan.context.messages.slice(plan.range.start, plan.range.end)
  const coveredBytes = covered.reduce((sum, message) => sum + sizeOf(message).bytes, 0)
  const charsMax = Math.max(charsOf(summaryMaxTokens), coveredBytes)
  return askInOrder(
    { ...parts, maxTokens: summaryMaxTokens, maxInputTokens, instructions },
    { summarizers, breaker, timeoutMs, signal, charsMax },
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

function ofCheckpoint(
  { checkpoint, text, plan, coveredCount }: CheckpointChoice,
  { settings, transcriptPath }: SummaryChain,
  failures: readonly SummaryFailure[],
): ChosenSummary {
  const { previousSummary } = requestParts(plan)
  const unseen = plan.range.end - coveredCount
  const note =
    unseen === 0
      ? ''
      : `\n\n[This was written before the last ${unseen} of the messages it stands for; ` +
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

function emergency(
  planned: CompactionPlan,
  { settings, planOptions, transcriptPath }: SummaryChain,
  failures: readonly SummaryFailure[],
): ChosenSummary {
  const { emergencyKeepPercent, summaryMaxTokens } = settings
  const keepPercent = Math.max(emergencyKeepPercent, planned.keepPercent)
  const plan = findPlan(planned.context, { ...planOptions, keepPercent }) ?? planned
  const { messages, previousSummary } = requestParts(plan)
  const charsMax = 2 * charsOf(summaryMaxTokens)
  const text = stubText(messages, { transcriptPath, previousSummary, charsMax })
  return { text, plan, strategy: 'emergency', needsRetry: true, failures }
}

// About the length of a text of so many tokens.
const CHARS_PER_TOKEN = 3.6

function charsOf(tokens: number): number {
  return Math.ceil(tokens * CHARS_PER_TOKEN)
}
