// The hooks of Codex, tried with 0.166.0. Events and fields are those of Claude Code.

import { findText } from '../read-input.js'
import type { TranslatedClient } from './client.js'

const EVENTS = [
  ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PreCompact', 'Stop'],
  'SessionEnd',
]

export const CODEX: TranslatedClient = {
  name: 'codex',
  title: 'Codex',
  events: EVENTS,
  unused: {
    client: 'Codex 0.166.0',
    events: [
      ...['PreModelRequest', 'PermissionRequest', 'PostCompact', 'SubagentStart', 'SubagentStop'],
      'Interrupt',
    ],
  },
  settings: { folder: '.codex', file: 'hooks.json', variable: 'CODEX_HOME' },
  forms: ['shell', 'name'],
  // Seconds; the client warns of more for SessionEnd.
  timeout: 3,
  // A feature of config.toml, which is another file.
  isDisabled: () => false,
  advice:
    'Codex runs new hooks only after you trust them: start codex, and review them with /hooks',

  translate(event, fields) {
    if (!EVENTS.includes(event)) return undefined
    // Its own record of the session has another format than that of Claude Code.
    const { transcript_path: _, ...rest } = fields
    return { event, fields: { ...rest, prompt_id: findText(fields, 'turn_id') } }
  },
}
