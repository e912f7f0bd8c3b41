// What a handler is given, and what it answers.

import type { OnceOptions } from '../session/index.js'
import type { HookFields } from './hook-input.js'

export interface HookContext {
  /** The name of the event, in the spelling of Claude Code. */
  readonly name: string
  readonly fields: HookFields
  readonly session_id: string
  readonly runtimePath: string | undefined
  /** Of the store, with what a new session's header says and how long to wait for a lock. */
  readonly options: HookOptions
  /** Words for whoever looks after the harness. */
  tell(text: string): void
}

export interface HookOptions extends OnceOptions {
  /** For whatever comes after the event itself. */
  readonly lockTimeoutAfterMs: number
}

/** The seed's shape: what is to be injected, and why nothing was done if nothing was. */
export interface HookAnswer {
  readonly inject: string
  /** Call it once the text is where the model reads it. */
  readonly commit?: (() => Promise<unknown>) | undefined
  readonly status?: 'written' | 'duplicate' | 'queued' | undefined
  readonly bypassed?: true
  readonly skipped?: true
  readonly duplicateRuntimePath?: true
  readonly claimedBy?: string
  readonly duplicateSessionEnd?: true
}

export type HookHandler = (context: HookContext) => Promise<HookAnswer>

export const NOTHING: HookAnswer = { inject: '' }
