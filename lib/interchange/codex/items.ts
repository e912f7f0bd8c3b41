// Items of a Codex rollout as our events. Calls and results are events of their own; items that we
// have no type for stay blocks of the reply, unchanged.

import { plainText, toContent } from '../import/content.js'
import { fieldsOf, known, textOf } from '../import/fields.js'
import type { ForeignValue } from '../import/importer.js'

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
  if (type === 'agent_message') {
    const content = toContent(item['content'] ?? item['message'])
    return { type: 'assistant', payload: { content }, text: plainText(content) }
  }
  if (CALLS.has(type)) return callOf(item, CALLS.get(type), fallbackId)
  if (RESULTS.has(type)) return resultOf(item, fallbackId)
  if (BLOCKS.has(type)) return { type: 'assistant', payload: { content: [item] } }
  return undefined
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
  return { type: 'tool_call', payload: { tool_call_id, name, input: parsed(given) } }
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

// What Codex puts before the first prompt of a session, in the user's name.
const CONTEXT =
  /^\s*(?:<(?:environment_context|user_instructions|ENVIRONMENT_CONTEXT|turn_aborted|skill)\b|# AGENTS\.md instructions)/

/** Whether a user message begins a turn, and was not added by the harness itself. */
export function beginsTurn({ type, text }: CodexEvent): boolean {
  return type === 'user' && !CONTEXT.test(text ?? '')
}
