// Our hooks in the settings of a client.

import { resolve } from 'node:path'
import type { EventStatus, HookClientName, SettingsChange } from '../../../store/index.js'
import {
  type Call,
  type Command,
  GLOBAL_OPTIONS,
  type OptionSpec,
  PLAN_OPTIONS,
} from '../../command.js'
import { readChoice, rejectTogether, toStoreOptions } from '../../input/arguments.js'
import { colorsOf } from '../../output/colors.js'
import { EXIT } from '../../output/exit-codes.js'
import { lineDiff } from '../../output/line-diff.js'
import { pad, toPlainLines, toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'

const CLIENTS: readonly HookClientName[] = ['claude-code', 'gemini', 'codex', 'opencode']
const SCOPES = ['user', 'project'] as const

const SETTINGS_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'for',
    value: 'CLIENT',
    text: 'claude-code (default), gemini, codex, opencode',
    values: CLIENTS,
  },
  {
    name: 'scope',
    value: 'S',
    text: 'user: ~/.claude and the like (default), project: .claude in this folder',
    values: SCOPES,
  },
  { name: 'settings', value: 'FILE', text: 'this settings file and no other' },
]

const DISABLED = 'These settings turn all hooks off: no hook will run'

const INSTALL_LESSON = `Shows what would change; --apply does it. Other hooks, unknown settings, order and layout do not
change, and hooks uninstall restores the same bytes. Repeated, it changes nothing, or updates old
entries. --root, --home and --agent are passed on to the hook.

--for gemini writes ~/.gemini/settings.json, --for codex ~/.codex/hooks.json, and --for opencode
the plugin ~/.config/opencode/plugins/jsonl-session.js.

Examples:
  $ jsonl-session hooks install --apply
  +      "SessionStart": [
  …
  Hooks are installed in /home/ada/.claude/settings.json; the next session is recorded

  $ jsonl-session hooks install --for gemini --scope project --json
  {"path":"/home/ada/shop/.gemini/settings.json","changed":true,"applied":false,"diff":[…]}

Exit codes:
  0 installed, already installed, or shown · 2 wrong use, failed, or not a settings file
`

export const hooksInstall: Command = {
  name: 'hooks install',
  summary: 'Record the sessions of Claude Code and other clients from now on',
  options: [
    ...SETTINGS_OPTIONS,
    ...PLAN_OPTIONS,
    {
      name: 'command',
      value: 'FORM',
      text: 'args: by path (Claude Code), shell: one quoted line, name: from the PATH (project)',
      values: ['args', 'shell', 'name'],
    },
    {
      name: 'runtime-path',
      value: 'P',
      text: 'passed on to the hook: the name of the program that calls it',
    },
  ],
  lesson: INSTALL_LESSON,

  async run(call) {
    const { installHooks, HOOK_CLIENTS } = await call.modules.hookSettings()
    const { client, path } = await findSettings(call)
    const { forms, advice } = HOOK_CLIENTS.find(({ name }) => name === client)!
    const isShared = call.value('scope') === 'project'
    const form = readChoice(call, 'command', forms) ?? (isShared ? 'name' : forms[0]!)
    const { node, program } = call.modules.program()
    const options = { form, node, program, args: passedOn(call) }
    const change = installHooks(call.store, path, options, client)
    if (change.disabled) call.notes.say(DISABLED)
    if (form !== 'name' && /[\\/]_npx[\\/]/.test(program)) {
      const advice = 'install it with: npm install -g jsonl-session'
      call.notes.say(`npx may remove this copy at any time; ${advice}`)
    }
    const place = toPlainText(change.path)
    const exitCode = await changeSettings(call, hooksInstall, change, {
      done: `Hooks are installed in ${place}; the next session is recorded`,
      idle: `Hooks are installed in ${place} already; nothing to do`,
    })
    if (advice !== undefined) call.notes.say(advice)
    return exitCode
  },
}

/** The hook must write where this command would. */
function passedOn(call: Call): string[] {
  const given = Object.entries({
    'runtime-path': call.value('runtime-path'),
    ...(call.value('root') !== undefined && { root: toStoreOptions(call).root }),
    ...(call.value('home') !== undefined && { home: toStoreOptions(call).home }),
    agent: call.value('agent'),
  })
  return given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))
}

const UNINSTALL_LESSON = `Shows what would change; --apply does it. Only entries of hooks install are removed. If
nothing was edited since, the file has the same bytes as before, or is removed if it was created for
the hooks. Recorded sessions are kept.

Examples:
  $ jsonl-session hooks uninstall --apply
  -      "SessionStart": [
  …
  The hooks are removed from /home/ada/.claude/settings.json

  $ jsonl-session hooks uninstall --scope project --json
  {"path":"/home/ada/shop/.claude/settings.json","changed":false,"applied":false,"diff":[]}

Exit codes:
  0 removed, not installed, or shown · 2 wrong use, failed, or not a settings file
`

export const hooksUninstall: Command = {
  name: 'hooks uninstall',
  summary: 'Stop recording the sessions of a client',
  options: [...SETTINGS_OPTIONS, ...PLAN_OPTIONS],
  lesson: UNINSTALL_LESSON,

  async run(call) {
    const { uninstallHooks } = await call.modules.hookSettings()
    const { client, path } = await findSettings(call)
    const change = uninstallHooks(call.store, path, client)
    const place = toPlainText(change.path)
    return changeSettings(call, hooksUninstall, change, {
      done: `The hooks are removed from ${place}`,
      idle: `The hooks are not in ${place}; nothing to do`,
    })
  },
}

const STATUS_LESSON = `One line per event. It reports a program that was moved or removed, or whose version differs from
this command; hooks install --apply corrects that.

Examples:
  $ jsonl-session hooks status
  SessionStart        /usr/lib/node_modules/jsonl-session/dist/bin/jsonl-session.cjs
  PreCompact          not installed

  $ jsonl-session hooks status --scope project --json
  {"path":"…","exists":true,"disabled":false,"complete":true,"version":"0.1.0","events":[…]}

Exit codes:
  0 all of them are installed and current · 1 they are not · 2 wrong use, or not a settings file
`

export const hooksStatus: Command = {
  name: 'hooks status',
  summary: 'Show whether the hooks are installed and current',
  options: SETTINGS_OPTIONS,
  lesson: STATUS_LESSON,

  async run(call) {
    const { readHooksStatus } = await call.modules.hookSettings()
    const { client, path } = await findSettings(call)
    const status = readHooksStatus(call.store, path, call.io.env['PATH'], client)
    const { exists, disabled, complete, version, events, unused } = status
    const columns = Math.max(...events.map(({ event }) => event.length))
    const advice = complete ? [] : ['hooks install --apply corrects it']
    await printAnswer(call, {
      json: status,
      lines: () =>
        events.map((event) => {
          const name = pad(toPlainText(event.event), columns)
          return `${name}  ${toPlainText(toSentence(event, version))}`
        }),
      notes: [
        ...(exists ? [] : [`${toPlainText(path)} does not exist`]),
        ...(disabled ? [DISABLED] : advice),
        `${unused.client} has more events, which record nothing here: ${unused.events.join(', ')}`,
      ],
    })
    return complete ? EXIT.done : EXIT.no
  },
}

function toSentence({ installed, command, program, current }: EventStatus, version: string) {
  if (!installed) return 'not installed'
  if (program?.path == null) return `calls a program that does not exist: ${command?.join(' ')}`
  if (current === true) return program.path
  return `${program.path} (version ${program.version ?? 'unknown'}, this is ${version})`
}

interface FoundSettings {
  readonly client: HookClientName
  readonly path: string
}

/** The client that --for names, and the file in which it keeps its hooks. */
async function findSettings(call: Call): Promise<FoundSettings> {
  const { findSettingsPath } = await call.modules.hookSettings()
  rejectTogether(call, 'scope', 'settings')
  const { host } = call.env
  const client = readChoice(call, 'for', CLIENTS) ?? 'claude-code'
  const scope = readChoice(call, 'scope', SCOPES) ?? 'user'
  const given = call.value('settings')
  const place = { cwd: host.cwd(), home: host.homedir(), env: call.io.env }
  const path =
    given === undefined ? findSettingsPath(client, scope, place) : resolve(host.cwd(), given)
  return { client, path }
}

/** Shows the change, and makes it with --apply. */
async function changeSettings(
  call: Call,
  command: Command,
  change: SettingsChange,
  { done, idle }: { readonly done: string; readonly idle: string },
): Promise<number> {
  rejectTogether(call, 'apply', 'dry-run')
  const diff = lineDiff(change.before ?? '', change.after ?? '')
  const applied = change.changed && call.has('apply')
  // For people the change is on the screen before it is made.
  const isLast = !call.has('json')
  if (applied && !isLast) change.apply()
  await printAnswer(call, {
    json: { path: change.path, changed: change.changed, applied, diff },
    lines: () => toDiffLines(call, change, diff),
  })
  if (applied && isLast) change.apply()
  const planned = `Nothing was changed yet; do it with: ${await withApply(call, command)}`
  call.notes.say(applied ? done : change.changed ? planned : idle)
  return EXIT.done
}

function toDiffLines(call: Call, change: SettingsChange, diff: readonly string[]): string[] {
  if (diff.length === 0) return []
  const colors = colorsOf(call)
  const path = toPlainText(change.path)
  const names = [
    change.before === undefined ? '--- /dev/null' : `--- ${path}`,
    change.after === undefined ? '+++ /dev/null' : `+++ ${path}`,
  ]
  return [...names, ...diff].map((row) => {
    const paint = row.startsWith('+') ? colors.green : row.startsWith('-') ? colors.red : String
    return paint(toPlainLines(row)[0] ?? '')
  })
}

/** This command line again, with --apply. */
async function withApply(call: Call, { name, options = [] }: Command): Promise<string> {
  const { quoteWord } = await call.modules.hookSettings()
  const given = [...options, ...GLOBAL_OPTIONS].flatMap((option) => {
    const value = call.value(option.name)
    return value === undefined ? [] : [`--${option.name}`, quoteWord(value)]
  })
  return ['jsonl-session', name, ...given, '--apply'].join(' ')
}
