// Our hooks into the settings of Claude Code.

import type { CallForm } from '../../store/index.js'
import { oneOf, storeOptionsOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { changeSettings, SETTINGS_OPTIONS, settingsPathOf, withApply } from '../hook-settings.js'

const LESSON = `Shows what would change; --apply does it. Hooks of others, unknown settings, order and layout stay
as they are, and hooks uninstall gives back the same bytes. Again it changes nothing, or brings old
entries up to date. --root, --home and --agent are passed on to the hook.

Examples:
  $ jsonl-session hooks install --apply
  +      "SessionStart": [
  …
  Hooks are installed in /home/ada/.claude/settings.json; the next session is recorded

  $ jsonl-session hooks install --scope project --json
  {"path":"/home/ada/shop/.claude/settings.json","isChange":true,"isApplied":false,"diff":[…]}

Exit codes:
  0 installed, there already, or shown · 2 wrong use, failed, or not a settings file
`

export const hooksInstall: Command = {
  name: 'hooks install',
  summary: 'Record the sessions of Claude Code from now on',
  operand: '',
  operandText: '',
  options: [
    ...SETTINGS_OPTIONS,
    { name: 'apply', text: 'do it' },
    {
      name: 'command',
      value: 'FORM',
      text: 'args: by path (default), shell: one quoted line, name: from the PATH (project)',
    },
    { name: 'runtime-path', value: 'P', text: 'passed on to the hook: who speaks for the session' },
  ],
  lesson: LESSON,

  async run(call) {
    const { installHooks, CALL_FORMS } = await call.rooms.hookSettings()
    const path = await settingsPathOf(call)
    const isShared = call.value('scope') === 'project'
    const form: CallForm = oneOf(call, 'command', CALL_FORMS) ?? (isShared ? 'name' : 'args')
    const { node, program } = call.rooms.program()
    const args = await passedOn(call)
    const change = installHooks(path, { form, node, program, args })
    warn(call, { program, form, isDisabled: change.isDisabled })
    const { toPlainText } = await import('../plain-text.js')
    const place = toPlainText(change.path)
    return changeSettings(call, change, {
      done: `Hooks are installed in ${place}; the next session is recorded`,
      idle: `Hooks are installed in ${place} already; nothing to do`,
      again: await withApply(call, hooksInstall),
    })
  },
}

/** The hook must write where this command would. */
async function passedOn(call: Call): Promise<string[]> {
  const { resolve } = await import('node:path')
  const { root, home, agent } = storeOptionsOf(call)
  const given = Object.entries({
    'runtime-path': call.value('runtime-path'),
    root: root === undefined ? undefined : resolve(call.io.cwd(), root),
    home: home === undefined ? undefined : resolve(call.io.cwd(), home),
    agent,
  })
  return given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))
}

function warn(
  call: Call,
  { program, form, isDisabled }: { program: string; form: CallForm; isDisabled: boolean },
): void {
  if (isDisabled) call.notes.say('These settings say disableAllHooks: no hook will run')
  if (form !== 'name' && /[\\/]_npx[\\/]/.test(program)) {
    call.notes.say(
      'npx may remove this copy any day; install it with: npm install -g jsonl-session',
    )
  }
}
