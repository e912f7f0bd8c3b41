// What each hook event records.

import { isAbsolute } from 'node:path'
import { plainText } from '../interchange/follow.js'
import {
  endHarnessSession,
  type HookEvent,
  type HookSubagent,
  type Message,
  recordBeforeCompaction,
  recordCompaction,
  recordEvent,
  recordInSidechain,
  recordPrompt,
  recordReply,
  recordSpawn,
  recordSubagentResult,
} from '../session/record.js'
import { findChild, readSmallText } from '../store/index.js'
import { CALLS } from './calls.js'
import {
  findLastMessage,
  findPrompt,
  findPromptId,
  findSubagent,
  findText,
  type HookContext,
  type HookFields,
  type HookHandler,
  type HookOutcome,
  NOTHING,
  toFields,
} from './read-input.js'
import { onSessionStart } from './session-start.js'
import { onToolBatch, onToolCall, onToolFailure, onToolResult } from './tool-handlers.js'

/** In the order in which a session has the events. */
const HANDLERS: ReadonlyMap<string, HookHandler> = new Map<string, HookHandler>([
  ['SessionStart', onSessionStart],
  ['UserPromptSubmit', onPrompt],
  ['UserPromptExpansion', onPrompt],
  ['PreToolUse', onToolCall],
  ['PostToolUse', onToolResult],
  ['PostToolUseFailure', onToolFailure],
  ['PostToolBatch', onToolBatch],
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
  // The name that other connectors use.
  ['promptsubmit', 'UserPromptSubmit'],
])

/** In any spelling, `session-start` too. `undefined` for an event that is not recorded. */
export function findHandler(event: string): { name: string; handle: HookHandler } | undefined {
  const word = event.replace(/[^a-z]/gi, '').toLowerCase()
  const call = CALLS.get(word)
  if (call !== undefined) return { name: word, handle: call }
  const name = NAMES.get(word)
  const handle = name === undefined ? undefined : HANDLERS.get(name)
  return handle && { name: name!, handle }
}

/** A prompt is recorded, and nothing is injected into it. */
async function onPrompt(context: HookContext): Promise<HookOutcome> {
  const { fields, sessionId, store, options } = context
  const content = findPrompt(fields)
  if (content === undefined) return NOTHING
  const source = { sessionId, source: 'UserPromptSubmit', nativeId: findPromptId(fields) }
  const subagent = findSubagent(context)
  if (subagent !== undefined) {
    const events = [{ type: 'user', payload: { content } }]
    return recordInSidechain(store, { ...source, subagent, events }, options)
  }
  // Of a connector without a hook for replies.
  const reply = findText(fields, 'lastAssistantMessage')
  if (reply !== undefined) {
    const prompt = { content, nativeId: source.nativeId }
    await recordReply(store, sessionId, reply, { prompt, options })
  }
  // Not typed by a person: a task in the background has ended.
  const isTyped = !content.startsWith('<task-notification>')
  return recordPrompt(store, { ...source, content, isTyped }, options)
}

/** The end of a turn: the last message, and `turn_end`. A session may end without another event. */
async function onStop({ name, fields, sessionId, store, options }: HookContext) {
  const content = findLastMessage(fields)
  const nativeId = findPromptId(fields)
  const list = [
    ...(content === undefined ? [] : [{ type: 'assistant', payload: { content } }]),
    { type: 'turn_end', payload: { prompt_id: nativeId } },
  ]
  const events: HookEvent['events'] = ({ offChain }, followed) => {
    if (followed?.isFollowed !== true) return list
    // A model may say the same again in one prompt: what it says then follows another message.
    const isNew = (text: string) => !isLastMessage(followed.recent(), text)
    const isEnded = followed.events.length === 0 && offChain.some(({ type }) => type === 'turn_end')
    return list
      .filter(({ type }) => (type === 'turn_end' ? !isEnded : isNew(content!)))
      .map((event) => ({ ...event, uuid: store.env.newUuid() }))
  }
  const event = { sessionId, source: name, nativeId, mark: markOf(fields), events }
  return recordEvent(store, event, options)
}

function isLastMessage(recent: Iterable<Message>, text: string): boolean {
  for (const { type, payload } of recent) {
    if (type === 'assistant') return plainText(toFields(payload)['content']).trim() === text.trim()
    if (type === 'user' || type === 'tool_result' || type === 'tool_call') return false
  }
  return false
}

/** A stop hook that made the model continue is called again for the same prompt. */
function markOf(fields: HookFields): string {
  return fields['stop_hook_active'] === true ? 'again' : ''
}

const UNKNOWN_ERROR = 'unknown'

/** The last message is an error here, not a reply. */
async function onStopFailure({ name, fields, sessionId, store, options }: HookContext) {
  const nativeId = findPromptId(fields)
  const named = findText(fields, 'error', 'error_message') ?? UNKNOWN_ERROR
  // Claude Code says what went wrong in the message, and the kind of it often not at all.
  const error = named === UNKNOWN_ERROR ? (findLastMessage(fields) ?? named) : named
  const events = [{ type: 'turn_end', payload: { prompt_id: nativeId, error } }]
  const event = { sessionId, source: name, nativeId, events }
  return recordEvent(store, event, options)
}

async function onSubagentStart(context: HookContext): Promise<HookOutcome> {
  const subagent = findSubagent(context)
  if (subagent === undefined) return NOTHING
  const toolCallId = readToolCallId(context, subagent.transcriptPath)
  return recordSpawn(context.store, { ...subagent, toolCallId }, context.options)
}

/** The harness keeps its own log of a subagent, which is named in the result. */
async function onSubagentStop(context: HookContext): Promise<HookOutcome> {
  const { fields, store, options } = context
  const subagent = findSubagent(context)
  if (subagent === undefined || isSummarizer(context, subagent)) return NOTHING
  const agentTranscriptPath = findText(fields, 'agent_transcript_path', 'agentTranscriptPath')
  const toolCallId = readToolCallId(context, subagent.transcriptPath)
  const stop = {
    text: findLastMessage(fields) ?? '',
    mark: markOf(fields),
    agentTranscriptPath,
  }
  return recordSubagentResult(store, { ...subagent, toolCallId }, stop, options)
}

/** Claude Code names the call in a small file beside the log of the subagent. */
function readToolCallId({ store }: HookContext, path: string | undefined): string | undefined {
  if (path === undefined || !isAbsolute(path)) return undefined
  try {
    const text = readSmallText(store, path.replace(/\.jsonl$/, '.meta.json')).toString()
    return findText(toFields(JSON.parse(text)), 'toolUseId')
  } catch {
    // Older versions have no such file; then an open call is assumed, if it is the only one.
    return undefined
  }
}

/** Claude Code summarizes in an agent without a type, and reports only that it stopped. */
function isSummarizer(
  { fields, store }: HookContext,
  { sessionId, taskId }: HookSubagent,
): boolean {
  return fields['agent_type'] === '' && findChild(store, taskId, sessionId) === undefined
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
    summary: toSummary(summary),
    trigger,
  } as const
  const { transcript } = options
  // What was kept is in the transcript only, which has the compaction a moment later.
  if (transcript !== undefined) {
    const none = { sessionId, source: name, events: [] }
    if ((await recordEvent(store, none, options)).isFollowed === true) return NOTHING
  }
  return recordCompaction(store, event, options)
}

/** As the client uses it: without the analysis that the model writes first. */
function toSummary(text: string): string {
  const [, summary] = /<summary>([\s\S]*?)<\/summary>/.exec(text) ?? []
  return (summary ?? text.replace(/<analysis>[\s\S]*?<\/analysis>/, '')).trim()
}

/** Takes what the transcript of the client holds beyond the log of this session, if it has one. */
export async function recordTranscript({ name, sessionId, store, options }: HookContext) {
  if (options.transcript === undefined) return
  if (!store.env.fs.existsSync(store.layout.transcriptPath(sessionId))) return
  await recordEvent(store, { sessionId, source: name, events: [] }, options)
}

async function onSessionEnd(context: HookContext): Promise<HookOutcome> {
  const { fields, sessionId, runtimePath, store, options } = context
  const request = {
    harness: options.facts?.harness ?? 'unknown',
    sessionKey: sessionId,
    runtimePath,
    reason: findText(fields, 'reason'),
    transcript: findText(fields, 'transcript'),
    // Claude Code reports its own file as `transcript_path`, with every event.
    transcriptPath: findText(fields, 'transcriptPath'),
  }
  const { sessionId: _, ...answer } = await endHarnessSession(store, request, options)
  return { ...NOTHING, ...answer }
}
