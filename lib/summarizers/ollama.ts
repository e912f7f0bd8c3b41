// A model on this machine, through Ollama's own API. The answer is streamed: `fetch` gives up on a
// server that is silent for five minutes, and a small machine may take that long for a summary.

import { fieldsOf } from '../chain/index.js'
import type { Summarizer } from '../compaction/index.js'
import {
  type Answer,
  assertText,
  endpointUnder,
  parseObject,
  postForText,
  serverError,
} from './post.js'
import { toChat, toPrompt, toSummary } from './prompt.js'

export interface OllamaOptions {
  /** The model to ask. */
  readonly model: string
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

/** Summarizes with a model that Ollama runs on this machine. */
export function ollama({
  model,
  url = 'http://127.0.0.1:11434',
  options,
}: OllamaOptions): Summarizer {
  const endpoint = endpointUnder(url, 'api/chat')
  return async (request) => {
    const prompt = toPrompt(request)
    // Without num_ctx the server reads a few thousand tokens and silently drops the rest.
    const limits = { num_ctx: prompt.contextTokens, num_predict: prompt.maxTokens }
    const answer = await postForText(endpoint, {
      signal: request.signal,
      body: { model, stream: true, messages: toChat(prompt), options: { ...limits, ...options } },
    })
    const pieces = parsePieces(endpoint, answer)
    const text = pieces.map((piece) => fieldsOf(piece['message'])['content'] ?? '').join('')
    const { model: answered, eval_count: tokens } = pieces.at(-1)!
    return toSummary(assertText(endpoint, text, 'message.content'), answered ?? model, tokens)
  }
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
