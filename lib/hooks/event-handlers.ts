// Which events are recorded, and by whom. Each is loaded when it happens.

import type { HookHandler } from './hook-context.js'

const HANDLERS: ReadonlyMap<string, () => Promise<HookHandler>> = new Map([
  ['SessionStart', async () => (await import('./events/session-start.js')).onSessionStart],
  ['UserPromptSubmit', async () => (await import('./events/prompt.js')).onPrompt],
  ['PreToolUse', async () => (await import('./events/tools.js')).onToolCall],
  ['PostToolUse', async () => (await import('./events/tools.js')).onToolResult],
  ['PostToolUseFailure', async () => (await import('./events/tools.js')).onToolFailure],
  ['Stop', async () => (await import('./events/stop.js')).onStop],
  ['StopFailure', async () => (await import('./events/stop.js')).onStopFailure],
  ['SubagentStart', async () => (await import('./events/subagents.js')).onSubagentStart],
  ['SubagentStop', async () => (await import('./events/subagents.js')).onSubagentStop],
  ['PreCompact', async () => (await import('./events/compaction.js')).onPreCompact],
  ['PostCompact', async () => (await import('./events/compaction.js')).onPostCompact],
  ['SessionEnd', async () => (await import('./events/session-end.js')).onSessionEnd],
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
  load(): Promise<HookHandler>
}

/** In any spelling: `session-start` too. `undefined` for an event that leaves nothing behind. */
export function findHandler(event: string): FoundHandler | undefined {
  const name = NAMES.get(event.replace(/[^a-z]/gi, '').toLowerCase())
  const load = name === undefined ? undefined : HANDLERS.get(name)
  return load && { name: name!, load }
}
