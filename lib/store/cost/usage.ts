// The tokens of a reply. Providers differ in what they include in what: each token is counted here
// once, so that sums and prices are right for all of them.

import { fieldsOf } from '../../format/fields.js'

/** Tokens as the providers counted them. */
export interface TokenCounts {
  /** Read anew: neither from a cache nor into one. */
  input: number
  /** Of the reply, with what the model thought. */
  output: number
  /** Read from a cache. */
  cacheRead: number
  /** Read and put into a cache. */
  cacheWrite: number
  /** The part of `cacheWrite` that is kept for an hour, which costs more. */
  cacheWriteHour: number
  /** The part of `output` that the model thought, where that is known. */
  reasoning: number
}

export const NO_TOKENS: Readonly<TokenCounts> = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  reasoning: 0,
}

/**
 * Reads the `usage` of a payload. `raw`, where an importer kept it, decides what its numbers mean:
 * Anthropic and pi count cached tokens beside the input, OpenAI and Google as a part of it, and Google
 * counts thoughts beside the output. `undefined` if no tokens are in it.
 */
export function readUsage(usage: unknown): Readonly<TokenCounts> | undefined {
  const own = fieldsOf(usage)
  if (own['input_tokens'] === undefined && own['output_tokens'] === undefined) return undefined
  const raw = typeof own['raw'] === 'object' && own['raw'] !== null ? fieldsOf(own['raw']) : own
  if (raw['thoughts'] !== undefined || raw['cached'] !== undefined) return readGemini(raw)
  if (raw['cacheRead'] !== undefined) return readPi(raw)
  const inside =
    fieldsOf(raw['input_tokens_details'])['cached_tokens'] ?? raw['cached_input_tokens']
  if (inside !== undefined) return readOpenAI(raw, inside)
  const cacheWrite = raw['cache_creation_input_tokens'] ?? own['cache_write_tokens']
  const hour = fieldsOf(raw['cache_creation'])['ephemeral_1h_input_tokens']
  return {
    input: toCount(own['input_tokens']),
    output: toCount(own['output_tokens']),
    cacheRead: toCount(raw['cache_read_input_tokens'] ?? own['cache_read_tokens']),
    cacheWrite: toCount(cacheWrite),
    cacheWriteHour: Math.min(toCount(hour), toCount(cacheWrite)),
    reasoning: reasoningOf(raw, toCount(own['output_tokens'])),
  }
}

function readOpenAI(raw: Readonly<Record<string, unknown>>, cached: unknown): TokenCounts {
  const total = toCount(raw['input_tokens'])
  const cacheRead = Math.min(total, toCount(cached))
  const cacheWrite = Math.min(total - cacheRead, toCount(raw['cache_write_input_tokens']))
  const output = toCount(raw['output_tokens'])
  const input = total - cacheRead - cacheWrite
  const reasoning = reasoningOf(raw, output)
  return { input, output, cacheRead, cacheWrite, cacheWriteHour: 0, reasoning }
}

function readGemini(raw: Readonly<Record<string, unknown>>): TokenCounts {
  const total = toCount(raw['input'])
  const cacheRead = Math.min(total, toCount(raw['cached']))
  const reasoning = toCount(raw['thoughts'])
  const output = toCount(raw['output']) + reasoning
  const input = total - cacheRead + toCount(raw['tool'])
  return { input, output, cacheRead, cacheWrite: 0, cacheWriteHour: 0, reasoning }
}

function readPi(raw: Readonly<Record<string, unknown>>): TokenCounts {
  const output = toCount(raw['output'])
  return {
    input: toCount(raw['input']),
    output,
    cacheRead: toCount(raw['cacheRead']),
    cacheWrite: toCount(raw['cacheWrite']),
    cacheWriteHour: 0,
    reasoning: Math.min(output, toCount(raw['reasoning'])),
  }
}

function reasoningOf(raw: Readonly<Record<string, unknown>>, output: number): number {
  const inDetails = fieldsOf(raw['output_tokens_details'])['reasoning_tokens']
  return Math.min(output, toCount(raw['reasoning_output_tokens'] ?? inDetails))
}

/** All tokens, each once. */
export function sumTokens({ input, output, cacheRead, cacheWrite }: TokenCounts): number {
  return input + output + cacheRead + cacheWrite
}

export function addTokens(to: TokenCounts, added: Readonly<TokenCounts>): void {
  to.input += added.input
  to.output += added.output
  to.cacheRead += added.cacheRead
  to.cacheWrite += added.cacheWrite
  to.cacheWriteHour += added.cacheWriteHour
  to.reasoning += added.reasoning
}

/** Damage and other programs may leave any number. */
function toCount(value: unknown): number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? Math.floor(value) : 0
}
