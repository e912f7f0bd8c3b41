// Lines of Claude Code as our payloads.

import { type Content, plainText, toContent, toUsage } from '../import/content.js'
import { fieldsOf, known, listOf, stringsOf, textOf } from '../import/fields.js'
import type { ForeignValue } from '../import/importer.js'

const USAGE = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
}

/** The model of replies that the client made itself. */
const SYNTHETIC = '<synthetic>'
const NO_CONTENT = '(no content)'

export function userPayload(value: ForeignValue): Record<string, unknown> {
  return known({
    content: contentOf(value),
    prompt_id: textOf(value['promptId']),
    is_meta: value['isMeta'] === true || undefined,
  })
}

/** A reply is written as one line per block: all of them have its `message_id` and its usage. */
export function assistantPayload(value: ForeignValue): Record<string, unknown> {
  const { id, model, stop_reason, usage } = fieldsOf(value['message'])
  const stringOf = (field: unknown) => (typeof field === 'string' ? field : undefined)
  return known({
    content: contentOf(value),
    model: stringOf(model),
    usage: toUsage(usage, USAGE),
    stop_reason: stringOf(stop_reason),
    message_id: stringOf(id),
    request_id: textOf(value['requestId']),
    is_api_error: value['isApiErrorMessage'] === true || undefined,
  })
}

function contentOf({ message }: ForeignValue): Content {
  return toContent(fieldsOf(message)['content'])
}

/** The tool calls that a user line answers. */
export function answeredCalls(value: ForeignValue): string[] {
  return listOf(fieldsOf(value['message'])['content']).flatMap((block) => {
    return isResult(block) ? (textOf(fieldsOf(block)['tool_use_id']) ?? []) : []
  })
}

export interface SpawningCall {
  readonly id: string
  readonly prompt: string
  readonly kind: string | undefined
}

/** Calls of an assistant line that start a subagent, with its prompt. */
export function spawningCalls(value: ForeignValue): SpawningCall[] {
  return listOf(fieldsOf(value['message'])['content']).flatMap((block) => {
    const { id, name, input } = fieldsOf(block)
    if (!isCall(block) || (name !== 'Task' && name !== 'Agent')) return []
    const { prompt, subagent_type } = fieldsOf(input)
    if (typeof id !== 'string' || typeof prompt !== 'string') return []
    return [{ id, prompt, kind: textOf(subagent_type) }]
  })
}

export function messageText({ message }: ForeignValue): string {
  return plainText(fieldsOf(message)['content'])
}

/** The text of a tool result, for the record of a subagent's end. */
export function resultText(value: ForeignValue, toolCallId: string): string {
  for (const block of listOf(fieldsOf(value['message'])['content'])) {
    const { tool_use_id, content } = fieldsOf(block)
    if (tool_use_id === toolCallId) return plainText(content)
  }
  return ''
}

export function isCall(block: unknown): boolean {
  return fieldsOf(block)['type'] === 'tool_use'
}

export function isResult(block: unknown): boolean {
  return fieldsOf(block)['type'] === 'tool_result'
}

/** Not a thought and not an empty text. */
export function isSpoken(block: unknown): boolean {
  const { type, text } = fieldsOf(block)
  if (type === 'thinking' || type === 'redacted_thinking') return false
  if (type !== 'text' || typeof text !== 'string') return true
  return text.trim() !== '' && text.trim() !== NO_CONTENT
}

/** An error of the API that Claude Code shows as a reply, and never sends. */
export function isApiError({ type, isApiErrorMessage, message }: ForeignValue): boolean {
  if (type !== 'assistant' || isApiErrorMessage !== true) return false
  return fieldsOf(message)['model'] === SYNTHETIC
}

/**
 * The payload of a line that is no message in the file and one for the model: what a person typed
 * while it worked, and the output of a command of the client.
 */
export function shownAsUser(value: ForeignValue): Record<string, unknown> | undefined {
  const { type, subtype, content } = value
  if (type === 'system' && subtype === 'local_command') return { content: toContent(content) }
  if (type !== 'attachment') return undefined
  const attachment = fieldsOf(value['attachment'])
  if (attachment['type'] !== 'queued_command') return undefined
  const { prompt, batchedRelayPrompts, commandMode, isMeta, origin } = attachment
  // It is a part of another one, which has it whole.
  if (attachment['renderedByBatchHead'] === true) return undefined
  const isOwn = origin === undefined || fieldsOf(origin)['kind'] === 'human'
  const is_meta = isMeta === true || commandMode === 'task-notification' || !isOwn || undefined
  const batch = stringsOf(batchedRelayPrompts)
  return known({ content: batch.length > 0 ? batch.join('\n\n') : toContent(prompt), is_meta })
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
