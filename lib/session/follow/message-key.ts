// Whether a message that a hook reported and a message of the client's transcript are the same.

import { fieldsOf } from '../../chain/index.js'

export interface Message {
  readonly type: string
  readonly payload?: unknown
}

const MESSAGES: ReadonlySet<string> = new Set(['user', 'assistant', 'tool_call', 'tool_result'])

export function isMessage({ type }: Message): boolean {
  return MESSAGES.has(type)
}

/** Equal for messages that are the same to the model. */
export function messageKey({ type, payload }: Message): string {
  const { tool_call_id, content, is_error } = fieldsOf(payload)
  if (type === 'tool_call') return `call ${tool_call_id}`
  const text = toText(content)
  if (type === 'tool_result') return `result ${tool_call_id} ${is_error === true} ${text}`
  return `${type} ${text}`
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content.trim()
  if (!Array.isArray(content)) return JSON.stringify(content) ?? ''
  const isText = content.every((block) => fieldsOf(block)['type'] === 'text')
  return isText
    ? content
        .map((block) => String(fieldsOf(block)['text']))
        .join('\n')
        .trim()
    : JSON.stringify(content)
}
