// A model on this machine, through Ollama's own API. Its answer is taken as it is written, piece by
// piece: `fetch` gives up on a server that is silent for five minutes, and a small machine may
// well take that long for a whole summary.

import { fieldsOf } from '../chain/index.js'
import type { Summarizer } from '../compaction/index.js'
import { summaryOf } from './answer.js'
import { type Answer, failed, objectIn, postForText, textIn } from './post.js'
import { promptOf } from './prompt.js'
import { placeUnder } from './url.js'

export interface OllamaOptions {
  readonly model: string
  /** @default 'http://127.0.0.1:11434' */
  readonly url?: string | undefined
  /** Model parameters besides, as Ollama calls them. */
  readonly options?: Readonly<Record<string, unknown>> | undefined
}

export function ollama({
  model,
  url = 'http://127.0.0.1:11434',
  options,
}: OllamaOptions): Summarizer {
  const place = placeUnder(url, 'api/chat')
  return async (request) => {
    const { system, user, maxTokens, contextTokens } = promptOf(request)
    const answer = await postForText(place, {
      signal: request.signal,
      body: {
        model,
        stream: true,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
        // Without it the server reads a few thousand tokens and drops the rest without a word.
        options: { num_ctx: contextTokens, num_predict: maxTokens, ...options },
      },
    })
    const pieces = piecesOf(place, answer)
    const text = pieces.map((piece) => fieldsOf(piece['message'])['content'] ?? '').join('')
    const { model: answered, eval_count: tokens } = pieces.at(-1)!
    return summaryOf(textIn(place, text, 'message.content'), { model: answered ?? model, tokens })
  }
}

/** One JSON object per line, the last of which says that it is the last. */
function piecesOf(place: string, answer: string): Answer[] {
  const lines = answer.split('\n').filter((line) => line.trim() !== '')
  const pieces = lines.map((line) => objectIn(place, line))
  const error = pieces.find((piece) => piece['error'] !== undefined)?.['error']
  if (error !== undefined) throw failed(place, `it gave up: ${String(error)}`)
  if (pieces.at(-1)?.['done'] !== true) throw failed(place, 'its answer was cut off')
  return pieces
}
