// Messages that Codex adds in the name of the user or of the developer. They begin no turn, and a turn
// that is taken back takes along those directly before it. The rules are those of the client.

import { fieldsOf, listOf } from '../import/fields.js'
import type { CodexEvent } from './items.js'

/** Tags around a whole text block of a user message. */
const USER_TAGS = [
  'environment_context',
  'user_instructions',
  'user_shell_command',
  'turn_aborted',
  'subagent_notification',
  'codex_internal_context',
  'goal_context',
  'recommended_plugins',
  'hook_prompt',
  'skill',
]
const USER_TAG = new RegExp(`^<(?:${USER_TAGS.join('|')}|external_[^\\s>]*)[\\s>]`, 'i')

/** Beginnings without a tag; the last three are warnings of older versions. */
const USER_BEGINNINGS = [
  '# AGENTS.md instructions',
  'Warning: The maximum number of unified exec processes you can keep open is',
  'Warning: apply_patch was requested via ',
  'Warning: Your account was flagged for potentially high-risk cyber activity',
]

const DEVELOPER_TAGS = [
  'permissions instructions',
  'model_switch',
  'managed_developer_instructions',
  'apps_instructions',
  'collaboration_mode',
  'multi_agent_role',
  'multi_agent_mode',
  'environments_instructions',
  'git_attribution',
  'plugins_instructions',
  'realtime_conversation',
  'skills_instructions',
  'tools',
  'personality_spec',
  'token_budget',
  'context_window',
  'context_window_guidance',
  'rollout_budget',
]
const DEVELOPER_CONTEXT = new RegExp(
  `^(?:<(?:${DEVELOPER_TAGS.join('|')})>|Approved command prefix saved:)`,
  'i',
)

/** Whether a message begins a turn, and was not added by the client itself. */
export function beginsTurn(event: CodexEvent): boolean {
  return event.type === 'user' && !textsOf(event).some(isUserContext)
}

/** Whether the client added a message, and adds it again when it needs it. */
export function isContext(event: CodexEvent): boolean {
  if (event.type === 'user') return textsOf(event).some(isUserContext)
  if (event.type !== 'system') return false
  return textsOf(event).some((text) => DEVELOPER_CONTEXT.test(text.trimStart()))
}

function isUserContext(text: string): boolean {
  const trimmed = text.trim()
  if (USER_TAG.test(trimmed)) return true
  return USER_BEGINNINGS.some((beginning) => trimmed.startsWith(beginning))
}

function textsOf({ payload: { content } }: CodexEvent): string[] {
  if (typeof content === 'string') return [content]
  return listOf(content).flatMap((block) => {
    const { text } = fieldsOf(block)
    return typeof text === 'string' ? text : []
  })
}
