// Subagents of which a harness tells: each gets a log of its own, made by whatever is told of it
// first. What it was asked is not told; what it said at the end is.

import { fieldsOf } from '../chain/index.js'
import { normalizeSessionKey } from '../format/index.js'
import { type NewEvent, readLogBackwardSync, systemEnvironment } from '../log/index.js'
import { findChild, layoutOf, placeSidechain, readLogEnd } from '../store/index.js'
import type { AppendTranscriptOptions } from './append-transcript.js'
import { reportOf, resultEvent, settleEnding, terminatorEvent } from './subagent-result.js'
import { openingEvents } from './subagent-task.js'
import { refuseBeyondCap } from './told-cap.js'
import { recordTold, type Told, type ToldReceipt, tellOrQueue } from './told-record.js'
import { contentHash, uuidOf } from './told-uuid.js'

export interface ToldSubagent {
  readonly session_id: string
  /** The harness's name for it: its task, here. */
  readonly task_id: string
  readonly agent_type?: string | undefined
}

/** Its log, and the spawn in the log of its session. */
export async function spawnTold(
  subagent: ToldSubagent,
  options: AppendTranscriptOptions = {},
): Promise<ToldReceipt> {
  const layout = layoutOf(options)
  const { session_id, task_id, agent_type } = checked(subagent)
  const tool_call_id = findToolCall(layout.transcriptPath(session_id), agent_type)
  const told = { session_id, source: 'SubagentStart', events: [] }
  await recordInSidechain({ ...told, subagent, tool_call_id }, options)
  const { path } = placeSidechain(task_id, session_id, layout)
  const sidechain_path = layout.pathInStore(path)
  const payload = { task_id, sidechain_path, agent_type, tool_call_id }
  const event = { type: 'subagent_spawn', uuid: spawnUuid(subagent), payload }
  return recordTold({ ...told, nativeId: task_id, events: [event] }, options)
}

export interface ToldInSidechain extends Told {
  readonly subagent: ToldSubagent
  readonly tool_call_id?: string | undefined
}

/** What happened inside of a subagent, into its own log. */
export async function recordInSidechain(
  { subagent, tool_call_id, ...told }: ToldInSidechain,
  options: AppendTranscriptOptions & { readonly maxSidechainBytes?: number | undefined } = {},
): Promise<ToldReceipt> {
  const { session_id, task_id, agent_type } = checked(subagent)
  const layout = layoutOf(options)
  const { path } = placeSidechain(task_id, session_id, layout)
  // Those that depend on the end of the log are its ending.
  if (typeof told.events !== 'function') {
    refuseBeyondCap(told.events, { path, session_id, layout, maxBytes: options.maxSidechainBytes })
  }
  const now = (options.environment?.now ?? systemEnvironment.now)()
  const header = () =>
    openingEvents(
      {
        task_id,
        session_id,
        parent_uuid: spawnUuid(subagent),
        depth: 1,
        prompt: '',
        agent_type,
        tool_call_id,
      },
      new Date(now).toISOString(),
    )[0]!
  const queueName = `sidechain:${session_id}:${task_id}`
  return tellOrQueue(told, options, { path, channel: 'sidechain', header, queueName })
}

export interface ToldEnding {
  readonly nativeId?: string | undefined
  readonly mark?: string | undefined
  /** The last it said; without words it has failed. */
  readonly text: string
  /** Where the harness keeps its own log of it. */
  readonly agent_transcript_path?: string | undefined
}

/** Its last words and its ending; when they are on the disk, the result in its session. */
export async function finishTold(
  subagent: ToldSubagent,
  { text, mark, agent_transcript_path }: ToldEnding,
  options: AppendTranscriptOptions = {},
): Promise<ToldReceipt> {
  const { session_id, task_id } = checked(subagent)
  const layout = layoutOf(options)
  const ending = settleEnding({ status: 'completed', summary: text })
  const said: NewEvent[] =
    text.trim() === '' ? [] : [{ type: 'assistant', payload: { content: text } }]
  const told = { session_id, source: 'SubagentStop', nativeId: task_id, mark }
  const events: Told['events'] = ({ size, now }) => [
    ...said,
    terminatorEvent(ending, { bytes: size, now }),
  ]
  await recordInSidechain({ ...told, subagent, events }, options)
  const child = findChild(task_id, session_id, layout)
  const path = child?.path ?? layout.sidechainPath(task_id)
  const uuid = uuidOf([
    session_id,
    'SubagentStop',
    task_id,
    contentHash({ type: 'subagent_result', payload: { text } }, mark),
  ])
  const report = reportOf(ending, {
    task_id,
    sidechain_path: layout.pathInStore(path),
    bytes: readLogEnd(path, 0).size,
    tool_call_id: child?.origin.tool_call_id ?? undefined,
    uuid,
  })
  const result = resultEvent(report)
  const payload = { ...result.payload, agent_transcript_path }
  return recordTold({ ...told, events: [{ ...result, payload } as NewEvent] }, options)
}

function checked(subagent: ToldSubagent): ToldSubagent {
  const session_id = normalizeSessionKey(subagent.session_id)
  return { ...subagent, session_id, task_id: normalizeSessionKey(subagent.task_id, 'A task id') }
}

function spawnUuid(subagent: ToldSubagent): string {
  const { session_id, task_id } = checked(subagent)
  return uuidOf([session_id, 'SubagentStart', task_id])
}

const SPAWNING_TOOLS: readonly unknown[] = ['Task', 'Agent']

/**
 * The call that asked for it: the one of this turn that has no result yet, if there is one alone.
 * The harness does not say which it is, and a wrong link would be worse than none.
 */
function findToolCall(path: string, agentType: string | undefined): string | undefined {
  if (readLogEnd(path, 0).size === 0) return undefined
  const answered = new Set<unknown>()
  const open: string[] = []
  for (const entry of readLogBackwardSync(path, { lazyPayloads: true })) {
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
