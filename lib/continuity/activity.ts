// What an event of a transcript contributes. One rule for those who write it and those who read it.

import { fieldsOf } from '../chain/index.js'

/**
 * The text of a `user` event that is a prompt; `undefined` for one that only brings results of
 * tools back, which nobody typed.
 */
export function promptOf(payload: unknown): string | undefined {
  const { content } = fieldsOf(payload)
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const blocks = content.map(fieldsOf)
  const isResult = (block: Readonly<Record<string, unknown>>) => block['type'] === 'tool_result'
  if (blocks.length > 0 && blocks.every(isResult)) return undefined
  return blocks
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n')
}

/** The text of a `memory_query` or `remember` event. */
export function textOf(payload: unknown): string {
  const { text } = fieldsOf(payload)
  return typeof text === 'string' ? text : ''
}
