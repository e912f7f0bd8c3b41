// Lines of Claude Code that are kept as they are. Those named here say nothing to the model, or only what
// the client says anew with each request; any other might, so an import reports it.

import type { Emitter } from '../import/emitter.js'
import { fieldsOf } from '../import/fields.js'
import type { ForeignValue } from '../import/importer.js'

/** Types of lines about the session, its files, the client and its screen. */
const LINES: ReadonlySet<string> = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'artifact-autoreact-ledger',
  'artifact-comment-monitor',
  'atis-latch',
  'attribution-snapshot',
  'bridge-session',
  'continued-in',
  'cost-state',
  'custom-title',
  'data-flow-incomplete',
  'data-flow-records',
  'derived-from',
  'dev-mods',
  'ended-by-model',
  'file-history-delta',
  'file-history-snapshot',
  'fork-context-ref',
  'frame-link',
  'history-suppression',
  'isolation-latch',
  'last-prompt',
  'memory-mode',
  'observer-ref',
  'pr-link',
  'queue-operation',
  'relocated',
  'resume-head-vouch',
  'session-owner',
  'speculation-accept',
  'summary',
  'system',
  'tag',
  'tools-used',
  'worktree-state',
])

/** Attachments that the client makes of its own state: lists of tools, reminders, notes about hooks. */
const ATTACHMENTS: ReadonlySet<string> = new Set([
  'agent_listing_delta',
  'budget_usd',
  'compaction_reminder',
  'companion_intro',
  'context_efficiency',
  'critical_system_reminder',
  'current_session_memory',
  'date',
  'date_change',
  'deferred_tools_delta',
  'echo_activities',
  'environment',
  'hook_cancelled',
  'hook_error_during_execution',
  'hook_non_blocking_error',
  'hook_permission_decision',
  'hook_stopped_continuation',
  'hook_system_message',
  'max_turns_reached',
  'mcp_instructions_delta',
  'model',
  'output_style',
  'output_token_usage',
  'pen_mode_enter',
  'pen_mode_exit',
  'plan_mode',
  'plan_mode_exit',
  'plan_mode_reentry',
  'prompt_snapshot',
  'queued_command',
  'remote_session_change',
  'session_context',
  'skill_discovery',
  'skill_listing',
  'structured_output',
  'task_reminder',
  'todo_reminder',
  'token_usage',
  'tool_search_usage_reminder',
  'total_tokens_reminder',
  'ultra_effort_enter',
  'ultra_effort_exit',
  'verify_plan_reminder',
])

/** Reports a line that the model might see and that becomes no message. */
export function noteUninterpreted(emitter: Emitter, { type, attachment }: ForeignValue): void {
  if (type === 'attachment') {
    const { type: name, content } = fieldsOf(attachment)
    const kind = String(name)
    const isSilent = kind === 'hook_success' && content === ''
    if (!isSilent && !ATTACHMENTS.has(kind)) emitter.leaveUninterpreted(`attachment/${kind}`)
  } else if (!LINES.has(String(type))) emitter.leaveUninterpreted(String(type ?? 'record'))
}
