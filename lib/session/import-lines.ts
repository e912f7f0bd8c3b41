// The first and the last lines of an imported log: what it is, and how it ended.

import { FORMAT_VERSION, UNKNOWN_TIME } from '../format/index.js'
import {
  HEADER_UUID,
  type ImportedTask,
  type SourceFacts,
  type TaskEnding,
} from '../importers/index.js'
import type { NewEvent } from '../log/index.js'
import { normalizeProject } from '../store/index.js'
import { PACKAGE_NAME, PACKAGE_VERSION } from '../version.js'
import { headerPayload } from './header.js'
import type { ImportOptions } from './import-options.js'
import { settleEnding, terminatorEvent } from './subagent-result.js'
import { withoutUndefined } from './without-undefined.js'

/** What is known of a subagent, from its session or from what lies beside its log. */
export interface FoundTask extends Omit<ImportedTask, 'spawn_uuid'> {
  readonly spawn_uuid: string | null
  ending?: TaskEnding | undefined
}

export function startOf({ start_ts }: SourceFacts): string {
  return start_ts ?? UNKNOWN_TIME
}

export function sessionHeader(
  facts: SourceFacts,
  harness: string,
  { agent }: ImportOptions,
): NewEvent {
  const { cwd } = facts
  const ts = startOf(facts)
  const { cwd: _, ...payload } = headerPayload(facts.session_id, ts, {
    harness,
    project: cwd,
    projectNormalized: cwd === undefined ? undefined : normalizeProject(cwd),
    kind: facts.kind,
    parentSessionKey: facts.parent_session_key,
    previousSessionKey: facts.previous_session_key,
    agentId: agent,
    capture: 'import',
  })
  // Where this process runs has nothing to do with it.
  const placed = cwd === undefined ? payload : { ...payload, cwd }
  return { type: 'session_header', uuid: HEADER_UUID, ts, payload: placed }
}

export function taskHeader(
  task_id: string,
  facts: SourceFacts,
  told: FoundTask | undefined,
): NewEvent {
  const ts = startOf(facts)
  const payload = withoutUndefined({
    format: FORMAT_VERSION,
    task_id,
    parent_session_id: facts.session_id,
    parent_uuid: told?.spawn_uuid ?? null,
    depth: 1,
    start_ts: ts,
    agent_type: told?.agent_type,
    tool_call_id: told?.tool_call_id,
    lib: { name: PACKAGE_NAME, version: PACKAGE_VERSION, capture: 'import' },
  })
  return { type: 'sidechain_header', uuid: HEADER_UUID, ts, payload }
}

export function sessionEnd(ts: string, last_uuid: string | null, bytes: number): NewEvent {
  const payload = { end_ts: ts, reason: 'import', last_uuid, events: null, bytes }
  return { type: 'session_terminator', ts, payload }
}

export function taskEnd(ts: string, { isSuccess, summary }: TaskEnding, bytes: number): NewEvent {
  const settled = settleEnding({ status: isSuccess ? 'completed' : 'failed', summary })
  return { ...terminatorEvent(settled, { bytes, now: Date.parse(ts) }), ts }
}
