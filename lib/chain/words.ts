// What was said in a turn: its text without tool traffic, pictures and thoughts, whichever of the
// two shapes its content has.

import { fieldsOf } from './projection.js'

/** The texts of a user's or an assistant's payload, joined by spaces; empty when it has none. */
export function wordsOf(payload: unknown): string {
  const { content } = fieldsOf(payload)
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map(textOfBlock)
    .filter((text) => text !== '')
    .join(' ')
}

function textOfBlock(block: unknown): string {
  if (typeof block === 'string') return block
  const { type, text } = fieldsOf(block)
  return type !== 'tool_result' && typeof text === 'string' ? text : ''
}
