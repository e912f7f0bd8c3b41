// Entry point for our entries in the settings of Claude Code. It is separate, because the hook
// program runs at every event and must not load the settings editor.

import { SessionError } from '../errors.js'
import {
  type CallOptions,
  type EventStatus,
  findInstalledProgram,
  type HooksStatus,
  readSettingsFile,
  removeSettingsFile,
  type SettingsChange,
  type SettingsFile,
  type StoreContext,
  writeSettingsFile,
} from '../store/index.js'
import { PACKAGE_VERSION } from '../version.js'
import { HOOK_EVENTS } from './handlers.js'
import { callOf, handlerFor } from './settings/call.js'
import {
  addHooks,
  findHooks,
  hasHooksDisabled,
  removeHooks,
  SettingsProblem,
} from './settings/text.js'

export { CALL_FORMS, quoteWord } from './settings/call.js'

/**
 * Events that Claude Code has and that record nothing: they are about permissions, settings and the
 * screen, or repeat what another one says.
 */
const UNUSED = {
  client: 'Claude Code 2.1.197',
  events: [
    ...['Notification', 'PermissionRequest', 'PermissionDenied', 'Setup', 'TeammateIdle'],
    ...['TaskCreated', 'TaskCompleted', 'Elicitation', 'ElicitationResult', 'ConfigChange'],
    ...['WorktreeCreate', 'WorktreeRemove', 'InstructionsLoaded', 'CwdChanged', 'FileChanged'],
    'MessageDisplay',
  ],
}

export function installHooks(store: StoreContext, path: string, call: CallOptions): SettingsChange {
  const handlers = new Map(HOOK_EVENTS.map((event) => [event, handlerFor(event, call)]))
  // A call without a path of this machine is meant to be shared.
  const isShared = call.form === 'name'
  const edit = (text: string | undefined) => {
    if (text === undefined) return addHooks(undefined, handlers)
    const found = findHooks(text)
    const current = found.every(
      ({ event, written }) => callOf(handlers.get(event))?.written === written,
    )
    const known = new Set(found.map(({ event }) => event))
    if (!current || known.size < found.length) return addHooks(removeHooks(text), handlers)
    return addHooks(text, new Map([...handlers].filter(([event]) => !known.has(event))))
  }
  return changeOf(store, path, edit, isShared)
}

export function uninstallHooks(store: StoreContext, path: string): SettingsChange {
  return changeOf(store, path, (text) => (text === undefined ? undefined : removeHooks(text)))
}

/** `searchPath` is where a program without a folder is looked for. */
export function readHooksStatus(
  store: StoreContext,
  path: string,
  searchPath?: string,
): HooksStatus {
  const file = readSettingsFile(store, path)
  const { text } = file
  const found = text === undefined ? [] : named(file, () => findHooks(text))
  const others = found.map(({ event }) => event).filter((event) => !HOOK_EVENTS.includes(event))
  const events = [...HOOK_EVENTS, ...new Set(others)].map((event): EventStatus => {
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
  const disabled = text !== undefined && hasHooksDisabled(text)
  return {
    path: file.path,
    exists: text !== undefined,
    disabled,
    complete: !disabled && events.every(({ current }) => current === true),
    version: PACKAGE_VERSION,
    events,
    unused: UNUSED,
  }
}

function changeOf(
  store: StoreContext,
  path: string,
  edit: (text: string | undefined) => string | undefined,
  isShared = false,
): SettingsChange {
  const file = readSettingsFile(store, path)
  const before = file.text
  const after = named(file, () => edit(before))
  const disabled = before !== undefined && hasHooksDisabled(before)
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
