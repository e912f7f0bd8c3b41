// The first and the last event of an imported log.

import { FORMAT_VERSION, UNKNOWN_TIME, withoutUndefined } from '../../format/index.js'
import {
  HEADER_UUID,
  type ImportedTask,
  type SourceFacts,
  type TaskEnding,
} from '../../interchange/index.js'
import type { NewEvent } from '../../log/index.js'
import { normalizeProject, type StoreContext } from '../../store/index.js'
import { PACKAGE_NAME, PACKAGE_VERSION } from '../../version.js'
import { headerPayload } from '../header.js'
import { settleEnding, terminatorEvent } from '../subagents/result.js'

/** A subagent, by the transcript of its session or by the files beside its log. */
export interface FoundTask extends Omit<ImportedTask, 'spawnUuid'> {
  readonly spawnUuid: string | null
  ending?: TaskEnding | undefined
}

export function startOf({ startTs }: SourceFacts): string {
  return startTs ?? UNKNOWN_TIME
}

export function sessionHeader(store: StoreContext, facts: SourceFacts, harness: string): NewEvent {
  const { cwd } = facts
  const ts = startOf(facts)
  const { cwd: _, ...payload } = headerPayload(store, facts.sessionId, ts, {
    harness,
    project: cwd,
    projectNormalized: cwd === undefined ? undefined : normalizeProject(store, cwd),
    kind: facts.kind,
    parentSessionKey: facts.parentSessionKey,
    previousSessionKey: facts.previousSessionKey,
    capture: 'import',
  })
  // Not the folder of this process.
  const own = cwd === undefined ? payload : { ...payload, cwd }
  return { type: 'session_header', uuid: HEADER_UUID, ts, payload: own }
}

export function taskHeader(facts: SourceFacts, taskId: string, task?: FoundTask): NewEvent {
  const ts = startOf(facts)
  const payload = withoutUndefined({
    format: FORMAT_VERSION,
    task_id: taskId,
    parent_session_id: facts.sessionId,
    parent_uuid: task?.spawnUuid ?? null,
    depth: 1,
    start_ts: ts,
    agent_type: task?.agentType,
    tool_call_id: task?.toolCallId,
    lib: { name: PACKAGE_NAME, version: PACKAGE_VERSION, capture: 'import' },
  })
  return { type: 'sidechain_header', uuid: HEADER_UUID, ts, payload }
}

export function sessionEnd(ts: string, last_uuid: string | null, bytes: number): NewEvent {
  const payload = { end_ts: ts, reason: 'import', last_uuid, events: null, bytes }
  return { type: 'session_terminator', ts, payload }
}

export function taskEnd(ts: string, { success, summary }: TaskEnding, bytes: number): NewEvent {
  const settled = settleEnding({ status: success ? 'completed' : 'failed', summary })
  return { ...terminatorEvent(settled, { bytes, now: Date.parse(ts) }), ts }
}
