// The parts of a message as text. Tool calls and results are events of their own or blocks of the
// provider's messages; both are read here.

import { shownJson } from '../format/index.js'
import { fieldsOf } from './projection.js'

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly text: string; readonly id: string | undefined }
  | {
      readonly kind: 'result'
      readonly text: string
      readonly isError: boolean
      /** Of its call. */
      readonly id: string | undefined
    }
  /** Content that is not text; the text names its type. */
  | { readonly kind: 'other'; readonly text: string }

/** A message, or an event of the log. */
export interface Source {
  readonly type: string
  readonly payload: unknown
}

export function partsOf(source: Source): Part[] {
  try {
    return readParts(source)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // Nesting deeper than the stack is legal JSON.
    return [{ kind: 'other', text: '[nested too deeply to be shown]' }]
  }
}

function readParts({ type, payload }: Source): Part[] {
  const { content, text, summary, tool_call_id, name, input, is_error } = fieldsOf(payload)
  if (type === 'tool_call') return [callPart(tool_call_id, name, input)]
  if (type === 'tool_result') return [resultPart(tool_call_id, content, is_error)]
  if (Array.isArray(content)) return content.map(partOfBlock)
  const found = [content, text, summary].find((value) => typeof value === 'string')
  return [{ kind: 'text', text: (found as string | undefined) ?? shownJson(payload) }]
}

function partOfBlock(block: unknown): Part {
  const { type, text, thinking, id, name, input, tool_use_id, content, is_error } = fieldsOf(block)
  if (typeof block === 'string') return { kind: 'text', text: block }
  if (typeof text === 'string') return { kind: 'text', text }
  if (type === 'tool_use') return callPart(id, name, input)
  if (type === 'tool_result') return resultPart(tool_use_id, content, is_error)
  const thought = typeof thinking === 'string' ? `: ${thinking}` : ''
  return { kind: 'other', text: `[${typeof type === 'string' ? type : 'block'}${thought}]` }
}

function callPart(id: unknown, name: unknown, input: unknown): Part {
  return {
    kind: 'call',
    id: idOf(id),
    text: `${typeof name === 'string' ? name : '?'} ${shownJson(input)}`.trim(),
  }
}

function resultPart(id: unknown, content: unknown, isError: unknown): Part {
  const text = Array.isArray(content)
    ? content.map((block) => partOfBlock(block).text).join('\n')
    : typeof content === 'string'
      ? content
      : shownJson(content)
  return { kind: 'result', id: idOf(id), text, isError: isError === true }
}

function idOf(id: unknown): string | undefined {
  return typeof id === 'string' ? id : undefined
}

/**
 * The texts of a user's or an assistant's payload, joined by spaces, without tools, pictures and
 * thoughts.
 */
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
