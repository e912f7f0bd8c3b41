// Finds sessions by what was said in them. There is no index: transcripts are read when they are
// searched, the newest first, and a search that takes too long returns what it has.

import { isSessionError } from '../../errors.js'
import { normalizeSessionKey } from '../../format/index.js'
import { inferParentSession } from '../catalog/infer-parent.js'
import { listSessions } from '../catalog/list-sessions.js'
import {
  isUnreadable,
  readSessionInfo,
  type SessionInfo,
  type Unreadable,
} from '../catalog/session-info.js'
import { clamp } from '../check-options.js'
import type { StoreContext } from '../context.js'
import { type Chapter, listChapters } from '../load/chapters.js'
import { LinePrefilter } from '../prefilter/line-prefilter.js'
import { excerptAround, redactorOf, type ServedTextOptions } from '../text/output-text.js'
import { readConversationText } from '../text/transcript-text.js'
import { findTranscript } from '../transcripts.js'
import { parseQuery, type SearchQuery, TranscriptSearch } from './search-transcript.js'

const LIMIT = { least: 1, most: 20, otherwise: 10 }

export interface SearchSessionsOptions extends ServedTextOptions {
  /** The words to find. */
  query: string

  /**
   * Only this session, and the sessions that it continues.
   *
   * @default every session
   */
  sessionKey?: string | undefined

  /**
   * The session that searches. It is excluded; one with a parent, by its header or its key,
   * searches that parent only.
   *
   * @default none
   */
  currentSessionKey?: string | undefined

  /**
   * Only sessions of this project.
   *
   * @default every project
   */
  project?: string | undefined

  /**
   * From 1 to 20.
   *
   * @default 10
   */
  limit?: number | undefined

  /**
   * Stop after this time, with what was found by then.
   *
   * @default no limit
   */
  timeLimitMs?: number | undefined

  /**
   * Aborts the call.
   *
   * @default none
   */
  signal?: AbortSignal | undefined

  /**
   * Called before every session.
   *
   * @default none
   */
  onSession?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined
}

/** A session that matches a search. */
export interface SearchHit {
  readonly sessionKey: string
  readonly project: string | null
  readonly updatedAt: string | null
  readonly excerpt: string
  /** 0 for the session of exactly that key, otherwise negative; lower is better. */
  readonly rank: number
}

/** The result of a search. */
export interface SearchResult {
  readonly query: string
  readonly hits: readonly SearchHit[]
  readonly count: number
  /** The hits as a text, ready to be shown. */
  readonly message: string
  /** Sessions that could not be read, if there are any. */
  readonly skipped?: readonly Unreadable[]
  /** The time limit was reached. */
  readonly partial?: true
}

/** The best hit of each session, best first, newer ones before older ones. */
export async function searchSessions(
  store: StoreContext,
  options: SearchSessionsOptions,
): Promise<SearchResult> {
  const query = parseQuery(options.query)
  const limit = clamp('limit', options.limit, LIMIT)
  const { sessions, skipped } = findScope(store, options)
  const named = sessions.find(({ sessionId }) => sessionId === toKey(query.text))
  if (named !== undefined) return toResult(query, [await hitByKey(store, named, options)], {})
  const best: Found[] = []
  const isPartial = await searchAll(store, sessions, { ...options, query, limit, best, skipped })
  const redact = redactorOf(options)
  const hits = best.map(({ session, search }) =>
    toHit(session, search.excerpt(redact), search.rank),
  )
  return toResult(query, hits, { isPartial, skipped })
}

interface Found {
  readonly session: SessionInfo
  readonly search: TranscriptSearch
}

interface SearchAllOptions
  extends Pick<SearchSessionsOptions, 'signal' | 'timeLimitMs' | 'sessionKey' | 'onSession'> {
  readonly query: SearchQuery
  readonly limit: number
  /** Filled with the best hits, best first. */
  readonly best: Found[]
  /** Receives those that could not be read. */
  readonly skipped: Unreadable[]
}

class TimeIsUp extends Error {}

/** Returns whether it had to stop before the end. */
async function searchAll(
  store: StoreContext,
  sessions: readonly SessionInfo[],
  { query, limit, best, skipped, signal, timeLimitMs, sessionKey, onSession }: SearchAllOptions,
): Promise<boolean> {
  const prefilter = new LinePrefilter(query.terms)
  const isNamed = sessionKey !== undefined
  const bestRank = -(query.terms.length + 1)
  const onLine = timeLimitMs === undefined ? undefined : createDeadline(store, timeLimitMs)
  for (const [done, session] of sessions.entries()) {
    onSession?.({ done, total: sessions.length })
    signal?.throwIfAborted()
    const search = new TranscriptSearch(query, prefilter)
    if (session.title !== null) search.addText(session.title)
    let isOver = false
    try {
      for (const { path, end: to } of chaptersOf(store, session, isNamed)) {
        await search.run(path, { to, signal, environment: store.env, onLine })
        if (search.isBest) break
      }
    } catch (error) {
      isOver = error instanceof TimeIsUp
      if (!isOver && !isSessionError(error)) throw error
      // Not found: the session was removed meanwhile.
      if (isSessionError(error) && error.code !== 'ERR_NOT_FOUND') {
        skipped.push({ path: session.path, reason: error.message })
      }
    }
    if (search.hasHit) {
      // Newer sessions come first: of equal ranks, the first stays in front.
      const index = best.findIndex((other) => other.search.rank > search.rank)
      best.splice(index === -1 ? best.length : index, 0, { session, search })
      if (best.length > limit) best.pop()
    }
    if (isOver) return true
    // Older sessions cannot be better.
    if (best.length === limit && best.at(-1)!.search.rank === bestRank) return false
  }
  return false
}

/** A session that was named is searched with those that it continues; of all, each has its turn. */
function chaptersOf(
  store: StoreContext,
  { path }: SessionInfo,
  isNamed: boolean,
): readonly Pick<Chapter, 'path' | 'end'>[] {
  return isNamed ? listChapters(store, path) : [{ path, end: Number.MAX_SAFE_INTEGER }]
}

/** Reading the clock takes longer than a line, so only some lines read it, and the first. */
function createDeadline({ env }: StoreContext, ms: number): () => void {
  const end = env.now() + ms
  let lineCount = 0
  return () => {
    if (lineCount++ % 64 === 0 && env.now() >= end) throw new TimeIsUp()
  }
}

function findScope(
  store: StoreContext,
  { project, sessionKey, currentSessionKey }: SearchSessionsOptions,
): { sessions: readonly SessionInfo[]; skipped: Unreadable[] } {
  if (sessionKey !== undefined) {
    const info = readSessionInfo(store, findTranscript(store, sessionKey))
    return isUnreadable(info)
      ? { sessions: [], skipped: [info] }
      : { sessions: [info], skipped: [] }
  }
  const current = currentSessionKey === undefined ? null : normalizeSessionKey(currentSessionKey)
  const parent = current === null ? undefined : findParent(store, current)
  const { sessions, skipped } = listSessions(store, { project, all: true })
  const isSearched = ({ sessionId }: SessionInfo) =>
    parent === undefined ? sessionId !== current : sessionId === parent
  return { sessions: sessions.filter(isSearched), skipped }
}

/** As its header says; a session that has none yet is known by its key. */
function findParent(store: StoreContext, sessionId: string): string | undefined {
  const info = readSessionInfo(store, store.layout.transcriptPath(sessionId))
  const parentSessionKey = isUnreadable(info) ? undefined : (info.parentSessionKey ?? undefined)
  return inferParentSession(store, { sessionKey: sessionId, parentSessionKey })?.parentSessionKey
}

function toKey(text: string): string | undefined {
  try {
    return normalizeSessionKey(text)
  } catch {
    // Words that cannot be a key.
    return undefined
  }
}

/** The session whose key was searched: its beginning. */
async function hitByKey(
  store: StoreContext,
  session: SessionInfo,
  { redact, signal }: SearchSessionsOptions,
): Promise<SearchHit> {
  for await (const text of readConversationText(store, session.path, { redact, signal })) {
    return toHit(session, excerptAround(text, 0), 0)
  }
  return toHit(session, '', 0)
}

function toHit(session: SessionInfo, excerpt: string, rank: number): SearchHit {
  const { sessionId: sessionKey, project, lastActivity: updatedAt } = session
  return { sessionKey, project, updatedAt, excerpt, rank }
}

function toResult(
  { text: query }: SearchQuery,
  hits: readonly SearchHit[],
  { isPartial = false, skipped = [] }: { isPartial?: boolean; skipped?: readonly Unreadable[] },
): SearchResult {
  const lines = hits.map(({ sessionKey, project, updatedAt, excerpt }) => {
    const about = [project, updatedAt].filter((part) => part !== null).join(', ')
    return `- ${sessionKey}${about === '' ? '' : ` (${about})`}: ${excerpt}`
  })
  const heading = hits.length === 0 ? `Nothing was found for "${query}".` : `Found for "${query}":`
  const message = [heading, ...lines].join('\n')
  return {
    query,
    hits,
    count: hits.length,
    message,
    ...(skipped.length > 0 && { skipped }),
    ...(isPartial && { partial: true }),
  }
}
