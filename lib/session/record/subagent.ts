// Subagents that a harness reports through hooks. Each gets a log of its own, which the first report
// of it creates. The harness does not report its prompt, only its last message.

import { fieldsOf, wordsOf } from '../../chain/index.js'
import { toIso } from '../../environment/index.js'
import { normalizeSessionKey } from '../../format/index.js'
import { type NewEvent, type OpenLog, readLogBackwardSync } from '../../log/index.js'
import {
  findChild,
  findSidechainTarget,
  SidechainSizes,
  type StoreContext,
} from '../../store/index.js'
import { followSubagent } from '../follow/follow-subagent.js'
import type { Followed } from '../follow/follow-transcript.js'
import { type RedactionOptions, SIDECHAIN_BYTES_MAX } from '../settings.js'
import { limitError, RECHECK_BYTES } from '../subagents/byte-limit.js'
import { resultEvent, settleEnding, terminatorEvent, toReport } from '../subagents/result.js'
import { openingEvents } from '../subagents/task.js'
import { type HookEvent, type HookRecordOptions, recordEvent } from './hook-events.js'
import { contentHash, readLogEnd, toUuid } from './log-end.js'
import { type RecordResult, record } from './record.js'

export interface HookSubagent {
  /** Of its parent, normalised. */
  readonly sessionId: string
  /** The harness's id of the subagent, which is its task id here. */
  readonly taskId: string
  readonly agentType?: string | undefined
  /** The tool call that asked for it, where the harness names it. */
  readonly toolCallId?: string | undefined
  /** The log of it that the harness writes itself: what it holds beyond ours is taken first. */
  readonly transcriptPath?: string | undefined
}

/** Creates its log, and appends the spawn event to its session. */
export async function recordSpawn(
  store: StoreContext,
  given: HookSubagent,
  options: HookRecordOptions = {},
): Promise<RecordResult> {
  const { layout } = store
  const subagent = normalizeSubagent(given)
  const { sessionId, taskId, agentType } = subagent
  const toolCallId =
    subagent.toolCallId ?? findToolCall(store, layout.transcriptPath(sessionId), agentType)
  const event = { sessionId, source: 'SubagentStart', events: [] }
  await recordInSidechain(store, { ...event, subagent, toolCallId }, options)
  const { path } = findSidechainTarget(store, taskId, sessionId)
  const payload = {
    task_id: taskId,
    sidechain_path: layout.pathInStore(path),
    agent_type: agentType,
    tool_call_id: toolCallId,
  }
  const spawn = { type: 'subagent_spawn', uuid: spawnUuid(subagent), payload }
  return recordEvent(store, { ...event, nativeId: taskId, events: [spawn] }, options)
}

export interface SidechainEvent extends HookEvent {
  readonly subagent: HookSubagent
  readonly toolCallId?: string | undefined
  /** What counts against the limit, where the events are made by a function. */
  readonly limited?: readonly NewEvent[] | undefined
}

/** Records what happened in a subagent, in its own log. Throws ERR_SUBAGENT_LIMIT. */
export async function recordInSidechain(
  store: StoreContext,
  { subagent: given, toolCallId, sessionId: _, events, limited, ...dedupe }: SidechainEvent,
  options: HookRecordOptions & { readonly maxSidechainBytes?: number | undefined } = {},
): Promise<RecordResult> {
  const subagent = normalizeSubagent(given)
  const { sessionId, taskId, agentType } = subagent
  const { path } = findSidechainTarget(store, taskId, sessionId)
  // Events that depend on the end of the log are its ending, which is always written.
  const maxBytes = options.maxSidechainBytes
  const counted = limited ?? (typeof events === 'function' ? undefined : events)
  if (counted !== undefined) assertWithinLimit(store, counted, { path, sessionId, maxBytes })
  const task = {
    taskId,
    sessionId,
    parentUuid: spawnUuid(subagent),
    depth: 1,
    prompt: '',
    agentType,
    toolCallId,
  }
  const target = {
    path,
    channel: 'sidechain',
    header: () => openingEvents(task, toIso(store.env.now()))[0]!,
    spoolName: `sidechain:${sessionId}:${taskId}`,
  } as const
  const { redactOnWrite } = options
  const follow = followOwnLog(store, subagent, { maxBytes, redactOnWrite })
  const lane = { redactOnWrite, dedupe, spool: 'always', follow } as const
  return record(store, { sessionId, events, target }, lane)
}

function followOwnLog(
  store: StoreContext,
  { sessionId, transcriptPath: path }: HookSubagent,
  {
    maxBytes = SIDECHAIN_BYTES_MAX,
    redactOnWrite,
  }: RedactionOptions & { readonly maxBytes: number | undefined },
) {
  if (path === undefined) return undefined
  return (log: OpenLog) => {
    const bytesMax = maxBytes - new SidechainSizes(store, sessionId).sumExcept(new Set())
    return followSubagent(store, log, { path, bytesMax, redactOnWrite })
  }
}

export interface SubagentStop {
  readonly mark?: string | undefined
  /** Its last message; a blank one means that it failed. */
  readonly text: string
  /** Where the harness keeps its own log of the subagent. */
  readonly agentTranscriptPath?: string | undefined
}

/** Records its last message and its ending, and then the result in its session. */
export async function recordSubagentResult(
  store: StoreContext,
  given: HookSubagent,
  { text, mark, agentTranscriptPath }: SubagentStop,
  options: HookRecordOptions = {},
): Promise<RecordResult> {
  const { layout } = store
  const subagent = normalizeSubagent(given)
  const { sessionId, taskId } = subagent
  const ending = settleEnding({ status: 'completed', summary: text })
  const lastMessage: NewEvent[] =
    text.trim() === '' ? [] : [{ type: 'assistant', payload: { content: text } }]
  const source = { sessionId, source: 'SubagentStop', nativeId: taskId, mark }
  const events: HookEvent['events'] = ({ size, now }, followed) => [
    ...(isLast(followed, text) ? [] : lastMessage),
    terminatorEvent(ending, { bytes: size, now }),
  ]
  await recordInSidechain(store, { ...source, subagent, events }, options)
  const child = findChild(store, taskId, sessionId)
  const path = child?.path ?? layout.sidechainPath(taskId)
  const hash = contentHash({ type: 'subagent_result', payload: { text } }, mark)
  const report = toReport(ending, {
    taskId,
    sidechainPath: layout.pathInStore(path),
    bytes: readLogEnd(store, path).size,
    toolCallId: subagent.toolCallId ?? child?.toolCallId ?? undefined,
    uuid: toUuid([sessionId, 'SubagentStop', taskId, hash]),
  })
  const result = resultEvent(report)
  const payload = { ...result.payload, agent_transcript_path: agentTranscriptPath }
  return recordEvent(store, { ...source, events: [{ ...result, payload } as NewEvent] }, options)
}

/** Its own log ends with that message. */
function isLast(followed: Followed | undefined, text: string): boolean {
  if (followed?.isFollowed !== true) return false
  const [newest] = followed.recent()
  return newest?.type === 'assistant' && wordsOf(newest.payload).trim() === text.trim()
}

function normalizeSubagent(subagent: HookSubagent): HookSubagent {
  return { ...subagent, taskId: normalizeSessionKey(subagent.taskId, 'A task id') }
}

function spawnUuid({ sessionId, taskId }: HookSubagent): string {
  return toUuid([sessionId, 'SubagentStart', taskId])
}

/**
 * Checks the limit on the bytes of all subagents of a session. A process that writes one event looks
 * at the other logs only when its own grows by another 64 KiB, so the sum may exceed the limit by
 * that for each subagent.
 */
function assertWithinLimit(
  store: StoreContext,
  events: readonly NewEvent[],
  {
    path,
    sessionId,
    maxBytes = SIDECHAIN_BYTES_MAX,
  }: { path: string; sessionId: string; maxBytes?: number | undefined },
): void {
  const bytes = Buffer.byteLength(JSON.stringify(events))
  const sizes = new SidechainSizes(store, sessionId)
  const size = sizes.sizeOf(path)
  if (Math.floor(size / RECHECK_BYTES) === Math.floor((size + bytes) / RECHECK_BYTES)) return
  if (sizes.sumExcept(new Set()) + bytes > maxBytes) throw limitError(maxBytes)
}

const SPAWNING_TOOLS: readonly unknown[] = ['Task', 'Agent', 'task']

/**
 * Finds the tool call that asked for the subagent, where the harness does not name it: the one call
 * of this turn that has no result yet. A wrong link would be worse than a missing one.
 */
function findToolCall(
  store: StoreContext,
  path: string,
  agentType: string | undefined,
): string | undefined {
  if (readLogEnd(store, path).size === 0) return undefined
  const answered = new Set<unknown>()
  const open: string[] = []
  for (const entry of readLogBackwardSync(path, { lazyPayloads: true, environment: store.env })) {
    if (entry.kind !== 'event') continue
    const { type, payload } = entry.event
    if (type === 'user') break
    if (type !== 'tool_result' && type !== 'tool_call' && type !== 'subagent_spawn') continue
    const { tool_call_id: id, name, input } = fieldsOf(payload)
    if (type !== 'tool_call') answered.add(id)
    else if (isCallFor(agentType, name, input) && !answered.has(id)) open.push(String(id))
  }
  return open.length === 1 ? open[0] : undefined
}

function isCallFor(agentType: string | undefined, name: unknown, input: unknown): boolean {
  if (!SPAWNING_TOOLS.includes(name)) return false
  const { subagent_type } = fieldsOf(input)
  return subagent_type === undefined || agentType === undefined || subagent_type === agentType
}
