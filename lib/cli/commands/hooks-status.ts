// Whether our hooks are in the settings of Claude Code, and whether what they call is there.

import type { EventStatus, HooksStatus } from '../../store/index.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'
import { SETTINGS_OPTIONS, settingsPathOf } from '../hook-settings.js'

const LESSON = `One line per event. A program that was moved or removed, or that is of another version than this
command, is named; hooks install --apply puts it right.

Examples:
  $ jsonl-session hooks status
  SessionStart        /usr/lib/node_modules/jsonl-session/dist/bin/jsonl-session.cjs
  PreCompact          not installed

  $ jsonl-session hooks status --scope project --json
  {"path":"…","exists":true,"isDisabled":false,"isComplete":true,"version":"0.1.0","events":[…]}

Exit codes:
  0 all of them are installed and well · 1 they are not · 2 wrong use, or not a settings file
`

export const hooksStatus: Command = {
  name: 'hooks status',
  summary: 'Show whether the hooks are installed and well',
  operand: '',
  operandText: '',
  options: SETTINGS_OPTIONS,
  lesson: LESSON,

  async run(call) {
    const { readHooksStatus } = await call.rooms.hookSettings()
    const status = readHooksStatus(await settingsPathOf(call), call.io.env['PATH'])
    if (call.has('json')) await call.output.write(`${JSON.stringify(status)}\n`)
    else await print(call, status)
    return status.isComplete ? EXIT.done : EXIT.no
  },
}

async function print(call: Call, status: HooksStatus): Promise<void> {
  const { pad, toPlainText } = await import('../plain-text.js')
  const { path, exists, isDisabled, isComplete, version, events } = status
  const columns = Math.max(...events.map(({ event }) => event.length))
  for (const event of events) {
    const words = toPlainText(sentenceOf(event, version))
    await call.output.write(`${pad(toPlainText(event.event), columns)}  ${words}\n`)
  }
  await call.output.flush()
  if (!exists) call.notes.say(`${toPlainText(path)} is not there`)
  if (isDisabled) call.notes.say('These settings say disableAllHooks: no hook will run')
  else if (!isComplete) call.notes.say('hooks install --apply puts it right')
}

function sentenceOf({ isInstalled, command, program, isCurrent }: EventStatus, version: string) {
  if (!isInstalled) return 'not installed'
  if (program?.path == null) return `calls what is not there: ${command?.join(' ')}`
  if (isCurrent === true) return program.path
  const found = program.version ?? 'unknown'
  return `${program.path} (version ${found}, this is ${version})`
}
