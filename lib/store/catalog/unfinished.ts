// The sessions of a project that have no end, found by every session start. A store may hold ten
// thousand sessions, so as few files as possible are looked at, and one that was closed is recognised
// by its last line.

import { sep } from 'node:path'
import { fileNameOf } from '../../format/index.js'
import { openIfThere, readLogBackwardSync } from '../../log/index.js'
import { statIfThere } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { listRecentPrompts } from '../history/read.js'
import { isLogName, LOG_EXTENSION, listNames } from '../list-logs.js'
import { selectProjects } from '../projects/select-projects.js'
import { cachedNormalizer, type ListOptions, selectSessions } from './list-sessions.js'
import {
  isUnreadable,
  readEach,
  readTranscriptInfo,
  type SessionInfo,
  withSurroundings,
} from './session-info.js'

export interface UnfinishedOptions extends Pick<ListOptions, 'project' | 'scope'> {
  /** Only sessions with activity in this time, in milliseconds. */
  readonly withinMs: number
}

// Of more files not each is asked for its time: that alone takes longer than a process to start.
const STATS_MAX = 1000
// A copied store has ten thousand files that were all written a moment ago.
const RECENT_MAX = 100
const LOCK_EXTENSION = `${LOG_EXTENSION}.lock`

/**
 * The sessions without an end that no other one continues, newest first, with those that a process
 * has open. In a store of more than 1000 sessions only those are looked at that had a prompt in the
 * history in that time, or one of the last hundred, or whose writer left its lock.
 */
export function listUnfinishedSessions(
  store: StoreContext,
  { withinMs, ...options }: UnfinishedOptions,
): SessionInfo[] {
  const candidates = findCandidates(store, { withinMs, ...options })
  const isEnded = (path: string) => endsWithTerminator(store, path)
  const [ended, others] = partition(candidates, isEnded)
  const now = store.env.now()
  const unfinished = select(store, others, options).filter(
    ({ status, kind, lastActivity }) =>
      status === 'crashed' &&
      kind !== 'subagent' &&
      now - Date.parse(lastActivity ?? '') < withinMs,
  )
  if (unfinished.length === 0) return []
  const continued = new Set(
    select(store, [...ended, ...others], { scope: 'all' }).map(
      ({ resumedFrom }) => resumedFrom?.sessionId,
    ),
  )
  return unfinished.filter(({ sessionId }) => !continued.has(sessionId))
}

function select(
  store: StoreContext,
  paths: readonly string[],
  options: Pick<ListOptions, 'project' | 'scope'>,
): SessionInfo[] {
  const normalize = cachedNormalizer(store)
  const { found } = readEach(paths, (path) => {
    const info = readTranscriptInfo(store, path)
    if (isUnreadable(info)) return info
    return withSurroundings(store, info, store.env.fs.existsSync(`${path}.lock`), normalize)
  })
  return selectSessions(store, found, { ...options, all: true }, () => null)
}

/** The files that were written last, newest first. */
function findCandidates(store: StoreContext, options: UnfinishedOptions): string[] {
  const { transcripts } = store.layout
  const names = listNames(store, transcripts)
  const chosen = names.length > STATS_MAX ? chooseNames(store, names, options) : names
  const files = chosen.filter(isLogName).map((name) => {
    const path = transcripts + sep + name
    return { path, writtenMs: statIfThere(path, store.env)?.mtimeMs ?? 0 }
  })
  const newest = files.reduce((latest, { writtenMs }) => Math.max(latest, writtenMs), 0)
  // The clock of the file system may be behind: it only decides which files are opened.
  const since = Math.min(store.env.now(), newest) - options.withinMs
  return files
    .filter(({ writtenMs }) => writtenMs >= since)
    .sort((one, other) => other.writtenMs - one.writtenMs)
    .slice(0, RECENT_MAX)
    .map(({ path }) => path)
}

/** The sessions of a project with the newest prompts of the history, without looking at them. */
export function listPromptedSessions(
  store: StoreContext,
  { project, scope, withinMs }: UnfinishedOptions,
): string[] {
  const { has } = selectProjects(store, { project, scope })
  const prompts = listRecentPrompts(store, withinMs).filter(({ project }) => has(project ?? null))
  return [...new Set(prompts.flatMap(({ sessionId }) => sessionId ?? []))]
}

function chooseNames(
  store: StoreContext,
  names: readonly string[],
  options: UnfinishedOptions,
): string[] {
  const prompted = listPromptedSessions(store, options).map((id) => fileNameOf(id) + LOG_EXTENSION)
  const locked = names
    .filter((name) => name.endsWith(LOCK_EXTENSION))
    .map((name) => name.slice(0, -'.lock'.length))
  return [...new Set([...prompted, ...locked])]
}

function endsWithTerminator({ env }: StoreContext, path: string): boolean {
  const log = openIfThere(path, env)
  if (log === undefined) return false
  try {
    for (const entry of readLogBackwardSync(log, { lazyPayloads: true, environment: env })) {
      return entry.kind === 'event' && entry.event.type === 'session_terminator'
    }
    return false
  } catch {
    // A closer look reports what is wrong with it.
    return false
  } finally {
    env.fs.closeSync(log.fd)
  }
}

function partition<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): [Item[], Item[]] {
  const first: Item[] = []
  const second: Item[] = []
  for (const item of items) (isFirst(item) ? first : second).push(item)
  return [first, second]
}
