// What a model gets: instructions and the conversation as text between marks; and what a summarizer
// returns for the text that the model wrote.

import {
  readStructured,
  renderForSummary,
  type Summary,
  type SummaryRequest,
} from '../compaction/index.js'

export interface Prompt {
  readonly system: string
  readonly user: string
  /** The limit for the model: twice what was asked for, so that it can finish its sentence. */
  readonly maxTokens: number
  /** The size of the prompt and the answer. */
  readonly contextTokens: number
}

const INPUT_TOKENS = 100_000
const CHARS_PER_TOKEN = 3

export function toPrompt(request: SummaryRequest): Prompt {
  const { messages, previousSummary, instructions, maxTokens, maxInputTokens } = request
  const inputTokens = maxInputTokens ?? INPUT_TOKENS
  const previous = previousSummary?.trim().toWellFormed() ?? ''
  const otherTokens = Math.ceil((previous.length + instructions.length) / CHARS_PER_TOKEN)
  const conversation = renderForSummary(messages, {
    maxTokens: Math.max(0, inputTokens - otherTokens),
  })
  const before =
    previous === ''
      ? ''
      : `This was known before the conversation. Keep of it what still matters.\n\n<before>\n${previous}\n</before>\n\n`
  const user = `${before}<conversation>\n${conversation}\n</conversation>\n\nWrite the summary now.`
  const answerTokens = 2 * maxTokens
  return {
    system: instructions.toWellFormed(),
    user,
    maxTokens: answerTokens,
    contextTokens: inputTokens + answerTokens,
  }
}

/** The prompt as messages of a chat API. */
export function toChat({ system, user }: Prompt) {
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ]
}

export function toSummary(text: string, model: unknown, tokens: unknown): Summary {
  const structured = readStructured(text)
  return {
    text,
    ...(structured !== undefined && { structured }),
    ...(typeof model === 'string' && { model }),
    ...(Number.isSafeInteger(tokens) && { tokens: tokens as number }),
  }
}
