// What is said of our entries in a settings file: by the room that edits them, and to the one that
// shows them. The two stand on one floor, so what they share stands here.

import type { InstalledProgram } from './installed-program.js'

/**
 * - `args`: the program and its arguments apart, started without a shell.
 * - `shell`: one quoted line, for a Claude Code that knows no `args` yet.
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

/** What would become of the file, and a way to make it so. */
export interface SettingsChange {
  readonly path: string
  readonly before: string | undefined
  /** `undefined`: there would be no file. */
  readonly after: string | undefined
  readonly isChange: boolean
  /** Claude Code was told to run no hooks at all. */
  readonly isDisabled: boolean
  apply(): void
}

export interface EventStatus {
  readonly event: string
  readonly isInstalled: boolean
  /** The call as words; absent when it is not installed. */
  readonly command?: readonly string[]
  readonly program?: InstalledProgram & { readonly name: string }
  /** The program is there and of the version that tells this. */
  readonly isCurrent?: boolean
}

export interface HooksStatus {
  readonly path: string
  readonly exists: boolean
  readonly isDisabled: boolean
  /** Every event is installed, by a program of this version. */
  readonly isComplete: boolean
  readonly version: string
  readonly events: readonly EventStatus[]
}
