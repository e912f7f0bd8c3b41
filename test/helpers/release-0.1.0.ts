// The packed 0.1.0, for tests of what an older reader shows of a store that this version wrote.

import { fileURLToPath } from 'node:url'

/** What the tests call. Options and results are spelled as in 0.1.0. */
export interface Release010 {
  createSession(options: object): Promise<OldSession>
  resumeSession(options: object): Promise<OldResumed>
  listSessions(options: object): Promise<{ readonly sessions: readonly Fields[] }>
  recover(options: object): Promise<Fields>
  /** By the path of one log. */
  verifyLog(path: string, options?: object): Promise<Fields>
  listCheckpoints(options: object): Promise<unknown>
  readonly [name: string]: unknown
}

export interface OldResumed {
  readonly session?: OldSession
  readonly messages: readonly OldMessage[]
  readonly interruption: Fields | null
  readonly degraded: boolean
  readonly diagnostics: readonly { readonly code: string }[]
}

export interface OldSession {
  append(event: object): Promise<Fields>
  close(): Promise<unknown>
}

export interface OldMessage {
  readonly type: string
  readonly uuid: string
  readonly payload: Fields
}

type Fields = Readonly<Record<string, unknown>>

const path = new URL('../../fixtures/releases/0.1.0.mjs', import.meta.url)

export const release010 = (await import(fileURLToPath(path))) as Release010
