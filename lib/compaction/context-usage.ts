// How full the context is, and how exact that number is.

import { SessionError } from '../errors.js'
import type { Context } from './context.js'
import {
  type CountTokens,
  calibrate,
  counterOf,
  type TokenCounter,
  usagesOf,
} from './count-tokens.js'

export interface UsageOptions {
  /**
   * The host's count of the whole context; nothing is estimated then.
   *
   * @default estimated
   */
  readonly tokens?: number | undefined
  /**
   * Counts the messages that no provider has counted yet.
   *
   * @default by bytes, with a ratio learnt from the session's own `usage`
   */
  readonly countTokens?: CountTokens | undefined
  /**
   * The system prompt and the tools, for as long as no provider has counted them.
   *
   * @default 0
   */
  readonly overheadTokens?: number | undefined
}

/** How full the context is. */
export interface ContextUsage {
  readonly tokens: number
  /**
   * - `host`: the host counted
   * - `usage`: the provider counted up to its last reply, the rest is estimated
   * - `estimate`: there is no count of the present context
   */
  readonly source: 'host' | 'usage' | 'estimate'
  /** How many tokens it may be off, either way. */
  readonly margin: number
  readonly messages: number
  readonly bytesPerToken: number
  /** From how many counts of the provider the ratio was learnt. */
  readonly samples: number
}

export interface MeasuredContext {
  readonly usage: ContextUsage
  readonly counter: TokenCounter
}

export function measure(context: Context, options: UsageOptions = {}): MeasuredContext {
  const { tokens, countTokens, overheadTokens = 0 } = options
  const counter = countTokens === undefined ? calibrate(context) : counterOf(countTokens)
  const { bytesPerToken, samples, uncertainty } = counter
  const shared = { messages: context.messages.length, bytesPerToken, samples }
  if (tokens !== undefined) {
    return { usage: { tokens: checked(tokens), source: 'host', margin: 0, ...shared }, counter }
  }
  const last = usagesOf(context).at(-1)
  let estimated = 0
  for (const message of context.messages.slice(uncountedFrom(context, last?.index))) {
    estimated += checked(counter.count(message))
  }
  const margin = Math.ceil(estimated * uncertainty)
  if (last === undefined) {
    const total = estimated + overheadTokens
    return { usage: { tokens: total, source: 'estimate', margin, ...shared }, counter }
  }
  return { usage: { tokens: last.after + estimated, source: 'usage', margin, ...shared }, counter }
}

/** The calls directly after a reply were part of it, so its count includes them. */
function uncountedFrom({ messages }: Context, counted: number | undefined): number {
  if (counted === undefined) return 0
  let index = counted + 1
  while (messages[index]?.type === 'tool_call') index++
  return index
}

function checked(tokens: unknown): number {
  if (typeof tokens !== 'number') throw new TypeError('A count of tokens must be a number')
  if (Number.isFinite(tokens) && tokens >= 0) return Math.ceil(tokens)
  throw new SessionError('ERR_ARG', `A count of tokens must be 0 or more, not ${tokens}`)
}
