// Our entries in a settings file, and the programs they name. hooks/ writes them and cli/ shows them;
// both are in one layer, so what they share is here.

import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { PACKAGE_NAME } from '../../version.js'
import type { StoreContext } from '../context.js'
import { readSmallText } from '../read-small-text.js'

/** The clients whose hooks can be installed. */
export type HookClientName = 'claude-code' | 'gemini' | 'codex' | 'opencode'

/**
 * - `args`: the program and its arguments apart, started without a shell.
 * - `shell`: one quoted line, for clients without `args`.
 * - `name`: one line that relies on the PATH, the same on every machine of a team.
 */
export type CallForm = 'args' | 'shell' | 'name'

export interface CallOptions {
  readonly form: CallForm
  /** The Node that runs it, and the file that Node runs; both absolute. */
  readonly node: string
  readonly program: string
  /** Further arguments of `hook`. */
  readonly args?: readonly string[] | undefined
}

/** A planned change of the file, and how to apply it. */
export interface SettingsChange {
  readonly path: string
  readonly before: string | undefined
  /** `undefined`: the file would be removed. */
  readonly after: string | undefined
  readonly changed: boolean
  /** The settings disable all hooks. */
  readonly disabled: boolean
  apply(): void
}

export interface EventStatus {
  readonly event: string
  readonly installed: boolean
  /** The call as words; absent when it is not installed. */
  readonly command?: readonly string[]
  readonly program?: InstalledProgram & { readonly name: string }
  /** The program exists and has this version. */
  readonly current?: boolean
}

export interface HooksStatus {
  readonly client: HookClientName
  readonly path: string
  readonly exists: boolean
  readonly disabled: boolean
  /** Every event is installed, by a program of this version. */
  readonly complete: boolean
  readonly version: string
  readonly events: readonly EventStatus[]
  /** What the client could report besides: its version that was tried, and the events. */
  readonly unused: { readonly client: string; readonly events: readonly string[] }
}

export interface InstalledProgram {
  /** `null` when there is no such file. */
  readonly path: string | null
  /** Of the package it belongs to; `null` when unknown. */
  readonly version: string | null
}

// From `dist/bin/` to the package, with a level to spare.
const LEVELS_MAX = 4

/** By its path, or by its name in the folders of a PATH. */
export function findInstalledProgram(
  store: StoreContext,
  program: string,
  searchPath = '',
): InstalledProgram {
  const { fs, host } = store.env
  const folders = isAbsolute(program) ? [''] : searchPath.split(delimiter).filter(isAbsolute)
  const names = host.platform === 'win32' ? [program, `${program}.cmd`] : [program]
  const path = folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((candidate) => isFile(store, candidate))
  if (path === undefined) return { path: null, version: null }
  return { path, version: readVersion(store, fs.realpathSync.native(path)) }
}

function readVersion(store: StoreContext, path: string): string | null {
  let folder = dirname(path)
  for (let level = 0; level < LEVELS_MAX; level++, folder = dirname(folder)) {
    const description = join(folder, 'package.json')
    if (!isFile(store, description)) continue
    const { name, version } = readFields(store, description)
    return name === PACKAGE_NAME && typeof version === 'string' ? version : null
  }
  return null
}

function readFields(store: StoreContext, path: string): Record<string, unknown> {
  try {
    const text = readSmallText(store, path).toString()
    return { ...(JSON.parse(text) as Record<string, unknown> | null) }
  } catch {
    // A damaged package.json has no version.
    return {}
  }
}

function isFile({ env }: StoreContext, path: string): boolean {
  return env.fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
