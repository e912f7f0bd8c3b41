// Messages of pi as events of ours. Calls are blocks of the reply, in the shape that pairing knows.

import { plainText, toContent, toUsage } from './content.js'
import { fieldsOf, textOf } from './fields.js'
import type { ForeignValue } from './importer.js'

const USAGE = { input: 'input', output: 'output', cacheRead: 'cacheRead', cacheWrite: 'cacheWrite' }

export interface PiEvent {
  readonly type: 'user' | 'assistant' | 'tool_result' | 'system'
  readonly payload: Readonly<Record<string, unknown>>
}

/** `undefined`: nothing the model sees. */
export function eventOf(message: ForeignValue): PiEvent | undefined {
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
    // Version 2 called it by the name of what wrote it.
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

export function customOf(message: ForeignValue): Record<string, unknown> {
  const custom_type = textOf(message['customType'])
  return {
    content: toContent(message['content']),
    is_meta: true,
    ...(custom_type !== undefined && { custom_type }),
  }
}

function replyOf(message: ForeignValue): Record<string, unknown> {
  const content = toContent(message['content'])
  const usage = toUsage(message['usage'], USAGE)
  const model = textOf(message['model'])
  const stop_reason = textOf(message['stopReason'])
  const error = textOf(message['errorMessage'])
  return {
    content: typeof content === 'string' ? content : content.map(blockOf),
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
    ...(stop_reason !== undefined && { stop_reason }),
    ...(error !== undefined && { error }),
  }
}

function blockOf(block: unknown): unknown {
  const { type, id, name, arguments: input, ...rest } = fieldsOf(block)
  if (type !== 'toolCall' || typeof id !== 'string') return block
  const { partialJson: _, ...more } = rest
  return { type: 'tool_use', id, name: textOf(name) ?? '?', input: input ?? {}, ...more }
}

function resultOf(message: ForeignValue): Record<string, unknown> {
  const name = textOf(message['toolName'])
  return {
    tool_call_id: textOf(message['toolCallId']) ?? '?',
    content: toContent(message['content']),
    is_error: message['isError'] === true,
    ...(name !== undefined && { name }),
  }
}

function commandText({ command, output, exitCode }: ForeignValue): string {
  const code = typeof exitCode === 'number' && exitCode !== 0 ? `\n(exit code ${exitCode})` : ''
  return `Ran \`${textOf(command) ?? ''}\`\n${textOf(output) ?? '(no output)'}${code}`
}
