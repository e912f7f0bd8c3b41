// Items of a Codex rollout as our events. Calls and results are events of their own; items that we
// have no type for stay blocks of the reply, unchanged.

import { plainText, toContent } from '../import/content.js'
import { fieldsOf, known, textOf } from '../import/fields.js'
import type { ForeignValue } from '../import/importer.js'

/** Items that the client never sends to the model. */
const UNSENT = new Set(['ghost_snapshot', 'compaction_trigger', 'other'])

/** Whether the model might see an item that we have no event for. */
export function mayBeSent(item: ForeignValue): boolean {
  return !UNSENT.has(textOf(item['type']) ?? 'other')
}

export interface CodexEvent {
  readonly type: 'user' | 'assistant' | 'system' | 'tool_call' | 'tool_result'
  readonly payload: Record<string, unknown>
  /** What a person or the model said, to recognise its copy. */
  readonly text?: string
}

/** With the name of the tool, where the item does not hold it. */
const CALLS: ReadonlyMap<string, string | undefined> = new Map([
  ['function_call', undefined],
  ['custom_tool_call', undefined],
  ['local_shell_call', 'local_shell'],
  ['tool_search_call', 'tool_search'],
  ['tool_call', undefined],
])

const RESULTS = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'local_shell_call_output',
  'tool_search_output',
  'tool_search_call_output',
  'tool_result',
  'function_result',
])

const BLOCKS = new Set([
  'reasoning',
  'web_search_call',
  'image_generation_call',
  'compaction',
  'context_compaction',
])

/** `undefined` for an unknown item. `fallbackId` names calls that have no id. */
export function eventOf(item: ForeignValue, fallbackId: string): CodexEvent | undefined {
  const type = textOf(item['type']) ?? (typeof item['role'] === 'string' ? 'message' : '')
  if (type === 'message') return messageOf(item)
  if (type === 'agent_message') return agentMessageOf(item)
  if (CALLS.has(type)) return callOf(item, CALLS.get(type), fallbackId)
  if (RESULTS.has(type)) return resultOf(item, fallbackId)
  if (BLOCKS.has(type)) return { type: 'assistant', payload: { content: [item] } }
  return undefined
}

/** What another agent wrote to this one, or, without a recipient, what the model said. */
function agentMessageOf(item: ForeignValue): CodexEvent {
  const content = toContent(item['content'] ?? item['message'])
  const author = textOf(item['author'])
  const recipient = textOf(item['recipient'])
  if (recipient === undefined) {
    return { type: 'assistant', payload: { content }, text: plainText(content) }
  }
  return { type: 'user', payload: known({ content, author, recipient }), text: plainText(content) }
}

/** A message between agents, as the client sends it to the model. */
export function communicationOf(value: ForeignValue): CodexEvent {
  const { author, recipient, content, encrypted_content, trigger_turn } = value
  if (textOf(encrypted_content) === undefined) {
    return agentMessageOf({ author, recipient: recipient ?? '?', content })
  }
  const type = trigger_turn === true ? 'NEW_TASK' : 'MESSAGE'
  const text = `Message Type: ${type}\nTask name: ${recipient}\nSender: ${author}\nPayload:\n`
  const blocks = [
    { type: 'input_text', text },
    { type: 'encrypted_content', encrypted_content },
  ]
  return agentMessageOf({ author, recipient: recipient ?? '?', content: blocks })
}

function messageOf(item: ForeignValue): CodexEvent {
  const content = toContent(item['content'] ?? item['message'])
  const text = plainText(content)
  const { role } = item
  const model = textOf(item['model'])
  if (role === 'assistant') {
    return { type: 'assistant', payload: known({ content, model }), text }
  }
  return { type: role === 'user' ? 'user' : 'system', payload: { content }, text }
}

function callOf(item: ForeignValue, tool: string | undefined, fallbackId: string): CodexEvent {
  const name = tool ?? textOf(item['name']) ?? textOf(fieldsOf(item['function'])['name']) ?? '?'
  const given = item['arguments'] ?? item['input'] ?? item['action'] ?? {}
  const tool_call_id = textOf(item['call_id']) ?? textOf(item['id']) ?? fallbackId
  const namespace = textOf(item['namespace'])
  const payload = known({ tool_call_id, name, input: parsed(given), namespace })
  return { type: 'tool_call', payload }
}

function resultOf(item: ForeignValue, fallbackId: string): CodexEvent {
  const output = item['output'] ?? item['result'] ?? ''
  const { success, content } = fieldsOf(output)
  const payload = {
    tool_call_id: textOf(item['call_id']) ?? textOf(item['id']) ?? fallbackId,
    content: content ?? output,
    is_error: success === false,
  }
  return { type: 'tool_result', payload }
}

/** Arguments are JSON in a string; anything else is not changed. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
