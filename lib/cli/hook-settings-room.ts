// What the command line asks of the room that edits settings; bin/ hands it in.

import type { CallForm, CallOptions, HooksStatus, SettingsChange } from '../store/index.js'

export interface HookSettingsRoom {
  readonly CALL_FORMS: readonly CallForm[]
  /** A word as a shell takes it. */
  quoteWord(word: string): string
  installHooks(path: string, call: CallOptions): SettingsChange
  uninstallHooks(path: string): SettingsChange
  readHooksStatus(path: string, searchPath?: string): HooksStatus
}
