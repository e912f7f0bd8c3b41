// Any server with OpenAI's chat completions: OpenAI, vLLM, llama.cpp, LM Studio and others.

import { fieldsOf } from '../chain/index.js'
import type { Summarizer } from '../compaction/index.js'
import { assertText, endpointUnder, postForObject } from './post.js'
import { toChat, toPrompt, toSummary } from './prompt.js'

export interface OpenAiOptions {
  /** The model to ask. */
  readonly model: string
  /**
   * The base URL of the API.
   *
   * @default 'https://api.openai.com/v1'
   */
  readonly url?: string | undefined
  /**
   * The key for the `authorization` header.
   *
   * @default none
   */
  readonly apiKey?: string | undefined
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

/** Summarizes with a model behind an OpenAI-compatible API. */
export function openAiCompatible({
  model,
  url = 'https://api.openai.com/v1',
  apiKey,
  headers,
  body,
}: OpenAiOptions): Summarizer {
  const endpoint = endpointUnder(url, 'chat/completions')
  return async (request) => {
    const prompt = toPrompt(request)
    const answer = await postForObject(endpoint, {
      signal: request.signal,
      headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers },
      body: { model, max_tokens: prompt.maxTokens, messages: toChat(prompt), ...body },
    })
    const [choice] = Array.isArray(answer['choices']) ? answer['choices'] : []
    const { content } = fieldsOf(fieldsOf(choice)['message'])
    const text = assertText(endpoint, content, 'choices[0].message.content')
    return toSummary(text, answer['model'] ?? model, fieldsOf(answer['usage'])['completion_tokens'])
  }
}
