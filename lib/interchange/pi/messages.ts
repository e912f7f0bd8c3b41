// Entries of pi as our events. Calls are blocks of the reply, in the form that tool pairing reads.

import { plainText, toContent, toUsage } from '../import/content.js'
import { fieldsOf, known, textOf } from '../import/fields.js'
import type { ForeignValue } from '../import/importer.js'

const USAGE = { input: 'input', output: 'output', cacheRead: 'cacheRead', cacheWrite: 'cacheWrite' }

export interface PiEvent {
  readonly type: 'user' | 'assistant' | 'tool_result' | 'system'
  readonly payload: Record<string, unknown>
}

/** `undefined` for an entry that the model does not see. */
export function entryEvent(value: ForeignValue): PiEvent | undefined {
  switch (value['type']) {
    case 'message':
      return messageEvent(fieldsOf(value['message']))
    case 'custom_message':
      return { type: 'user', payload: customOf(value) }
    case 'branch_summary': {
      const content = textOf(value['summary']) ?? ''
      const from_id = textOf(value['fromId'])
      return { type: 'user', payload: known({ content, is_meta: true, from_id }) }
    }
    default:
      return undefined
  }
}

function messageEvent(message: ForeignValue): PiEvent | undefined {
  switch (message['role']) {
    case 'user':
      return { type: 'user', payload: { content: toContent(message['content']) } }
    case 'assistant':
      return { type: 'assistant', payload: replyOf(message) }
    case 'toolResult':
      return { type: 'tool_result', payload: resultOf(message) }
    case 'bashExecution':
      return message['excludeFromContext'] === true
        ? undefined
        : { type: 'user', payload: { content: commandText(message), is_meta: true } }
    case 'system':
      return { type: 'system', payload: { content: toContent(message['content']) } }
    // The name of it in version 2.
    case 'hookMessage':
    case 'custom':
      return { type: 'user', payload: customOf(message) }
    case 'branchSummary':
    case 'compactionSummary':
      return { type: 'user', payload: { content: plainText(message['summary']), is_meta: true } }
    default:
      return undefined
  }
}

function customOf(message: ForeignValue): Record<string, unknown> {
  const custom_type = textOf(message['customType'])
  return known({ content: toContent(message['content']), is_meta: true, custom_type })
}

function replyOf(message: ForeignValue): Record<string, unknown> {
  const content = toContent(message['content'])
  return known({
    content: typeof content === 'string' ? content : content.map(blockOf),
    model: textOf(message['model']),
    usage: toUsage(message['usage'], USAGE),
    stop_reason: textOf(message['stopReason']),
    error: textOf(message['errorMessage']),
  })
}

function blockOf(block: unknown): unknown {
  const { type, id, name, arguments: input, ...rest } = fieldsOf(block)
  if (type !== 'toolCall' || typeof id !== 'string') return block
  const { partialJson: _, ...more } = rest
  return { type: 'tool_use', id, name: textOf(name) ?? '?', input: input ?? {}, ...more }
}

function resultOf(message: ForeignValue): Record<string, unknown> {
  return known({
    tool_call_id: textOf(message['toolCallId']) ?? '?',
    content: toContent(message['content']),
    is_error: message['isError'] === true,
    name: textOf(message['toolName']),
  })
}

function commandText({ command, output, exitCode }: ForeignValue): string {
  const code = typeof exitCode === 'number' && exitCode !== 0 ? `\n(exit code ${exitCode})` : ''
  return `Ran \`${textOf(command) ?? ''}\`\n${textOf(output) ?? '(no output)'}${code}`
}
