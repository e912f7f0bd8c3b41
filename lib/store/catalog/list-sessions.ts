// The sessions of a store, found anew by every call. There is no index that could be outdated.

import { sep } from 'node:path'
import { countNewlines } from '../../log/index.js'
import { checkLimit } from '../check-options.js'
import type { StoreContext } from '../context.js'
import { isLogName, LOG_EXTENSION, listNames } from '../list-logs.js'
import { cached, normalizeProject } from '../projects/normalize-project.js'
import { type ProjectScope, selectProjects } from '../projects/select-projects.js'
import { type OpenFile, readHead } from './file-windows.js'
import { headerFields } from './header-fields.js'
import { inheritMeta } from './inherit-meta.js'
import { readHeader } from './read-head.js'
import {
  isUnreadable,
  projectOf,
  readEach,
  readTranscriptInfo,
  type SessionInfo,
  type SessionKind,
  type Unreadable,
  withOpenFile,
  withSurroundings,
} from './session-info.js'
import { EventReader } from './skim-events.js'

/** Which sessions to list. */
export interface ListOptions {
  /**
   * Only sessions of this project, given in any spelling of its path.
   *
   * @default every project
   */
  project?: string | undefined

  /**
   * How far that reaches: this folder, all working trees of its repository, or everything.
   *
   * @default 'exact'
   */
  scope?: ProjectScope | undefined

  /**
   * Also empty sessions, and those of no person: headless and subagent.
   *
   * @default false
   */
  all?: boolean | undefined

  /**
   * Only sessions that a process has open.
   *
   * @default false
   */
  active?: boolean | undefined

  /**
   * Maximum number of sessions.
   *
   * @default no limit
   */
  limit?: number | undefined

  /**
   * Count the lines of a session whose end has no count. Reads all of the file.
   *
   * @default false
   */
  counts?: boolean | undefined

  /**
   * Only these kinds.
   *
   * @default interactive; with `all`, every kind
   */
  kinds?: readonly SessionKind[] | undefined

  /**
   * Only sessions with all of these tags.
   *
   * @default any
   */
  tags?: readonly string[] | undefined
}

/** A list of sessions, and the files that could not be read. */
export interface SessionList {
  /** The one with the latest activity first. */
  readonly sessions: SessionInfo[]
  /** Files of the folder that could not be read. */
  readonly skipped: Unreadable[]
}

const KINDS_BY_DEFAULT: readonly SessionKind[] = ['interactive']

/** Newest first. A file that cannot be read is reported and hides no other. */
export function listSessions(store: StoreContext, options: ListOptions = {}): SessionList {
  const normalize = cachedNormalizer(store)
  const { found, skipped } = readEach(listTranscriptFiles(store), ({ path, hasLock }) => {
    const info = readTranscriptInfo(store, path)
    return isUnreadable(info) ? info : withSurroundings(store, info, hasLock, normalize)
  })
  return {
    sessions: selectSessions(store, found, options, (info) => countEvents(store, info)),
    skipped,
  }
}

/** The session with the latest message: never an empty one, and no subagent's. */
export function findNewestSession(
  store: StoreContext,
  {
    project,
    scope,
    kinds = ['interactive', 'headless'],
  }: Pick<ListOptions, 'project' | 'scope' | 'kinds'> = {},
): SessionInfo | undefined {
  const { sessions } = listSessions(store, { project, scope, kinds })
  return sessions.find(({ empty }) => !empty)
}

export type SessionHeader = Pick<
  SessionInfo,
  'sessionId' | 'path' | 'project' | 'projectNormalized' | 'forkedFrom' | 'resumedFrom'
>

/** The sessions by their headers alone: of every kind, in the order of their names. */
export function listHeaders(
  store: StoreContext,
  { project }: { project?: string | undefined } = {},
): { readonly sessions: readonly SessionHeader[]; readonly skipped: readonly Unreadable[] } {
  const normalize = cachedNormalizer(store)
  const { found, skipped } = readEach(listTranscriptFiles(store), ({ path }) => {
    const info = headerAt(store, path)
    if (isUnreadable(info)) return info
    return { ...info, projectNormalized: projectOf(store, info, normalize) }
  })
  return { sessions: found.filter(projectFilter(store, { project })), skipped }
}

function headerAt(store: StoreContext, path: string): SessionHeader | Unreadable {
  const look = (file: OpenFile) => {
    const { header } = readHeader(file, readHead(file), new EventReader())
    return header && headerFields(path, header)
  }
  const found = withOpenFile(store, path, look, { mayBeEmpty: true })
  // Without a header, its end shows whether there is an event in it.
  return found ?? readTranscriptInfo(store, path)
}

/** Filters and sorts. The cold listing and the live catalog both end here and cannot disagree. */
export function selectSessions(
  store: StoreContext,
  digests: readonly SessionInfo[],
  options: ListOptions,
  countEvents: (digest: SessionInfo) => number | null,
): SessionInfo[] {
  const { all = false, active = false, counts = false, tags = [] } = options
  const { limit = Number.POSITIVE_INFINITY } = options
  checkLimit(limit)
  const kinds = options.kinds ?? (all ? undefined : KINDS_BY_DEFAULT)
  const isOfProject = projectFilter(store, options)
  const shown = digests
    .filter(
      (digest) =>
        (all || digest.status !== 'empty') &&
        (!active || digest.status === 'open') &&
        (kinds === undefined || kinds.includes(digest.kind)) &&
        isOfProject(digest),
    )
    .sort(byActivity)
  const known = new Map(digests.map((digest) => [digest.sessionId, digest]))
  const inherit = (digest: SessionInfo) => inheritMeta(store, digest, known)
  const titled =
    tags.length === 0
      ? shown.slice(0, limit).map(inherit)
      : shown.map(inherit).filter(hasTags(tags)).slice(0, limit)
  if (!counts) return titled
  return titled.map((digest) =>
    digest.events === null ? { ...digest, events: countEvents(digest) } : digest,
  )
}

function hasTags(tags: readonly string[]): (info: SessionInfo) => boolean {
  const wanted = tags.map((tag) => tag.normalize('NFC'))
  return (info) => wanted.every((tag) => info.tags?.includes(tag) === true)
}

function byActivity(one: SessionInfo, other: SessionInfo): number {
  const left = one.lastActivity ?? ''
  const right = other.lastActivity ?? ''
  if (left !== right) return left < right ? 1 : -1
  return one.path < other.path ? -1 : 1
}

/** A project that moved or vanished is still found by the name it was recorded under. */
export function projectFilter(
  store: StoreContext,
  options: Pick<ListOptions, 'project' | 'scope'>,
): (info: Pick<SessionInfo, 'project' | 'projectNormalized'>) => boolean {
  if (options.project === undefined) return () => true
  const selected = selectProjects(store, options)
  const normalize = cachedNormalizer(store)
  return (info) => selected.has(projectOf(store, info, normalize)) || selected.has(info.project)
}

const LOCK_EXTENSION = '.lock'

export interface TranscriptFile {
  readonly path: string
  readonly hasLock: boolean
}

/** In the order of their names; none when the store does not exist yet. */
export function listTranscriptFiles(store: StoreContext): TranscriptFile[] {
  const { transcripts } = store.layout
  const names = listNames(store, transcripts).sort()
  const locks = new Set(names.filter((name) => name.endsWith(LOG_EXTENSION + LOCK_EXTENSION)))
  return names.filter(isLogName).map((name) => ({
    path: transcripts + sep + name,
    hasLock: locks.has(name + LOCK_EXTENSION),
  }))
}

/** One look per project and listing: thousands of sessions share a few projects. */
export function cachedNormalizer(store: StoreContext): (project: string) => string {
  return cached((project) => normalizeProject(store, project))
}

/** Counts the part that was digested; what came later belongs to the next digest. */
export function countEvents({ env }: StoreContext, { path, bytes }: SessionInfo): number | null {
  try {
    return countNewlines(path, env, 0, bytes)
  } catch {
    // Gone or shortened since.
    return null
  }
}
