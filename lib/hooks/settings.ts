// The door to our entries in the settings of Claude Code. It has one of its own, because the hook
// command runs at every event and needs nothing of it.

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
  writeSettingsFile,
} from '../store/index.js'
import { PACKAGE_VERSION } from '../version.js'
import { callOf, HOOK_EVENTS, handlerFor } from './settings-call.js'
import { SettingsProblem } from './settings-problem.js'
import { addHooks, findHooks, hasHooksDisabled, removeHooks } from './settings-text.js'

export { CALL_FORMS, quoteWord } from './settings-call.js'

export function installHooks(path: string, call: CallOptions): SettingsChange {
  const handlers = new Map(HOOK_EVENTS.map((event) => [event, handlerFor(event, call)]))
  // What relies on no path of this machine is meant for others, too.
  const isShared = call.form === 'name'
  const edit = (text: string | undefined) => {
    if (text === undefined) return addHooks(undefined, handlers)
    const found = findHooks(text)
    const isCurrent = found.every(
      ({ event, written }) => callOf(handlers.get(event))?.written === written,
    )
    const known = new Set(found.map(({ event }) => event))
    if (!isCurrent || known.size < found.length) return addHooks(removeHooks(text), handlers)
    return addHooks(text, new Map([...handlers].filter(([event]) => !known.has(event))))
  }
  return changeOf(path, edit, isShared)
}

export function uninstallHooks(path: string): SettingsChange {
  return changeOf(path, (text) => (text === undefined ? undefined : removeHooks(text)))
}

/** `searchPath` is where a program without a folder is looked for. */
export function readHooksStatus(path: string, searchPath?: string): HooksStatus {
  const file = readSettingsFile(path)
  const { text } = file
  const found = text === undefined ? [] : named(file, () => findHooks(text))
  const others = found.map(({ event }) => event).filter((event) => !HOOK_EVENTS.includes(event))
  const events = [...HOOK_EVENTS, ...new Set(others)].map((event): EventStatus => {
    const hook = found.find((it) => it.event === event)
    if (hook === undefined) return { event, isInstalled: false }
    const program = findInstalledProgram(hook.program, searchPath)
    return {
      event,
      isInstalled: true,
      command: hook.words,
      program: { name: hook.program, ...program },
      isCurrent: program.version === PACKAGE_VERSION,
    }
  })
  const isDisabled = text !== undefined && hasHooksDisabled(text)
  return {
    path: file.path,
    exists: text !== undefined,
    isDisabled,
    isComplete: !isDisabled && events.every(({ isCurrent }) => isCurrent === true),
    version: PACKAGE_VERSION,
    events,
  }
}

function changeOf(
  path: string,
  edit: (text: string | undefined) => string | undefined,
  isShared = false,
): SettingsChange {
  const file = readSettingsFile(path)
  const before = file.text
  const after = named(file, () => edit(before))
  const isDisabled = before !== undefined && hasHooksDisabled(before)
  const isChange = before !== after
  const apply = () => {
    if (!isChange) return
    if (after === undefined) removeSettingsFile(file)
    else writeSettingsFile(file, after, { isShared })
  }
  return { path: file.path, before, after, isChange, isDisabled, apply }
}

function named<Result>({ path }: SettingsFile, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error
    throw new SessionError('ERR_SETTINGS', `${path} ${error.message}`, { path, ...error.place })
  }
}
