// Each token is counted once, whichever provider counted it.

import { expect, test } from 'vitest'
import { NO_TOKENS, readUsage } from '../../../lib/store/cost/usage.js'

test.each([
  [
    'Anthropic: cached tokens are beside the input',
    {
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: 300,
      cache_creation_input_tokens: 40,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 30 },
    },
    { input: 10, output: 20, cacheRead: 300, cacheWrite: 40, cacheWriteHour: 30 },
  ],
  [
    'our own names',
    { input_tokens: 10, output_tokens: 20, cache_read_tokens: 300, cache_write_tokens: 40 },
    { input: 10, output: 20, cacheRead: 300, cacheWrite: 40 },
  ],
  [
    'OpenAI Responses: cached tokens are a part of the input',
    {
      input_tokens: 1000,
      output_tokens: 200,
      input_tokens_details: { cached_tokens: 900 },
      output_tokens_details: { reasoning_tokens: 150 },
    },
    { input: 100, output: 200, cacheRead: 900, reasoning: 150 },
  ],
  [
    'Codex, imported',
    {
      input_tokens: 1044,
      output_tokens: 20,
      cache_read_tokens: 10,
      raw: {
        input_tokens: 1044,
        cached_input_tokens: 10,
        output_tokens: 20,
        reasoning_output_tokens: 5,
        total_tokens: 1064,
      },
    },
    { input: 1034, output: 20, cacheRead: 10, reasoning: 5 },
  ],
  [
    'Gemini, imported: thoughts are beside the output',
    {
      input_tokens: 1000,
      output_tokens: 20,
      cache_read_tokens: 600,
      raw: { input: 1000, output: 20, cached: 600, thoughts: 30, tool: 5, total: 1055 },
    },
    { input: 405, output: 50, cacheRead: 600, reasoning: 30 },
  ],
  [
    'pi, imported: cached tokens are beside the input',
    {
      input_tokens: 7,
      output_tokens: 20,
      raw: { input: 7, output: 20, cacheRead: 50, cacheWrite: 3, reasoning: 0, cost: { total: 1 } },
    },
    { input: 7, output: 20, cacheRead: 50, cacheWrite: 3 },
  ],
  [
    'numbers that are none',
    { input_tokens: -1, output_tokens: 'x', cache_read_tokens: Number.NaN },
    {},
  ],
])('%s', (_, usage, counts) => {
  expect(readUsage(usage)).toEqual({ ...NO_TOKENS, ...counts })
})

test('what holds no tokens is no usage', () => {
  for (const usage of [undefined, null, 'x', {}, { total: 3 }])
    expect(readUsage(usage)).toBeUndefined()
})
