// Which messages a summary will replace, and which stay. Pure: the same context and options give the
// same plan.

import type { Message } from '../chain/index.js'
import { SessionError } from '../errors.js'
import { chooseRange, type Range } from './choose-range.js'
import { type Context, type ContextSource, contextOf } from './context.js'
import { type ContextUsage, measure, type UsageOptions } from './context-usage.js'
import { policySettings } from './policy.js'

export interface PlanOptions extends UsageOptions {
  /**
   * The share of the messages that stays.
   *
   * @default 10
   */
  readonly keepPercent?: number | undefined
  /**
   * At least this many messages stay.
   *
   * @default 5
   */
  readonly minKeepMessages?: number | undefined
  /**
   * Summarize from this message on, and keep what is before it.
   *
   * @default none
   */
  readonly from?: string | undefined
  /**
   * Summarize up to this message, and keep what follows it.
   *
   * @default none
   */
  readonly upTo?: string | undefined
  /**
   * The size of the summary.
   *
   * @default 2000
   */
  readonly summaryMaxTokens?: number | undefined
  /**
   * Keep fewer messages than asked for while the context would be larger than this.
   *
   * @default no limit
   */
  readonly maxTokensAfter?: number | undefined
}

/** What a compaction would cover and keep. */
export interface CompactionPlan {
  /** Which messages stay: the last ones, the first ones, or none. */
  readonly keeps: 'suffix' | 'prefix' | 'nothing'
  /** What the summary will replace, including an older summary. */
  readonly covered: readonly Message[]
  /** What stays, in order. After a kept prefix there may be calls that wait for results. */
  readonly kept: readonly Message[]
  /** The covered messages, as indexes into the messages of the context. */
  readonly range: Range
  readonly usage: ContextUsage
  readonly tokensBefore: number
  readonly tokensCovered: number
  /** With a summary of the requested size. */
  readonly tokensAfter: number
  readonly keepPercent: number
  /** The context at the time of the plan; it is compared when the plan is carried out. */
  readonly context: Context
}

/** Throws `ERR_NOTHING_TO_COMPACT` where no cut would cover a message. */
export function planCompaction(source: ContextSource, options: PlanOptions = {}): CompactionPlan {
  const plan = findPlan(contextOf(source), options)
  if (plan !== undefined) return plan
  throw new SessionError('ERR_NOTHING_TO_COMPACT', 'There is no message to summarize')
}

/** The same for a given context; `undefined` where there is no such cut. */
export function findPlan(context: Context, options: PlanOptions = {}): CompactionPlan | undefined {
  const { keepPercent, minKeepMessages, summaryMaxTokens } = policySettings(options)
  const { usage, counter } = measure(context, options)
  const { messages } = context
  const sums = [0]
  for (const message of messages) sums.push(sums.at(-1)! + counter.count(message))
  const tokensOf = ({ start, end }: Range) => sums[end]! - sums[start]!
  const tokensAfter = (range: Range) => {
    const covered = tokensOf(range)
    return Math.max(0, usage.tokens - covered) + Math.min(summaryMaxTokens, covered)
  }
  const { from, upTo, maxTokensAfter = Number.POSITIVE_INFINITY } = options
  const range = chooseRange(context, {
    from,
    upTo,
    keepPercent,
    minKeepMessages,
    isSmallEnough: (candidate) => tokensAfter(candidate) <= maxTokensAfter,
  })
  if (range === undefined) return undefined
  const { start, end } = range
  const isAllCovered = end - start === messages.length
  return {
    keeps: isAllCovered ? 'nothing' : start === 0 ? 'suffix' : 'prefix',
    covered: messages.slice(start, end),
    kept: [...messages.slice(0, start), ...messages.slice(end)],
    range,
    usage,
    tokensBefore: usage.tokens,
    tokensCovered: tokensOf(range),
    tokensAfter: tokensAfter(range),
    keepPercent,
    context,
  }
}
