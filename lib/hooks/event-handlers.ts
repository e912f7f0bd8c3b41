// Which events are recorded, and by whom. What happens at every turn is here; the rest is loaded
// when it happens.

import { onPrompt } from './events/prompt.js'
import { onStop, onStopFailure } from './events/stop.js'
import { onToolCall, onToolFailure, onToolResult } from './events/tools.js'
import type { HookHandler } from './hook-context.js'

type Loader = () => HookHandler | Promise<HookHandler>

const HANDLERS: ReadonlyMap<string, Loader> = new Map<string, Loader>([
  ['UserPromptSubmit', () => onPrompt],
  ['PreToolUse', () => onToolCall],
  ['PostToolUse', () => onToolResult],
  ['PostToolUseFailure', () => onToolFailure],
  ['Stop', () => onStop],
  ['StopFailure', () => onStopFailure],
  ['SessionStart', async () => (await rareEvents()).onSessionStart],
  ['SubagentStart', async () => (await rareEvents()).onSubagentStart],
  ['SubagentStop', async () => (await rareEvents()).onSubagentStop],
  ['PreCompact', async () => (await rareEvents()).onPreCompact],
  ['PostCompact', async () => (await rareEvents()).onPostCompact],
  ['SessionEnd', async () => (await rareEvents()).onSessionEnd],
])

function rareEvents() {
  return import('./rare-events.js')
}

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
  readonly load: Loader
}

/** In any spelling: `session-start` too. `undefined` for an event that leaves nothing behind. */
export function findHandler(event: string): FoundHandler | undefined {
  const name = NAMES.get(event.replace(/[^a-z]/gi, '').toLowerCase())
  const load = name === undefined ? undefined : HANDLERS.get(name)
  return load && { name: name!, load }
}
