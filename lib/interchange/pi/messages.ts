// Entries of pi as our events: what the model is sent of them, in pi's own words. Calls are blocks of the
// reply, in the form that tool pairing reads.

import { plainText, toContent, toUsage } from '../import/content.js'
import { fieldsOf, isObject, known, listOf, textOf } from '../import/fields.js'
import type { ForeignValue } from '../import/importer.js'

const USAGE = { input: 'input', output: 'output', cacheRead: 'cacheRead', cacheWrite: 'cacheWrite' }

/** Entries that the model never sees. */
export const HIDDEN_TYPES: ReadonlySet<unknown> = new Set([
  'model_change',
  'thinking_level_change',
  'usage',
  'context_edit',
  'custom',
  'label',
  'session_info',
])

/** `hidden`: the model does not see it. `unknown`: it might. */
export type PiEvent = VisibleEvent | 'hidden' | 'unknown'

export interface VisibleEvent {
  readonly type: 'user' | 'assistant' | 'tool_result' | 'system'
  readonly payload: Record<string, unknown>
}

/** `isLeading`: nothing that the model sees is before it. */
export function toEvent(value: ForeignValue, isLeading: boolean): PiEvent {
  switch (value['type']) {
    case 'message':
      return toMessage(fieldsOf(value['message']), isLeading)
    case 'custom_message':
      return { type: 'user', payload: toCustom(value) }
    case 'branch_summary':
      return toBranchSummary(value)
    default:
      return HIDDEN_TYPES.has(value['type']) ? 'hidden' : 'unknown'
  }
}

/** The entry with another content, as `context_edit` gives it to the entry. */
export function replaceContent(value: ForeignValue, replacement: unknown): ForeignValue {
  const { content } = fieldsOf(replacement)
  const { message } = value
  return isObject(message) ? { ...value, message: { ...message, content } } : { ...value, content }
}

/** What an entry or its message cost. */
export function readUsage(value: ForeignValue): object | undefined {
  return toUsage(value['usage'] ?? fieldsOf(value['message'])['usage'], USAGE)
}

function toMessage(message: ForeignValue, isLeading: boolean): PiEvent {
  switch (message['role']) {
    case 'user':
      return { type: 'user', payload: { content: toContent(message['content']) } }
    case 'assistant':
      return toReply(message)
    case 'toolResult':
      return { type: 'tool_result', payload: toResult(message) }
    case 'bashExecution':
      return message['excludeFromContext'] === true
        ? 'hidden'
        : { type: 'user', payload: { content: toCommandText(message), is_meta: true } }
    case 'system':
      return { type: 'system', payload: toPrompt(message, isLeading) }
    // The name of it in version 2.
    case 'hookMessage':
    case 'custom':
      return { type: 'user', payload: toCustom(message) }
    case 'branchSummary':
      return toBranchSummary(message)
    case 'compactionSummary':
      return { type: 'user', payload: { content: plainText(message['summary']), is_meta: true } }
    default:
      return 'unknown'
  }
}

/** The tools are declared beside the messages, so they are fields of their own. */
export function toPrompt(message: ForeignValue, isLeading: boolean): Record<string, unknown> {
  const said = plainText(message['content'])
  const sections = Object.entries(fieldsOf(message['sections'])).map(([name, text]) =>
    isLeading ? text : describeChange(name, text),
  )
  return known({
    content: [said, ...sections].filter((part) => textOf(part) !== undefined).join('\n\n'),
    tools_added: toTools(message['toolsAdded']),
    tools_removed: toTools(message['toolsRemoved']),
  })
}

function describeChange(name: string, text: unknown): string {
  if (text === null) return `Removed system prompt section "${name}".`
  return `Updated system prompt section "${name}":\n\n${text}`
}

function toTools(tools: unknown): readonly unknown[] | undefined {
  return listOf(tools).length > 0 ? listOf(tools) : undefined
}

function toBranchSummary(value: ForeignValue): PiEvent {
  const summary = textOf(value['summary'])
  // pi sends nothing for an empty one.
  if (summary === undefined) return 'hidden'
  const content = `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${summary}</summary>`
  const from_id = textOf(value['fromId'])
  return { type: 'user', payload: known({ content, is_meta: true, from_id }) }
}

function toCustom(message: ForeignValue): Record<string, unknown> {
  const custom_type = textOf(message['customType'])
  return known({ content: toContent(message['content']), is_meta: true, custom_type })
}

function toReply(message: ForeignValue): PiEvent {
  const { stopReason } = message
  // pi never sends a reply again that did not end: not its text, and not its calls, which have no results.
  if (stopReason === 'aborted' || stopReason === 'error') return 'hidden'
  const content = toContent(message['content'])
  const payload = known({
    content: typeof content === 'string' ? content : content.map(toBlock),
    model: textOf(message['model']),
    usage: readUsage(message),
    stop_reason: textOf(stopReason),
    error: textOf(message['errorMessage']),
  })
  return { type: 'assistant', payload }
}

function toBlock(block: unknown): unknown {
  const { type, id, name, arguments: input, ...rest } = fieldsOf(block)
  if (type !== 'toolCall' || typeof id !== 'string') return block
  const { partialJson: _, ...more } = rest
  return { type: 'tool_use', id, name: textOf(name) ?? '?', input: input ?? {}, ...more }
}

function toResult(message: ForeignValue): Record<string, unknown> {
  return known({
    tool_call_id: textOf(message['toolCallId']) ?? '?',
    content: toContent(message['content']),
    is_error: message['isError'] === true,
    name: textOf(message['toolName']),
  })
}

function toCommandText(message: ForeignValue): string {
  const { command, output, exitCode, cancelled, truncated, fullOutputPath } = message
  const shown = textOf(output)
  const parts = [
    `Ran \`${textOf(command) ?? ''}\`\n${shown === undefined ? '(no output)' : `\`\`\`\n${shown}\n\`\`\``}`,
  ]
  if (cancelled === true) parts.push('(command cancelled)')
  else if (typeof exitCode === 'number' && exitCode !== 0) {
    parts.push(`Command exited with code ${exitCode}`)
  }
  if (truncated === true && typeof fullOutputPath === 'string') {
    parts.push(`[Output truncated. Full output: ${fullOutputPath}]`)
  }
  return parts.join('\n\n')
}
