// What a message is made of, whichever of the two shapes its tools are recorded in: events of
// their own, or blocks of the provider's messages.

import { shownJson } from '../format/index.js'
import { fieldsOf } from './projection.js'

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly text: string }
  | { readonly kind: 'result'; readonly text: string; readonly isError: boolean }
  /** Something that is no text: only said to be there. */
  | { readonly kind: 'other'; readonly text: string }

/** A message, or an event as it stands in the log. */
interface Spoken {
  readonly type: string
  readonly payload: unknown
}

export function partsOf(spoken: Spoken): Part[] {
  try {
    return readParts(spoken)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // Nesting that no stack can follow is legal JSON, and files may hold it.
    return [{ kind: 'other', text: '[nested too deeply to be shown]' }]
  }
}

function readParts({ type, payload }: Spoken): Part[] {
  const { content, text, summary, name, input, is_error } = fieldsOf(payload)
  if (type === 'tool_call') return [callPart(name, input)]
  if (type === 'tool_result') return [resultPart(content, is_error)]
  if (Array.isArray(content)) return content.map(partOfBlock)
  const said = [content, text, summary].find((value) => typeof value === 'string')
  return [{ kind: 'text', text: (said as string | undefined) ?? shownJson(payload) }]
}

function partOfBlock(block: unknown): Part {
  const { type, text, thinking, name, input, content, is_error } = fieldsOf(block)
  if (typeof block === 'string') return { kind: 'text', text: block }
  if (typeof text === 'string') return { kind: 'text', text }
  if (type === 'tool_use') return callPart(name, input)
  if (type === 'tool_result') return resultPart(content, is_error)
  const said = typeof thinking === 'string' ? `: ${thinking}` : ''
  return { kind: 'other', text: `[${typeof type === 'string' ? type : 'block'}${said}]` }
}

function callPart(name: unknown, input: unknown): Part {
  return {
    kind: 'call',
    text: `${typeof name === 'string' ? name : '?'} ${shownJson(input)}`.trim(),
  }
}

function resultPart(content: unknown, isError: unknown): Part {
  const text = Array.isArray(content)
    ? content.map((block) => partOfBlock(block).text).join('\n')
    : typeof content === 'string'
      ? content
      : shownJson(content)
  return { kind: 'result', text, isError: isError === true }
}
