// A message of Gemini CLI as our events: the reply with its calls, then the results of the tools.

import { type Content, plainText, toUsage } from '../import/content.js'
import { fieldsOf, isObject, known, listOf, textOf } from '../import/fields.js'
import type { ForeignValue } from '../import/importer.js'

const USAGE = { input: 'input', output: 'output', cacheRead: 'cached' }

export interface GeminiEvent {
  /** `undefined` for a message that only people see; it is kept unchanged. */
  readonly type: 'user' | 'assistant' | 'tool_result' | undefined
  readonly payload: Record<string, unknown>
}

export function eventsOf(message: ForeignValue): readonly GeminiEvent[] {
  if (message['type'] === 'user') {
    return [{ type: 'user', payload: { content: contentOf(message['content']) } }]
  }
  if (message['type'] !== 'gemini') return [{ type: undefined, payload: {} }]
  const calls = listOf(message['toolCalls']).map(fieldsOf)
  return [{ type: 'assistant', payload: replyOf(message, calls) }, ...calls.flatMap(resultOf)]
}

function replyOf(message: ForeignValue, calls: readonly ForeignValue[]): Record<string, unknown> {
  const thoughts = listOf(message['thoughts']).map((thought) => ({ type: 'thought', thought }))
  const content = contentOf(message['content'])
  const uses = calls.map((call) => ({
    type: 'tool_use',
    id: callId(call),
    name: textOf(call['name']) ?? '?',
    input: call['args'] ?? {},
  }))
  const usage = toUsage(message['tokens'], USAGE)
  const model = textOf(message['model'])
  const isPlain = thoughts.length === 0 && uses.length === 0
  return known({
    content: isPlain ? content : [...thoughts, ...blocksOf(content), ...uses],
    model,
    usage,
  })
}

function blocksOf(content: Content): readonly unknown[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}

function resultOf(call: ForeignValue): GeminiEvent[] {
  const { result, status } = call
  if (result === undefined || result === null) return []
  const payload = {
    tool_call_id: callId(call),
    content: resultContent(result),
    is_error: status === 'error' || status === 'cancelled',
  }
  return [{ type: 'tool_result', payload }]
}

function callId(call: ForeignValue): string {
  return textOf(call['id']) ?? textOf(call['name']) ?? '?'
}

/** What a function returned, without its wrapper if there is only one. */
function resultContent(result: unknown): unknown {
  const [only, ...more] = listOf(result)
  const { output, error } = fieldsOf(fieldsOf(fieldsOf(only)['functionResponse'])['response'])
  const said = textOf(output) ?? textOf(error)
  return more.length === 0 && said !== undefined ? said : result
}

/** Parts are text, pictures, or something else that is named by its key. */
function contentOf(value: unknown): Content {
  if (typeof value === 'string') return value
  if (isObject(value)) return [partOf(value)]
  return listOf(value).map(partOf)
}

function partOf(part: unknown): unknown {
  if (typeof part === 'string') return { type: 'text', text: part }
  const fields = fieldsOf(part)
  if (typeof fields['text'] === 'string' && fields['thought'] !== true) {
    return { type: 'text', text: fields['text'] }
  }
  const { mimeType, data } = fieldsOf(fields['inlineData'])
  if (typeof data === 'string' && typeof mimeType === 'string') {
    return { type: 'image', source: { type: 'base64', media_type: mimeType, data } }
  }
  return { ...fields, type: textOf(fields['type']) ?? Object.keys(fields)[0] ?? 'part' }
}

/** The title of the chat. */
export function summaryOf(value: ForeignValue): string | undefined {
  return textOf(plainText(value['summary']))
}
