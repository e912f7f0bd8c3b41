// Our hooks out of the settings of Claude Code.

import type { Command } from '../command.js'
import { changeSettings, SETTINGS_OPTIONS, settingsPathOf, withApply } from '../hook-settings.js'

const LESSON = `Shows what would change; --apply does it. Only our own entries go. Where nothing was edited since
hooks install, the file has the same bytes as before, or is gone if it was made for the hooks. What
was recorded stays.

Examples:
  $ jsonl-session hooks uninstall --apply
  -      "SessionStart": [
  …
  No hooks of ours are left in /home/ada/.claude/settings.json

  $ jsonl-session hooks uninstall --scope project --json
  {"path":"/home/ada/shop/.claude/settings.json","isChange":false,"isApplied":false,"diff":[]}

Exit codes:
  0 gone, not there, or shown · 2 wrong use, failed, or not a settings file
`

export const hooksUninstall: Command = {
  name: 'hooks uninstall',
  summary: 'Record the sessions of Claude Code no longer',
  operand: '',
  operandText: '',
  options: [...SETTINGS_OPTIONS, { name: 'apply', text: 'do it' }],
  lesson: LESSON,

  async run(call) {
    const { uninstallHooks } = await call.rooms.hookSettings()
    const change = uninstallHooks(await settingsPathOf(call))
    const { toPlainText } = await import('../plain-text.js')
    const place = toPlainText(change.path)
    return changeSettings(call, change, {
      done: `No hooks of ours are left in ${place}`,
      idle: `No hooks of ours are in ${place}; nothing to do`,
      again: await withApply(call, hooksUninstall),
    })
  },
}
