// What differs between the clients that call hooks. The handlers know the events and fields of
// Claude Code; the module of another client translates its own into those.

import type { FileSystem } from '../../environment/index.js'
import type { CallForm, HookClientName } from '../../store/index.js'
import type { HookFields } from '../read-input.js'

/** Where a client keeps its hooks, and how it writes them. */
export interface HookClient {
  readonly name: HookClientName
  /** As its users call it. */
  readonly title: string
  /** The events to install, in the order in which a session has them. */
  readonly events: readonly string[]
  /** Its other events, and the version in which they were found. */
  readonly unused: { readonly client: string; readonly events: readonly string[] }
  readonly settings: {
    /** In the home of the user and in a project. */
    readonly folder: string
    readonly file: string
    /** In a project, where that is another one. */
    readonly projectFolder?: string
    /** The variable that names another folder. */
    readonly variable: string
    /** In this folder of the one that the variable names. */
    readonly below?: string
  }
  /** The first one is the default. */
  readonly forms: readonly CallForm[]
  /** In the unit of the client. */
  readonly timeout: number
  /** Whether its settings turn all hooks off. */
  isDisabled(settings: HookFields): boolean
  /** What its users must do before the hooks run. */
  readonly advice?: string
}

export interface TranslatedEvent {
  /** In the spelling of Claude Code. */
  readonly event: string
  readonly fields: HookFields
}

/** A client whose events are not those of Claude Code. */
export interface TranslatedClient extends HookClient {
  /** The variable in which the client names the project. */
  readonly projectVariable?: string
  /** `undefined` for an event that is not recorded. */
  translate(event: string, fields: HookFields, fs: FileSystem): TranslatedEvent | undefined
}
