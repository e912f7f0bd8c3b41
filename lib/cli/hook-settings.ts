// What the commands on hooks in settings have in common: which file, and how a change is shown
// before it is made.

import type { SettingsChange } from '../store/index.js'
import { oneOf, refuseTogether } from './arguments.js'
import { type Call, type Command, GLOBAL_OPTIONS, type OptionSpec } from './command.js'
import { EXIT } from './exit-codes.js'

export const SCOPES = ['user', 'project'] as const

export const SETTINGS_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'scope',
    value: 'S',
    text: 'user: ~/.claude (default), project: .claude in this folder',
  },
  { name: 'settings', value: 'FILE', text: 'this settings file and no other' },
]

/** Where Claude Code keeps its settings. */
export async function settingsPathOf(call: Call): Promise<string> {
  refuseTogether(call, 'scope', 'settings')
  const { join, resolve } = await import('node:path')
  const given = call.value('settings')
  if (given !== undefined) return resolve(call.io.cwd(), given)
  if (oneOf(call, 'scope', SCOPES) === 'project') {
    return join(call.io.cwd(), '.claude', 'settings.json')
  }
  const { homedir } = await import('node:os')
  const folder = call.io.env['CLAUDE_CONFIG_DIR'] || join(homedir(), '.claude')
  return resolve(folder, 'settings.json')
}

export interface ChangeWords {
  /** What was done, with the path in it. */
  readonly done: string
  /** Why there is nothing to do. */
  readonly idle: string
  /** The command that would do it. */
  readonly again: string
}

/** Shows the change, and makes it when that was asked for. */
export async function changeSettings(
  call: Call,
  change: SettingsChange,
  { done, idle, again }: ChangeWords,
): Promise<number> {
  const { lineDiff } = await import('./line-diff.js')
  const diff = lineDiff(change.before ?? '', change.after ?? '')
  const isApplied = change.isChange && call.has('apply')
  if (call.has('json')) {
    if (isApplied) change.apply()
    const { path, isChange } = change
    await call.output.write(`${JSON.stringify({ path, isChange, isApplied, diff })}\n`)
    return EXIT.done
  }
  await printDiff(call, change, diff)
  // What is to be done is on the screen before it is done.
  await call.output.flush()
  if (isApplied) change.apply()
  call.notes.say(
    isApplied ? done : change.isChange ? `Nothing was changed yet; do it with: ${again}` : idle,
  )
  return EXIT.done
}

async function printDiff(call: Call, change: SettingsChange, diff: readonly string[]) {
  if (diff.length === 0) return
  const { colorsOf } = await import('./colors.js')
  const { toPlainLines, toPlainText } = await import('./plain-text.js')
  const colors = colorsOf(call)
  const path = toPlainText(change.path)
  const names = [
    change.before === undefined ? '--- /dev/null' : `--- ${path}`,
    change.after === undefined ? '+++ /dev/null' : `+++ ${path}`,
  ]
  for (const row of [...names, ...diff]) {
    const text = toPlainLines(row)[0] ?? ''
    const paint = row.startsWith('+') ? colors.green : row.startsWith('-') ? colors.red : String
    await call.output.write(`${paint(text)}\n`)
  }
}

/** This command line again, with the switch that does it. */
export async function withApply(
  call: Call,
  { name, options }: Pick<Command, 'name' | 'options'>,
): Promise<string> {
  const { quoteWord } = await call.rooms.hookSettings()
  const given = [...options, ...GLOBAL_OPTIONS].flatMap((option) => {
    const value = call.value(option.name)
    return value === undefined ? [] : [`--${option.name}`, quoteWord(value)]
  })
  return ['jsonl-session', name, ...given, '--apply'].join(' ')
}
