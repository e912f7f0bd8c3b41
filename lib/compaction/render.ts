// A conversation as text for a model that sums it up: who said what, tools in short. What does not
// fit is left out from the beginning, because the newest matters most.

import { type Message, type Part, partsOf } from '../chain/index.js'
import { clipMiddle } from './clip.js'

export interface RenderOptions {
  /**
   * @default 100000
   */
  readonly maxTokens?: number | undefined
}

const RESULT_CHARS_MAX = 2000
// On the safe side of the 3.6 bytes that were measured: a request that is too long is refused.
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

export function renderForSummary(
  messages: readonly Message[],
  { maxTokens = 100_000 }: RenderOptions = {},
): string {
  let room = Math.max(RESULT_CHARS_MAX, Math.floor(maxTokens * CHARS_PER_TOKEN))
  const shown: string[] = []
  let index = messages.length - 1
  for (; index >= 0 && room > 0; index--) {
    const text = textOf(messages[index]!)
    // The last one that fits may be shortened; one that would be a mere scrap is left out.
    if (text.length > room && shown.length > 0 && room < RESULT_CHARS_MAX) break
    const clipped = clipMiddle(text, room)
    shown.push(clipped)
    room -= clipped.length
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
