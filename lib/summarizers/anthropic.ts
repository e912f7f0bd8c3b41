// Anthropic's messages API.

import { fieldsOf } from '../chain/index.js'
import type { Summarizer } from '../compaction/index.js'
import { summaryOf } from './answer.js'
import { postForObject, textIn } from './post.js'
import { promptOf } from './prompt.js'
import { placeUnder } from './url.js'

export interface AnthropicOptions {
  readonly model: string
  readonly apiKey?: string | undefined
  /** @default 'https://api.anthropic.com' */
  readonly url?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Fields of the request besides; they win. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

const API_VERSION = '2023-06-01'

export function anthropic({
  model,
  apiKey,
  url = 'https://api.anthropic.com',
  headers,
  body,
}: AnthropicOptions): Summarizer {
  const place = placeUnder(url, 'v1/messages')
  return async (request) => {
    const { system, user, maxTokens } = promptOf(request)
    const answer = await postForObject(place, {
      signal: request.signal,
      headers: {
        'anthropic-version': API_VERSION,
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
        ...headers,
      },
      body: {
        model,
        max_tokens: maxTokens,
        system,
        messages: [{ role: 'user', content: user }],
        ...body,
      },
    })
    const blocks = Array.isArray(answer['content']) ? answer['content'] : []
    const texts = blocks.map(fieldsOf).flatMap(({ text }) => (typeof text === 'string' ? text : []))
    const tokens = fieldsOf(answer['usage'])['output_tokens']
    return summaryOf(textIn(place, texts.join('\n'), 'content'), {
      model: answer['model'] ?? model,
      tokens,
    })
  }
}
