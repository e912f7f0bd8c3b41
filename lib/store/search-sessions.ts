// Sessions by what was said in them. Nothing is indexed: transcripts are read when they are
// searched, the newest first, and a search that takes too long says what it has.

import { isSessionError } from '../errors.js'
import { normalizeSessionKey } from '../format/index.js'
import type { Environment } from '../log/index.js'
import { listSessions } from './catalog.js'
import { clamp } from './clamp.js'
import { excerptAround } from './excerpt.js'
import type { StoreOptions } from './layout.js'
import { LineProbe } from './line-probe.js'
import { parentOfKey } from './parent-session.js'
import { BestHits, hitOf, resultOf, type SearchHit, type SearchResult } from './search-hits.js'
import { parseQuery, type SearchQuery } from './search-query.js'
import { TranscriptSearch } from './search-transcript.js'
import { redactorOf, type ServedTextOptions } from './served-text.js'
import { digestTranscript, isSkipped, type SessionDigest } from './session-digest.js'
import { readTurns } from './transcript-text.js'
import { findTranscript } from './transcripts.js'

const LIMIT = { least: 1, most: 20, otherwise: 10 }

export interface SearchSessionsOptions extends StoreOptions, ServedTextOptions {
  query: string

  /** Only this session, by its id or the beginning of it. */
  sessionKey?: string | undefined

  /**
   * The session that asks. It is left out of the search; a subagent, as its key tells, searches
   * its parent.
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
   * Stop after so long, with what was found by then.
   *
   * @default no limit
   */
  timeLimitMs?: number | undefined

  signal?: AbortSignal | undefined

  /** Tests give their own clock. */
  environment?: Partial<Environment> | undefined
}

/** The best hit of each session, best first, newer ones before older ones. */
export async function searchSessions(options: SearchSessionsOptions): Promise<SearchResult> {
  const query = parseQuery(options.query)
  const limit = clamp('limit', options.limit, LIMIT)
  const sessions = sessionsInScope(options)
  const named = sessions.find(({ session_id }) => session_id === keyOf(query.text))
  if (named !== undefined) return resultOf(query, [await hitByKey(named, options)])
  const best = new BestHits(limit, query)
  const isPartial = await searchAll(sessions, best, { ...options, query })
  return resultOf(query, best.hits(redactorOf(options)), isPartial)
}

class TimeIsUp extends Error {}

/** Tells whether it had to stop before the end. */
async function searchAll(
  sessions: readonly SessionDigest[],
  best: BestHits,
  {
    query,
    signal,
    timeLimitMs,
    environment,
  }: Omit<SearchSessionsOptions, 'query'> & {
    query: SearchQuery
  },
): Promise<boolean> {
  const probe = new LineProbe(query.terms)
  const onLine = timeLimitMs === undefined ? undefined : deadline(timeLimitMs, environment)
  for (const digest of sessions) {
    signal?.throwIfAborted()
    const search = new TranscriptSearch(query, probe)
    let isOver = false
    try {
      await search.run(digest.path, { signal, onLine })
    } catch (error) {
      isOver = error instanceof TimeIsUp
      // A session that went away meanwhile is none.
      if (!isOver && !isSessionError(error, 'ERR_NOT_FOUND')) throw error
    }
    best.add({ digest, search })
    if (isOver) return true
    if (best.isSettled) return false
  }
  return false
}

/** The clock is slower than a line, so it is asked for some of them only, and for the first. */
function deadline(ms: number, environment: Partial<Environment> = {}): () => void {
  const { now = Date.now } = environment
  const end = now() + ms
  let lineCount = 0
  return () => {
    if (lineCount++ % 64 === 0 && now() >= end) throw new TimeIsUp()
  }
}

function sessionsInScope(options: SearchSessionsOptions): readonly SessionDigest[] {
  const { root, home, agent, project, sessionKey, currentSessionKey } = options
  const store = { root, home, agent }
  if (sessionKey !== undefined) return [sessionAt(findTranscript(sessionKey, store))].flat()
  const current = currentSessionKey === undefined ? null : normalizeSessionKey(currentSessionKey)
  const parent = current === null ? undefined : parentOfKey(current)
  const { sessions } = listSessions({ ...store, project, all: true })
  return sessions.filter(({ session_id }) =>
    parent === undefined ? session_id !== current : session_id === parent,
  )
}

function sessionAt(path: string): SessionDigest | [] {
  const digest = digestTranscript(path)
  return isSkipped(digest) ? [] : digest
}

function keyOf(text: string): string | undefined {
  try {
    return normalizeSessionKey(text)
  } catch {
    // Words that cannot be a key.
    return undefined
  }
}

/** The session whose key was asked for: how it begins. */
async function hitByKey(digest: SessionDigest, options: SearchSessionsOptions): Promise<SearchHit> {
  const { redact, signal } = options
  for await (const { text } of readTurns(digest.path, { redact, signal })) {
    return hitOf(digest, excerptAround(text, 0), 0)
  }
  return hitOf(digest, '', 0)
}
