// Any server that speaks OpenAI's chat completions: OpenAI, vLLM, llama.cpp, LM Studio and others.

import { fieldsOf } from '../chain/index.js'
import type { Summarizer } from '../compaction/index.js'
import { summaryOf } from './answer.js'
import { postForObject, textIn } from './post.js'
import { promptOf } from './prompt.js'
import { placeUnder } from './url.js'

export interface OpenAiOptions {
  readonly model: string
  /** @default 'https://api.openai.com/v1' */
  readonly url?: string | undefined
  readonly apiKey?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Fields of the request besides; they win. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

export function openAiCompatible({
  model,
  url = 'https://api.openai.com/v1',
  apiKey,
  headers,
  body,
}: OpenAiOptions): Summarizer {
  const place = placeUnder(url, 'chat/completions')
  return async (request) => {
    const { system, user, maxTokens } = promptOf(request)
    const answer = await postForObject(place, {
      signal: request.signal,
      headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers },
      body: {
        model,
        max_tokens: maxTokens,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
        ...body,
      },
    })
    const [choice] = Array.isArray(answer['choices']) ? answer['choices'] : []
    const { content } = fieldsOf(fieldsOf(choice)['message'])
    const text = textIn(place, content, 'choices[0].message.content')
    const tokens = fieldsOf(answer['usage'])['completion_tokens']
    return summaryOf(text, { model: answer['model'] ?? model, tokens })
  }
}
