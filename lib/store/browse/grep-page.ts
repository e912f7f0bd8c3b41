// The first matches of a search in the texts of a store, with the titles of their sessions.

import { isSessionError } from '../../errors.js'
import type { Redactor } from '../../redaction/index.js'
import { isUnreadable, readSessionInfo, type Unreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { type GrepHit, grepStore } from '../grep/grep-store.js'
import type { PatternOptions } from '../grep/pattern.js'
import { titleOf } from './outline.js'

export interface GrepPageOptions extends PatternOptions {
  pattern: string

  /** Only in this session and those that it continues. */
  session?: string | undefined

  /** Only in sessions of this project. */
  project?: string | undefined

  /** Maximum number of matches. */
  limit: number

  /**
   * Also in the logs of subagents.
   *
   * @default false
   */
  sidechains?: boolean | undefined

  /** Finds the secrets to be replaced. */
  redactor?: Redactor | undefined

  /** Aborts the call. */
  signal?: AbortSignal | undefined
}

export interface GrepMatch {
  readonly sessionId: string
  /** Of the session. */
  readonly title: string | null
  readonly uuid: string | null
  readonly offset: number
  readonly type: string | null
  readonly ts: string | null
  readonly snippet: string
  /** Where the snippet matches: start and end. */
  readonly ranges: readonly (readonly [number, number])[]
}

export interface GrepPage {
  readonly matches: readonly GrepMatch[]
  /** There are more. */
  readonly truncated: boolean
  readonly skipped: readonly Unreadable[]
}

/** Searches the logs that were written last first, and stops at the limit. */
export async function grepPage(
  store: StoreContext,
  { session, limit, ...options }: GrepPageOptions,
): Promise<GrepPage> {
  const matches: GrepMatch[] = []
  const skipped: Unreadable[] = []
  const titles = new Map<string, string | null>()
  const hits = grepStore(store, {
    ...options,
    ...(session !== undefined && { sessions: [session] }),
    newestFirst: true,
    onSkipped: (one) => skipped.push(one),
  })
  for await (const hit of hits) {
    if (matches.length === limit) return { matches, truncated: true, skipped }
    const title = titles.get(hit.sessionId) ?? readTitle(store, hit, options.redactor)
    titles.set(hit.sessionId, title)
    matches.push(toMatch(hit, title))
  }
  return { matches, truncated: false, skipped }
}

function toMatch(hit: GrepHit, title: string | null): GrepMatch {
  const { sessionId, uuid, byteOffset: offset, type, ts, snippet, matches = [] } = hit
  const ranges = matches.map(({ start, end }) => [start, end] as const)
  return { sessionId, title, uuid, offset, type, ts, snippet, ranges }
}

function readTitle(
  store: StoreContext,
  { sessionId }: GrepHit,
  redactor: Redactor | undefined,
): string | null {
  try {
    const info = readSessionInfo(store, store.layout.transcriptPath(sessionId))
    if (isUnreadable(info) || info.title === null) return null
    return titleOf(info.title, redactor)
  } catch (error) {
    // A header may name anything as its session.
    if (isSessionError(error, 'ERR_ARG')) return null
    throw error
  }
}
