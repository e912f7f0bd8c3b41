// The APIs of models: Ollama on this machine, Anthropic, and every server with OpenAI's chat
// completions (OpenAI, vLLM, llama.cpp, LM Studio and others).

import { fieldsOf } from '../chain/index.js'
import type { Summarizer } from '../compaction/index.js'
import { type Answer, endpointUnder, parseObject, postForText, serverError } from './post.js'
import { type Prompt, toChat, toPrompt, toSummary } from './prompt.js'

interface ModelOptions {
  /** The model to ask. */
  readonly model: string
}

interface ServiceOptions extends ModelOptions {
  /**
   * The key for the `x-api-key` header of Anthropic, or the `authorization` header of the others.
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

export interface AnthropicOptions extends ServiceOptions {
  /**
   * The base URL of the API.
   *
   * @default 'https://api.anthropic.com'
   */
  readonly url?: string | undefined
}

export interface OpenAiOptions extends ServiceOptions {
  /**
   * The base URL of the API.
   *
   * @default 'https://api.openai.com/v1'
   */
  readonly url?: string | undefined
}

export interface OllamaOptions extends ModelOptions {
  /**
   * The base URL of the server.
   *
   * @default 'http://127.0.0.1:11434'
   */
  readonly url?: string | undefined
  /**
   * Further model parameters, by the names that Ollama uses.
   *
   * @default none
   */
  readonly options?: Readonly<Record<string, unknown>> | undefined
}

/** How one API is asked, and where its answer has the text. */
interface Api {
  readonly url: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body: (prompt: Prompt) => Readonly<Record<string, unknown>>
  /** The path of the text in an answer, for errors. */
  readonly textPath: string
  readonly read: (endpoint: string, answer: string) => ApiAnswer
}

interface ApiAnswer {
  readonly text: unknown
  readonly model: unknown
  readonly tokens: unknown
}

function summarizerOf(
  model: string,
  { url, path, headers, body, textPath, read }: Api,
): Summarizer {
  const endpoint = endpointUnder(url, path)
  return async (request) => {
    const options = { signal: request.signal, headers, body: { model, ...body(toPrompt(request)) } }
    const { text, tokens, ...answer } = read(endpoint, await postForText(endpoint, options))
    if (typeof text === 'string' && text.trim() !== '') {
      return toSummary(text.trim(), answer.model ?? model, tokens)
    }
    throw serverError(endpoint, `its answer has no text in ${textPath}`)
  }
}

/** Summarizes with a model of Anthropic. */
export function anthropic({ model, apiKey, url, headers, body }: AnthropicOptions): Summarizer {
  return summarizerOf(model, {
    url: url ?? 'https://api.anthropic.com',
    path: 'v1/messages',
    headers: {
      'anthropic-version': '2023-06-01',
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...headers,
    },
    body: ({ system, user, maxTokens }) => ({
      max_tokens: maxTokens,
      system,
      messages: [{ role: 'user', content: user }],
      ...body,
    }),
    textPath: 'content',
    read(endpoint, answer) {
      const { content, model, usage } = parseObject(endpoint, answer)
      const blocks = (Array.isArray(content) ? content : []).map(fieldsOf)
      const texts = blocks.flatMap(({ text }) => (typeof text === 'string' ? text : []))
      return { text: texts.join('\n'), model, tokens: fieldsOf(usage)['output_tokens'] }
    },
  })
}

/** Summarizes with a model behind an OpenAI-compatible API. */
export function openAiCompatible({ model, url, apiKey, headers, body }: OpenAiOptions): Summarizer {
  return summarizerOf(model, {
    url: url ?? 'https://api.openai.com/v1',
    path: 'chat/completions',
    headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers },
    body: (prompt) => ({ max_tokens: prompt.maxTokens, messages: toChat(prompt), ...body }),
    textPath: 'choices[0].message.content',
    read(endpoint, answer) {
      const { choices, model, usage } = parseObject(endpoint, answer)
      const [choice] = Array.isArray(choices) ? choices : []
      const { content } = fieldsOf(fieldsOf(choice)['message'])
      return { text: content, model, tokens: fieldsOf(usage)['completion_tokens'] }
    },
  })
}

/**
 * Summarizes with a model that Ollama runs on this machine. The answer is streamed: `fetch` gives up
 * on a server that is silent for five minutes, and a small machine may take that long.
 */
export function ollama({ model, url, options }: OllamaOptions): Summarizer {
  return summarizerOf(model, {
    url: url ?? 'http://127.0.0.1:11434',
    path: 'api/chat',
    body: (prompt) => ({
      stream: true,
      messages: toChat(prompt),
      // Without num_ctx the server reads a few thousand tokens and silently drops the rest.
      options: { num_ctx: prompt.contextTokens, num_predict: prompt.maxTokens, ...options },
    }),
    textPath: 'message.content',
    read(endpoint, answer) {
      const pieces = parsePieces(endpoint, answer)
      const text = pieces.map((piece) => fieldsOf(piece['message'])['content'] ?? '').join('')
      const { model, eval_count: tokens } = pieces.at(-1)!
      return { text, model, tokens }
    },
  })
}

/** One JSON object per line; the last one has `done`. */
function parsePieces(endpoint: string, answer: string): Answer[] {
  const lines = answer.split('\n').filter((line) => line.trim() !== '')
  const pieces = lines.map((line) => parseObject(endpoint, line))
  const error = pieces.find((piece) => piece['error'] !== undefined)?.['error']
  if (error !== undefined) throw serverError(endpoint, `it gave up: ${String(error)}`)
  if (pieces.at(-1)?.['done'] !== true) throw serverError(endpoint, 'its answer was cut off')
  return pieces
}
