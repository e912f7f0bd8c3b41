// A conversation as text for a model that summarizes it: who said what, tools in short. What does not
// fit is left out from the start, because the newest messages matter most.

import { type Message, type Part, partsOf } from '../chain/index.js'
import { clipMiddle } from '../format/index.js'

export interface RenderOptions {
  /**
   * The size of the text; the middle of longer texts is left out.
   *
   * @default 100000
   */
  readonly maxTokens?: number | undefined
}

const RESULT_CHARS_MAX = 2000
// Below the measured 3.6 bytes: a request that is too long is rejected.
const CHARS_PER_TOKEN = 3

const SPEAKERS: ReadonlyMap<string, string> = new Map([
  ['user', 'User'],
  ['assistant', 'Assistant'],
  ['system', 'System'],
  ['tool_call', 'Assistant'],
  ['tool_result', 'Tool'],
  ['summary', 'Summary of what was before'],
  ['subagent_result', 'Subagent'],
])

/** Renders messages as the text that a summarizer reads. */
export function renderForSummary(
  messages: readonly Message[],
  { maxTokens = 100_000 }: RenderOptions = {},
): string {
  let chars = Math.max(RESULT_CHARS_MAX, Math.floor(maxTokens * CHARS_PER_TOKEN))
  const shown: string[] = []
  let index = messages.length - 1
  for (; index >= 0 && chars > 0; index--) {
    const text = textOf(messages[index]!)
    // The oldest that is shown may be shortened, unless too little of it would remain.
    if (text.length > chars && shown.length > 0 && chars < RESULT_CHARS_MAX) break
    const clipped = clipMiddle(text, chars)
    shown.push(clipped)
    chars -= clipped.length
  }
  const left = index + 1
  if (left > 0) shown.push(`[${left} earlier ${left === 1 ? 'message' : 'messages'} left out]`)
  return shown.reverse().join('\n\n')
}

function textOf(message: Message): string {
  const speaker = SPEAKERS.get(message.type) ?? message.type
  return `${speaker}:\n${partsOf(message).map(lineOf).join('\n')}`
}

function lineOf(part: Part): string {
  switch (part.kind) {
    case 'call':
      return `→ ${clipMiddle(part.text, RESULT_CHARS_MAX)}`
    case 'result':
      return `${part.isError ? '✗' : '←'} ${clipMiddle(part.text, RESULT_CHARS_MAX)}`
    case 'other':
      return clipMiddle(part.text, RESULT_CHARS_MAX)
    default:
      return part.text.toWellFormed()
  }
}
