// What an event of one session says about others: a fork shows that its source was left, and a start
// that an earlier session was killed.

import { basename, dirname, join } from 'node:path'
import { normalizeSessionKey } from '../format/index.js'
import { identifyParent } from '../log/index.js'
import { recordEvent, recordSessionEnd } from '../session/record.js'
import {
  findClaimedSession,
  findEndTime,
  isSessionLive,
  listPromptedSessions,
  releaseClaim,
} from '../store/index.js'
import type { HookContext } from './read-input.js'

/**
 * Claude Code forks a session without a word: it reports the start of the source, and then prompts
 * of a session that never started. Ends the source, and returns its id.
 */
export async function leaveForkedSession(context: HookContext): Promise<string | undefined> {
  const { sessionId, followUpStore: store, options } = context
  const { transcript } = options
  if (transcript === undefined) return undefined
  if (store.env.fs.existsSync(store.layout.transcriptPath(sessionId))) return undefined
  const source = findClaimedSession(store, identifyParent(store.env))
  if (source === undefined || source === sessionId) return undefined
  // A program that runs several sessions forks none of them.
  if (!store.env.fs.existsSync(join(dirname(transcript.path), `${source}.jsonl`))) return undefined
  await releaseClaim(store, source, { automatic: true })
  const ending = { ...options, continuity: false, transcript: undefined } as const
  await recordSessionEnd(store, { sessionId: source, reason: 'forked' }, ending)
  return source
}

// A recovery shows the newest session only, and nothing older than this.
const KILLED_MS_MAX = 4 * 60 * 60 * 1000
const FILES_MAX = 2
// Of more files not each is asked for its time: that takes longer than the whole hook may take.
const STATS_MAX = 1000
const EXTENSION = '.jsonl'

/**
 * Takes the last lines of sessions of this project that were killed: the client wrote them after
 * the last hook, or without one.
 */
export async function settleKilledSessions({
  sessionId: own,
  store,
  followUpStore,
  options,
}: HookContext): Promise<void> {
  const { transcript } = options
  if (transcript === undefined) return
  const { fs, now } = store.env
  const folder = dirname(transcript.path)
  const recent = listNames()
    .filter((name) => name.endsWith(EXTENSION) && name !== basename(transcript.path))
    .map((name) => ({ name, mtimeMs: modifiedAt(join(folder, name)) }))
    .filter(({ mtimeMs }) => now() - mtimeMs < KILLED_MS_MAX)
    .sort((one, other) => other.mtimeMs - one.mtimeMs)
  for (const { name } of recent.slice(0, FILES_MAX)) {
    const sessionId = normalizeSessionKey(name.slice(0, -EXTENSION.length))
    if (sessionId === own || !isKilled(sessionId)) continue
    const event = { sessionId, source: 'SessionStart', events: [] }
    const path = join(folder, name)
    await recordEvent(followUpStore, event, { ...options, transcript: { path } })
  }

  /** Of many files only those of sessions with the newest prompts. A session without one was given no work. */
  function listNames(): readonly string[] {
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : []
    if (names.length <= STATS_MAX) return names
    const { project } = options.facts ?? {}
    const prompted = listPromptedSessions(store, { project, withinMs: KILLED_MS_MAX })
    return prompted.map((id) => id + EXTENSION)
  }

  function modifiedAt(path: string): number {
    return fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  }

  function isKilled(sessionId: string): boolean {
    const path = store.layout.transcriptPath(sessionId)
    const isEnded = !fs.existsSync(path) || findEndTime(store, path) !== undefined
    return !isEnded && !isSessionLive(store, sessionId)
  }
}
