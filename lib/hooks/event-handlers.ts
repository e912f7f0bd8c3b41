// Which events are recorded, and by whom.

import { onPostCompact, onPreCompact } from './events/compaction.js'
import { onPrompt } from './events/prompt.js'
import { onSessionEnd } from './events/session-end.js'
import { onSessionStart } from './events/session-start.js'
import { onStop, onStopFailure } from './events/stop.js'
import { onSubagentStart, onSubagentStop } from './events/subagents.js'
import { onToolCall, onToolFailure, onToolResult } from './events/tools.js'
import type { HookHandler } from './hook-context.js'

const HANDLERS: ReadonlyMap<string, HookHandler> = new Map([
  ['UserPromptSubmit', onPrompt],
  ['PreToolUse', onToolCall],
  ['PostToolUse', onToolResult],
  ['PostToolUseFailure', onToolFailure],
  ['Stop', onStop],
  ['StopFailure', onStopFailure],
  ['SessionStart', onSessionStart],
  ['SubagentStart', onSubagentStart],
  ['SubagentStop', onSubagentStop],
  ['PreCompact', onPreCompact],
  ['PostCompact', onPostCompact],
  ['SessionEnd', onSessionEnd],
])

// What other connectors call them.
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['promptsubmit', 'UserPromptSubmit'],
  ['precompaction', 'PreCompact'],
  ['compactioncomplete', 'PostCompact'],
])

const NAMES: ReadonlyMap<string, string> = new Map([
  ...[...HANDLERS.keys()].map((name) => [name.toLowerCase(), name] as const),
  ...ALIASES,
])

export interface FoundHandler {
  readonly name: string
  readonly handle: HookHandler
}

/** In any spelling: `session-start` too. `undefined` for an event that leaves nothing behind. */
export function findHandler(event: string): FoundHandler | undefined {
  const name = NAMES.get(event.replace(/[^a-z]/gi, '').toLowerCase())
  const handle = name === undefined ? undefined : HANDLERS.get(name)
  return handle && { name: name!, handle }
}
