// The words a model is given: what to do, and the conversation as text between marks.

import { renderForSummary, type SummaryRequest } from '../compaction/index.js'

export interface Prompt {
  readonly system: string
  readonly user: string
  /** The most the model may write: twice what it was asked for, so that it can end its sentence. */
  readonly maxTokens: number
  /** What it has to hold: the prompt and the answer. */
  readonly contextTokens: number
}

const INPUT_TOKENS = 100_000
const CHARS_PER_TOKEN = 3

export function promptOf(request: SummaryRequest): Prompt {
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
