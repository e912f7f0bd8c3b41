// Entry point for our entries in the settings of a client. It is separate, because the hook
// program runs at every event and must not load the settings editor.

import { join, resolve } from 'node:path'
import { SessionError } from '../errors.js'
import {
  type CallOptions,
  type EventStatus,
  findInstalledProgram,
  type HookClientName,
  type HooksStatus,
  readSettingsFile,
  removeSettingsFile,
  type SettingsChange,
  type SettingsFile,
  type StoreContext,
  writeSettingsFile,
} from '../store/index.js'
import { PACKAGE_VERSION } from '../version.js'
import { CLAUDE_CODE } from './clients/claude-code.js'
import type { HookClient } from './clients/client.js'
import { CODEX } from './clients/codex.js'
import { GEMINI } from './clients/gemini.js'
import { OPENCODE } from './clients/opencode.js'
import { readPluginCommand, writePlugin } from './clients/opencode-plugin.js'
import { callOf, handlerFor } from './settings/call.js'
import {
  addHooks,
  findHooks,
  type InstalledHook,
  readSettings,
  removeHooks,
  SettingsProblem,
} from './settings/text.js'

export { quoteWord } from './settings/call.js'

/** The clients whose hooks can be installed. */
export const HOOK_CLIENTS: readonly HookClient[] = [CLAUDE_CODE, GEMINI, CODEX, OPENCODE]

const findClient = (name: HookClientName) => HOOK_CLIENTS.find((client) => client.name === name)!

/** Where a client keeps its hooks: in the home of the user, or in a project. */
export function findSettingsPath(
  name: HookClientName,
  scope: 'user' | 'project',
  { cwd, home, env }: { cwd: string; home: string; env: NodeJS.ProcessEnv },
): string {
  const { folder, file, variable, below = '', projectFolder = folder } = findClient(name).settings
  if (scope === 'project') return join(cwd, projectFolder, file)
  const given = env[variable] || undefined
  return resolve(cwd, given === undefined ? join(home, folder) : join(given, below), file)
}

export function installHooks(
  store: StoreContext,
  path: string,
  call: CallOptions,
  name: HookClientName = 'claude-code',
): SettingsChange {
  const client = findClient(name)
  const handlers = new Map(client.events.map((event) => [event, handlerFor(event, call, client)]))
  // A call without a path of this machine is meant to be shared.
  const isShared = call.form === 'name'
  const edit = (text: string | undefined) => {
    if (client === OPENCODE) return writeOwnPlugin(text, call)
    if (text === undefined) return addHooks(undefined, handlers)
    const found = findHooks(text)
    const current = found.every(
      ({ event, written }) => callOf(handlers.get(event))?.written === written,
    )
    const known = new Set(found.map(({ event }) => event))
    if (!current || known.size < found.length) return addHooks(removeHooks(text), handlers)
    return addHooks(text, new Map([...handlers].filter(([event]) => !known.has(event))))
  }
  return changeOf(store, { path, client, isShared }, edit)
}

export function uninstallHooks(
  store: StoreContext,
  path: string,
  name: HookClientName = 'claude-code',
): SettingsChange {
  const client = findClient(name)
  const edit = (text: string | undefined) => {
    if (client !== OPENCODE) return text === undefined ? undefined : removeHooks(text)
    return text !== undefined && readPluginCommand(text) === undefined ? text : undefined
  }
  return changeOf(store, { path, client, isShared: false }, edit)
}

function writeOwnPlugin(text: string | undefined, call: CallOptions): string {
  if (text !== undefined && readPluginCommand(text) === undefined) {
    throw new SettingsProblem('is a plugin of another program; move it to another name')
  }
  return writePlugin(call)
}

/** The plugin has all events or none. */
function findPlugin(text: string): InstalledHook[] {
  const [command, ...args] = readPluginCommand(text) ?? []
  const call = callOf({ type: 'command', command, args })
  return call === undefined ? [] : OPENCODE.events.map((event) => ({ event, ...call }))
}

/** `searchPath` is where a program without a folder is looked for. */
export function readHooksStatus(
  store: StoreContext,
  path: string,
  searchPath?: string,
  name: HookClientName = 'claude-code',
): HooksStatus {
  const client = findClient(name)
  const file = readSettingsFile(store, path)
  const { text } = file
  const find = client === OPENCODE ? findPlugin : findHooks
  const found = text === undefined ? [] : named(file, () => find(text))
  const others = found.map(({ event }) => event).filter((event) => !client.events.includes(event))
  const events = [...client.events, ...new Set(others)].map((event): EventStatus => {
    const hook = found.find((it) => it.event === event)
    if (hook === undefined) return { event, installed: false }
    const program = findInstalledProgram(store, hook.program, searchPath)
    return {
      event,
      installed: true,
      command: hook.words,
      program: { name: hook.program, ...program },
      current: program.version === PACKAGE_VERSION,
    }
  })
  const disabled = text !== undefined && isDisabled(client, text)
  return {
    client: name,
    path: file.path,
    exists: text !== undefined,
    disabled,
    complete: !disabled && events.every(({ current }) => current === true),
    version: PACKAGE_VERSION,
    events,
    unused: client.unused,
  }
}

/** A plugin is not JSON. */
function isDisabled(client: HookClient, text: string): boolean {
  return client !== OPENCODE && client.isDisabled(readSettings(text))
}

function changeOf(
  store: StoreContext,
  { path, client, isShared }: { path: string; client: HookClient; isShared: boolean },
  edit: (text: string | undefined) => string | undefined,
): SettingsChange {
  const file = readSettingsFile(store, path)
  const before = file.text
  const after = named(file, () => edit(before))
  const disabled = before !== undefined && isDisabled(client, before)
  const changed = before !== after
  const apply = () => {
    if (!changed) return
    if (after === undefined) removeSettingsFile(store, file)
    else writeSettingsFile(store, file, after, { isShared })
  }
  return { path: file.path, before, after, changed, disabled, apply }
}

function named<Result>({ path }: SettingsFile, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error
    throw new SessionError('ERR_SETTINGS', `${path} ${error.message}`, { path, ...error.place })
  }
}
