// Lines of Claude Code as payloads of ours.

import { type Content, plainText, toContent, toUsage } from './content.js'
import { fieldsOf, listOf, textOf } from './fields.js'
import type { ForeignValue } from './importer.js'

const USAGE = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
}

export function userPayload(value: ForeignValue): Record<string, unknown> {
  const prompt_id = textOf(value['promptId'])
  return {
    content: contentOf(value),
    ...(prompt_id !== undefined && { prompt_id }),
    ...(value['isMeta'] === true && { is_meta: true }),
  }
}

/** A reply is written as one line per block: all of them have its `message_id` and its usage. */
export function assistantPayload(value: ForeignValue): Record<string, unknown> {
  const { id, model, stop_reason, usage } = fieldsOf(value['message'])
  const counted = toUsage(usage, USAGE)
  const request_id = textOf(value['requestId'])
  return {
    content: contentOf(value),
    ...(typeof model === 'string' && { model }),
    ...(counted !== undefined && { usage: counted }),
    ...(typeof stop_reason === 'string' && { stop_reason }),
    ...(typeof id === 'string' && { message_id: id }),
    ...(request_id !== undefined && { request_id }),
    ...(value['isApiErrorMessage'] === true && { is_api_error: true }),
  }
}

function contentOf({ message }: ForeignValue): Content {
  return toContent(fieldsOf(message)['content'])
}

/** The tool calls that a user line answers. */
export function answeredCalls(value: ForeignValue): string[] {
  return listOf(fieldsOf(value['message'])['content']).flatMap((block) => {
    const { type, tool_use_id } = fieldsOf(block)
    return type === 'tool_result' ? (textOf(tool_use_id) ?? []) : []
  })
}

/** Calls of an assistant line that start a subagent, with what it is told. */
export function spawningCalls(
  value: ForeignValue,
): { id: string; prompt: string; kind?: string }[] {
  return listOf(fieldsOf(value['message'])['content']).flatMap((block) => {
    const { type, id, name, input } = fieldsOf(block)
    if (type !== 'tool_use' || (name !== 'Task' && name !== 'Agent')) return []
    const { prompt, subagent_type } = fieldsOf(input)
    if (typeof id !== 'string' || typeof prompt !== 'string') return []
    const kind = textOf(subagent_type)
    return [{ id, prompt, ...(kind !== undefined && { kind }) }]
  })
}

export function messageText({ message }: ForeignValue): string {
  return plainText(fieldsOf(message)['content'])
}

/** What a tool result says, for the record of a subagent's end. */
export function resultText(value: ForeignValue, toolCallId: string): string {
  for (const block of listOf(fieldsOf(value['message'])['content'])) {
    const { tool_use_id, content } = fieldsOf(block)
    if (tool_use_id === toolCallId) return plainText(content)
  }
  return ''
}

export function isBoundary({ type, subtype }: ForeignValue): boolean {
  return type === 'compact_boundary' || (type === 'system' && subtype === 'compact_boundary')
}

const PERMISSION_TYPES = new Set(['permission-mode', 'mode'])
const PERMISSION_ATTACHMENTS = new Set(['command_permissions', 'auto_mode'])

export function isPermissionLine(value: ForeignValue): boolean {
  const { type, attachment } = value
  if (PERMISSION_TYPES.has(String(type))) return true
  return type === 'attachment' && PERMISSION_ATTACHMENTS.has(String(fieldsOf(attachment)['type']))
}
