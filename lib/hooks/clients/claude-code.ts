// The hooks of Claude Code, tried with 2.1.197.

import { HOOK_EVENTS } from '../handlers.js'
import type { HookClient } from './client.js'

export const CLAUDE_CODE: HookClient = {
  name: 'claude-code',
  title: 'Claude Code',
  events: HOOK_EVENTS,
  // They are about permissions, settings and the screen, or repeat what another one says.
  unused: {
    client: 'Claude Code 2.1.197',
    events: [
      ...['Notification', 'PermissionRequest', 'PermissionDenied', 'Setup', 'TeammateIdle'],
      ...['TaskCreated', 'TaskCompleted', 'Elicitation', 'ElicitationResult', 'ConfigChange'],
      ...['WorktreeCreate', 'WorktreeRemove', 'InstructionsLoaded', 'CwdChanged', 'FileChanged'],
      'MessageDisplay',
    ],
  },
  settings: { folder: '.claude', file: 'settings.json', variable: 'CLAUDE_CONFIG_DIR' },
  forms: ['args', 'shell', 'name'],
  // Seconds.
  timeout: 5,
  isDisabled: (settings) => settings['disableAllHooks'] === true,
}
