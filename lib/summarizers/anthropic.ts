// Anthropic's messages API.

import { fieldsOf } from '../chain/index.js'
import type { Summarizer } from '../compaction/index.js'
import { assertText, endpointUnder, postForObject } from './post.js'
import { toPrompt, toSummary } from './prompt.js'

export interface AnthropicOptions {
  /** The model to ask. */
  readonly model: string
  /**
   * The key for the `x-api-key` header.
   *
   * @default none
   */
  readonly apiKey?: string | undefined
  /**
   * The base URL of the API.
   *
   * @default 'https://api.anthropic.com'
   */
  readonly url?: string | undefined
  /**
   * Further headers of the request.
   *
   * @default none
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Further fields of the request, which override the usual ones.
   *
   * @default none
   */
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

const API_VERSION = '2023-06-01'

/** Summarizes with a model of Anthropic. */
export function anthropic({
  model,
  apiKey,
  url = 'https://api.anthropic.com',
  headers,
  body,
}: AnthropicOptions): Summarizer {
  const endpoint = endpointUnder(url, 'v1/messages')
  return async (request) => {
    const { system, user, maxTokens } = toPrompt(request)
    const answer = await postForObject(endpoint, {
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
    const text = assertText(endpoint, texts.join('\n'), 'content')
    return toSummary(text, answer['model'] ?? model, fieldsOf(answer['usage'])['output_tokens'])
  }
}
