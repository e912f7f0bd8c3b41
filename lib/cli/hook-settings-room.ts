// What the command line asks of the room that edits settings; bin/ hands it in.

export interface HookSettingsRoom {
  readonly CALL_FORMS: readonly CallForm[]
  /** A word as a shell takes it. */
  quoteWord(word: string): string
  installHooks(path: string, call: CallOptions): SettingsChange
  uninstallHooks(path: string): SettingsChange
  readHooksStatus(path: string, searchPath?: string): HooksStatus
}

export type CallForm = 'args' | 'shell' | 'name'

interface CallOptions {
  readonly form: CallForm
  readonly node: string
  readonly program: string
  readonly args?: readonly string[]
}

export interface SettingsChange {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
  readonly isChange: boolean
  readonly isDisabled: boolean
  apply(): void
}

export interface HooksStatus {
  readonly path: string
  readonly exists: boolean
  readonly isDisabled: boolean
  readonly isComplete: boolean
  readonly version: string
  readonly events: readonly EventStatus[]
}

export interface EventStatus {
  readonly event: string
  readonly isInstalled: boolean
  readonly command?: readonly string[]
  readonly program?: { readonly path: string | null; readonly version: string | null }
  readonly isCurrent?: boolean
}
