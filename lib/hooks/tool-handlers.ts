// What the events of tools record.

import { createHash } from 'node:crypto'
import { isSessionError } from '../errors.js'
import {
  type HookEvent,
  isUpToDate,
  type Message,
  recordEvent,
  recordInSidechain,
} from '../session/record.js'
import {
  findSubagent,
  findText,
  findValue,
  type HookContext,
  type HookFields,
  type HookOutcome,
  NOTHING,
  toFields,
} from './read-input.js'

export async function onToolCall(context: HookContext): Promise<HookOutcome> {
  await recordPrecedingText(context)
  return recordTool(context, 'tool_call', { input: toolInput(context.fields) ?? {} })
}

export function onToolResult(context: HookContext): Promise<HookOutcome> {
  const { fields } = context
  const content = findValue(fields, 'tool_response', 'toolResponse', 'tool_result', 'tool_output')
  const { duration_ms } = fields
  const duration = typeof duration_ms === 'number' ? { duration_ms } : {}
  const payload = { content: content ?? '', is_error: false, ...duration }
  return recordTool(context, 'tool_result', payload)
}

export function onToolFailure(context: HookContext): Promise<HookOutcome> {
  const { fields } = context
  const content = findValue(fields, 'error', 'tool_response', 'toolResponse')
  const interrupted = fields['is_interrupt'] === true ? { is_interrupt: true } : {}
  const payload = { content: content ?? '', is_error: true, ...interrupted }
  return recordTool(context, 'tool_result', payload)
}

/** The text that the model wrote before a call, of a client that says it; once for all its calls. */
async function recordPrecedingText(context: HookContext) {
  const { fields, sessionId, store, options } = context
  const nativeId = findText(fields, 'preceding_message_id')
  const content = findText(fields, 'preceding_message')
  if (nativeId === undefined || content === undefined) return
  const events = [{ type: 'assistant', payload: { content } }]
  const event = { sessionId, source: 'PreToolUse', nativeId, events }
  const subagent = findSubagent(context)
  if (subagent === undefined) await recordEvent(store, event, options)
  else await recordInSidechain(store, { ...event, subagent }, options)
}

type ToolEvent = 'tool_call' | 'tool_result'
type ToolPayload = Readonly<Record<string, unknown>>

async function recordTool(context: HookContext, type: ToolEvent, payload: ToolPayload) {
  try {
    return await recordToolAs(context, type, payload)
  } catch (error) {
    if (!isSessionError(error, 'ERR_SERIALIZE')) throw error
    // Nested deeper than a log allows: kept as JSON text.
    const texts = Object.entries(payload).map(([key, value]) => [
      key,
      typeof value === 'object' ? JSON.stringify(value) : value,
    ])
    return recordToolAs(context, type, Object.fromEntries(texts) as ToolPayload)
  }
}

async function recordToolAs(
  context: HookContext,
  type: ToolEvent,
  payload: ToolPayload,
): Promise<HookOutcome> {
  const { name: source, fields, sessionId, store, options } = context
  const { nativeId, name, tool_call_id } = findTool(fields)
  const list = [{ type, payload: { tool_call_id, name, ...payload } }]
  const subagent = findSubagent(context)
  // The transcript has the call, and will have the result as the model reads it.
  const isKnown = (recent: Iterable<Message>) => {
    const { call, result } = findCall(recent, tool_call_id)
    return (call ?? result) !== undefined
  }
  if (subagent === undefined && isUpToDate(store, sessionId, options, isKnown)) {
    return { status: 'duplicate' }
  }
  const events: HookEvent['events'] = (_, followed) =>
    followed?.isFollowed === true && isKnown(followed.recent()) ? [] : list
  const event = { sessionId, source, nativeId, events }
  return subagent === undefined
    ? recordEvent(store, event, options)
    : recordInSidechain(store, { ...event, subagent, limited: list }, options)
}

/** The calls that were made together, in their order, with the texts that the model reads. */
export async function onToolBatch(context: HookContext): Promise<HookOutcome> {
  const { name: source, fields, sessionId, store, options } = context
  const calls = Array.isArray(fields['tool_calls']) ? fields['tool_calls'] : []
  const pairs = calls.map(toFields).map((fields) => {
    const { name, tool_call_id } = findTool(fields)
    const content = findValue(fields, 'tool_response', 'toolResponse') ?? ''
    const is_error = isErrorText(content)
    return {
      id: tool_call_id,
      call: { type: 'tool_call', payload: { tool_call_id, name, input: toolInput(fields) ?? {} } },
      result: { type: 'tool_result', payload: { tool_call_id, name, content, is_error } },
    }
  })
  const [first] = pairs
  if (first === undefined) return NOTHING
  const events: HookEvent['events'] = (_, followed) => {
    const found = pairs.map((pair) => ({
      ...pair,
      in: findCall(followed?.recent() ?? [], pair.id),
    }))
    return [
      ...found.flatMap((pair) => (pair.in.call === undefined ? [pair.call] : [])),
      ...found.flatMap((pair) => (pair.in.result === undefined ? [pair.result] : [])),
    ]
  }
  const event = { sessionId, source, nativeId: first.id, events }
  const subagent = findSubagent(context)
  return subagent === undefined
    ? recordEvent(store, event, options)
    : recordInSidechain(store, { ...event, subagent }, options)
}

// A batch does not say which of its results are errors.
const ERRORS = /^(?:<tool_use_error>|Exit code \d|Error: |The user doesn't want to proceed)/

function isErrorText(content: unknown): boolean {
  return typeof content === 'string' && ERRORS.test(content)
}

interface FoundCall {
  readonly call?: Message | undefined
  readonly result?: Message | undefined
}

/** The call and its result, among the messages since the last prompt, newest first. */
function findCall(recent: Iterable<Message>, id: string): FoundCall {
  let result: Message | undefined
  for (const message of recent) {
    const { tool_call_id } = toFields(message.payload)
    if (message.type === 'tool_result' && tool_call_id === id) result = message
    if (message.type === 'tool_call' && tool_call_id === id) return { call: message, result }
    if (message.type === 'user') break
  }
  return { result }
}

function findTool(fields: HookFields) {
  const nativeId = findText(fields, 'tool_use_id', 'toolUseId', 'tool_call_id')
  const name = findText(fields, 'tool_name', 'toolName') ?? 'unknown'
  return { nativeId, name, tool_call_id: nativeId ?? makeToolCallId(name, toolInput(fields)) }
}

function toolInput(fields: HookFields): unknown {
  return findValue(fields, 'tool_input', 'toolInput')
}

/** Call and result name the same tool and input, so both get the same id. */
function makeToolCallId(name: string, input: unknown): string {
  const text = JSON.stringify([name, input])
  return `hook_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}
