// What each hook event records.

import { isSessionError } from '../errors.js'
import {
  type HookEvent,
  recordBeforeCompaction,
  recordCompaction,
  recordEvent,
  recordInSidechain,
  recordPrompt,
  recordSessionEnd,
  recordSpawn,
  recordSubagentResult,
} from '../session/record.js'
import { isBypassed, type ReleasedClaim, releaseClaim } from '../store/index.js'
import {
  findLastMessage,
  findPrompt,
  findPromptId,
  findSubagent,
  findText,
  findValue,
  type HookContext,
  type HookFields,
  type HookHandler,
  type HookOutcome,
  NOTHING,
} from './read-input.js'
import { onSessionStart } from './session-start.js'

/** In the order in which a session has the events. */
const HANDLERS: ReadonlyMap<string, HookHandler> = new Map<string, HookHandler>([
  ['SessionStart', onSessionStart],
  ['UserPromptSubmit', onPrompt],
  ['PreToolUse', onToolCall],
  ['PostToolUse', onToolResult],
  ['PostToolUseFailure', onToolFailure],
  ['SubagentStart', onSubagentStart],
  ['SubagentStop', onSubagentStop],
  ['PreCompact', onPreCompact],
  ['PostCompact', onPostCompact],
  ['Stop', onStop],
  ['StopFailure', onStopFailure],
  ['SessionEnd', onSessionEnd],
])

/** The events that hooks record. */
export const HOOK_EVENTS: readonly string[] = [...HANDLERS.keys()]

const NAMES: ReadonlyMap<string, string> = new Map([
  ...HOOK_EVENTS.map((name) => [name.toLowerCase(), name] as const),
  // The names that other connectors use.
  ['promptsubmit', 'UserPromptSubmit'],
  ['precompaction', 'PreCompact'],
  ['compactioncomplete', 'PostCompact'],
])

/** In any spelling, `session-start` too. `undefined` for an event that is not recorded. */
export function findHandler(event: string): { name: string; handle: HookHandler } | undefined {
  const name = NAMES.get(event.replace(/[^a-z]/gi, '').toLowerCase())
  const handle = name === undefined ? undefined : HANDLERS.get(name)
  return handle && { name: name!, handle }
}

/** A prompt is recorded, and nothing is injected into it. */
async function onPrompt(context: HookContext): Promise<HookOutcome> {
  const { name, fields, sessionId, store, options } = context
  const content = findPrompt(fields)
  if (content === undefined) return NOTHING
  const source = { sessionId, source: name, nativeId: findPromptId(fields) }
  const subagent = findSubagent(context)
  if (subagent === undefined) return recordPrompt(store, { ...source, content }, options)
  const events = [{ type: 'user', payload: { content } }]
  return recordInSidechain(store, { ...source, subagent, events }, options)
}

function onToolCall(context: HookContext): Promise<HookOutcome> {
  return recordTool(context, 'tool_call', { input: toolInput(context.fields) ?? {} })
}

function onToolResult(context: HookContext): Promise<HookOutcome> {
  const { fields } = context
  const content = findValue(fields, 'tool_response', 'toolResponse', 'tool_result', 'tool_output')
  const { duration_ms } = fields
  const duration = typeof duration_ms === 'number' ? { duration_ms } : {}
  const payload = { content: content ?? '', is_error: false, ...duration }
  return recordTool(context, 'tool_result', payload)
}

function onToolFailure(context: HookContext): Promise<HookOutcome> {
  const { fields } = context
  const content = findValue(fields, 'error', 'tool_response', 'toolResponse')
  const interrupted = fields['is_interrupt'] === true ? { is_interrupt: true } : {}
  const payload = { content: content ?? '', is_error: true, ...interrupted }
  return recordTool(context, 'tool_result', payload)
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
  const nativeId = findText(fields, 'tool_use_id', 'toolUseId', 'tool_call_id')
  const name = findText(fields, 'tool_name', 'toolName') ?? 'unknown'
  const tool_call_id = nativeId ?? makeToolCallId(name, toolInput(fields))
  const events = [{ type, payload: { tool_call_id, name, ...payload } }]
  const event: HookEvent = { sessionId, source, nativeId, events }
  const subagent = findSubagent(context)
  return subagent === undefined
    ? recordEvent(store, event, options)
    : recordInSidechain(store, { ...event, subagent }, options)
}

function toolInput(fields: HookFields): unknown {
  return findValue(fields, 'tool_input', 'toolInput')
}

/** Call and result name the same tool and input, so both get the same id. */
function makeToolCallId(name: string, input: unknown): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  const text = JSON.stringify([name, input])
  return `hook_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}

/** The end of a turn: the last message, and `turn_end`. A session may end without another event. */
async function onStop({ name, fields, sessionId, store, options }: HookContext) {
  const content = findLastMessage(fields)
  const nativeId = findPromptId(fields)
  const events = [
    ...(content === undefined ? [] : [{ type: 'assistant', payload: { content } }]),
    { type: 'turn_end', payload: { prompt_id: nativeId } },
  ]
  const event = { sessionId, source: name, nativeId, mark: markOf(fields), events }
  return recordEvent(store, event, options)
}

/** A stop hook that made the model continue is called again for the same prompt. */
function markOf(fields: HookFields): string {
  return fields['stop_hook_active'] === true ? 'again' : ''
}

/** The last message is an error here, not a reply. */
async function onStopFailure({ name, fields, sessionId, store, options }: HookContext) {
  const nativeId = findPromptId(fields)
  const error = findText(fields, 'error', 'error_message') ?? findLastMessage(fields) ?? 'unknown'
  const events = [{ type: 'turn_end', payload: { prompt_id: nativeId, error } }]
  const event = { sessionId, source: name, nativeId, events }
  return recordEvent(store, event, options)
}

async function onSubagentStart(context: HookContext): Promise<HookOutcome> {
  const subagent = findSubagent(context)
  if (subagent === undefined) return NOTHING
  return recordSpawn(context.store, subagent, context.options)
}

/** The harness keeps its own log of a subagent, which is named and not copied. */
async function onSubagentStop(context: HookContext): Promise<HookOutcome> {
  const { fields, store, options } = context
  const subagent = findSubagent(context)
  if (subagent === undefined) return NOTHING
  const stop = {
    text: findLastMessage(fields) ?? '',
    mark: markOf(fields),
    agentTranscriptPath: findText(fields, 'agent_transcript_path', 'agentTranscriptPath'),
  }
  return recordSubagentResult(store, subagent, stop, options)
}

/** Nothing can be injected here; the session start after the compaction does that. */
async function onPreCompact({ fields, sessionId, store, options }: HookContext) {
  const instructions = findText(fields, 'custom_instructions', 'customInstructions')
  await recordBeforeCompaction(store, { sessionId, instructions }, options)
  return NOTHING
}

async function onPostCompact({ name, fields, sessionId, store, options }: HookContext) {
  const summary = findText(fields, 'compact_summary', 'compactSummary', 'summary')
  if (summary === undefined) return NOTHING
  const given = fields['trigger']
  const trigger = given === 'manual' || given === 'auto' ? given : 'external'
  const event = {
    sessionId,
    source: name,
    nativeId: findPromptId(fields),
    summary,
    trigger,
  } as const
  return recordCompaction(store, event, options)
}

/** The claim ends in any case; the log gets a terminator unless the hook must not record. */
async function onSessionEnd(context: HookContext): Promise<HookOutcome> {
  const { fields, sessionId, store, options } = context
  const isOff = isBypassed(store, sessionId)
  const released = await release(context)
  const { skipped, duplicateRuntimePath, claimedBy, duplicateSessionEnd } = released ?? {}
  if (skipped === true) {
    const why = { duplicateRuntimePath: duplicateRuntimePath!, claimedBy: claimedBy! }
    return { ...NOTHING, skipped, ...why }
  }
  if (isOff) return { ...NOTHING, bypassed: true }
  if (duplicateSessionEnd === true) return { ...NOTHING, duplicateSessionEnd }
  const reason = findText(fields, 'reason') ?? 'other'
  return (await recordSessionEnd(store, { sessionId, reason }, options)) ?? NOTHING
}

/** Before the terminator is written, so that a repeated end can be recognised. */
async function release({
  sessionId,
  runtimePath,
  followUpStore,
}: HookContext): Promise<ReleasedClaim | undefined> {
  try {
    return await releaseClaim(followUpStore, sessionId, { runtimePath, automatic: true })
  } catch (error) {
    // The claim expires by itself in a few hours, or with its harness.
    if (!isSessionError(error, 'ERR_LOCKED')) throw error
    return undefined
  }
}
