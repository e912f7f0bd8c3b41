// What is counted of events, and how counts are added up.

import type { SessionEvent } from '../format/index.js'
import { fieldsOf } from './session-digest-events.js'

export interface TokenCounts {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
}

export interface Tally {
  /** On the disk, newlines included; the copied part of a fork too. */
  bytes: number
  /** Those of a fork's copied part once, as with all that follows. */
  events: number
  /** As the providers counted them. */
  tokens: TokenCounts
  toolCalls: number
  /** Failed tools and subagents. */
  errors: number
  compactions: number
  /** By how much compactions made the context smaller, where both sizes were recorded. */
  tokensSaved: number
  /** Stretches of bytes that hold no event. */
  damaged: number
}

export function newTally(): Tally {
  return {
    bytes: 0,
    events: 0,
    tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    toolCalls: 0,
    errors: 0,
    compactions: 0,
    tokensSaved: 0,
    damaged: 0,
  }
}

const NO_TOKENS: Readonly<TokenCounts> = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export function tokensOf({ payload }: SessionEvent): Readonly<TokenCounts> {
  const usage = fieldsOf(fieldsOf(payload)['usage'])
  if (usage['input_tokens'] === undefined && usage['output_tokens'] === undefined) return NO_TOKENS
  return {
    input: countOf(usage['input_tokens']),
    output: countOf(usage['output_tokens']),
    // The second name of each is the provider's own.
    cacheRead: countOf(usage['cache_read_tokens'] ?? usage['cache_read_input_tokens']),
    cacheWrite: countOf(usage['cache_write_tokens'] ?? usage['cache_creation_input_tokens']),
  }
}

/** How much smaller the context got; 0 where nobody knows. */
export function savedBy({ payload }: SessionEvent): number {
  const { tokens_before, tokens_after } = fieldsOf(payload)
  if (typeof tokens_after !== 'number') return 0
  return Math.max(0, countOf(tokens_before) - countOf(tokens_after))
}

/** Adds `factor` times the tokens, so that what was counted before can be taken back. */
export function addTokens(
  to: TokenCounts,
  { input, output, cacheRead, cacheWrite }: Readonly<TokenCounts>,
  factor: 1 | -1 = 1,
): void {
  to.input += factor * input
  to.output += factor * output
  to.cacheRead += factor * cacheRead
  to.cacheWrite += factor * cacheWrite
}

function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0
}
