// OpenCode, tried with 1.18.33. It has plugins in place of hooks: one file that our installer writes
// (opencode-plugin.ts). The plugin reports events and fields of Claude Code.

import type { TranslatedClient } from './client.js'

const EVENTS = [
  ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
  ...['SubagentStart', 'SubagentStop', 'PreCompact', 'PostCompact', 'Stop', 'SessionEnd'],
]

export const OPENCODE: TranslatedClient = {
  name: 'opencode',
  title: 'OpenCode',
  events: EVENTS,
  unused: {
    client: 'OpenCode 1.18.33',
    events: ['session.error', 'session.diff', 'file.edited', 'command.executed', 'todo.updated'],
  },
  settings: {
    folder: '.config/opencode',
    projectFolder: '.opencode',
    file: 'plugins/jsonl-session.js',
    variable: 'XDG_CONFIG_HOME',
    below: 'opencode',
  },
  forms: ['args', 'name'],
  timeout: 5,
  isDisabled: () => false,

  translate(event, fields) {
    return EVENTS.includes(event) ? { event, fields } : undefined
  },
}
