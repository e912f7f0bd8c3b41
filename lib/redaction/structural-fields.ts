// The fields of known records that hold ids, paths, hashes, times and kinds. They are never redacted,
// because lookups use them. All other fields are redacted.

import type { EventType } from '../format/index.js'

export const STRUCTURAL_FIELDS: Readonly<Partial<Record<EventType, readonly string[]>>> = {
  session_header: [
    'session_id',
    'start_ts',
    'resumed_from',
    'lib',
    'forked_from',
    'kind',
    'tool_policy',
    'parent_session_key',
    'previous_session_key',
    'harness',
    'harness_agent_id',
    'agent_id',
    'agent_label',
    'project',
    'project_normalized',
    'cwd',
  ],
  session_resumed: ['at_ts', 'source'],
  user: ['prompt_id', 'source', 'copied_from'],
  assistant: ['model', 'usage', 'stop_reason', 'message_id', 'copied_from'],
  tool_call: ['tool_call_id', 'name', 'copied_from'],
  tool_result: ['tool_call_id', 'name', 'copied_from'],
  system: ['copied_from'],
  summary: ['model'],
  compaction_boundary: [
    'headUuid',
    'anchorUuid',
    'tailUuid',
    'summary_event_uuid',
    'trigger',
    'strategy',
    'coveredFromUuid',
    'coveredToUuid',
    'keptUuids',
    'kept',
    'checkpoint_id',
    'details',
  ],
  rewind: ['target_uuid', 'from_uuid', 'truncate_after', 'copied_from'],
  subagent_spawn: ['task_id', 'sidechain_path', 'agent_type', 'spec_sha256', 'tool_call_id'],
  subagent_result: ['task_id', 'completion_status', 'sidechain_path', 'tool_call_id'],
  summary_revision: ['summary_event_uuid', 'boundary_uuid', 'model'],
  message_edit: ['target_uuid'],
  remember: ['memoryType'],
  checkpoint_ref: ['checkpoint_id', 'trigger', 'sha256', 'shard'],
  extract_cursor: ['last_uuid'],
  recovery_injected: ['checkpoint_id', 'boundary_uuid', 'source', 'sources'],
  session_meta: ['title_source'],
  file_checkpoint: ['hash', 'files', 'at_uuid', 'project_root', 'reason'],
  turn_end: ['prompt_id', 'stop_reason'],
  session_terminator: ['end_ts', 'last_uuid'],
  sidechain_header: ['task_id', 'parent_session_id', 'parent_uuid', 'start_ts', 'agent_type'],
  sidechain_terminator: ['end_ts', 'completion_status'],
  checkpoint: [
    'id',
    'session_key',
    'agent_id',
    'harness',
    'project',
    'project_normalized',
    'trigger',
    'created_at',
    'last_uuid',
    'agent_run_id',
    'idempotency_keys',
    'cycle',
  ],
  checkpoint_tombstone: ['target_id'],
}

const BY_TYPE = new Map(
  Object.entries(STRUCTURAL_FIELDS).map(([type, names]) => [type, new Set(names)]),
)

export function isStructuralField(type: string, name: string): boolean {
  return BY_TYPE.get(type)?.has(name) === true
}
