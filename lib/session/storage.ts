// Where the lines of a session are, and how they are found again: a transcript on the disk, or
// memory, which nobody else can reach and which ends with the session.

import { EMPTY_START, type ProjectionStart, projectLog } from '../chain/index.js'
import { isSessionError, SessionError } from '../errors.js'
import { normalizeSessionKey, type SessionEvent } from '../format/index.js'
import { MEMORY_SCHEME, type MemoryLog } from '../log/index.js'
import {
  digestTranscript,
  findEvent,
  findTranscript,
  isSkipped,
  type Layout,
  type LoadedSession,
  loadSession,
  type StoreOptions,
} from '../store/index.js'

export interface SessionStorage {
  /** False: nothing of the session is ever written anywhere. */
  readonly isPersistent: boolean
  /** The event of that uuid in the session's own log. */
  find(uuid: string): SessionEvent | undefined
  /** Reads again what the projection needs, as of this event if one is named. */
  load(at?: string): LoadedSession
}

export function storageOnDisk(path: string, layout: Layout): SessionStorage {
  return {
    isPersistent: true,
    find: (uuid) => findEvent(path, uuid)?.event,
    load: (at) => loadSession(path, { layout, at, lazyPayloads: true }),
  }
}

export function storageInMemory(
  log: MemoryLog,
  start: ProjectionStart = EMPTY_START,
): SessionStorage {
  return {
    isPersistent: false,
    find: (uuid) => log.entries.findLast(({ event }) => event.uuid === uuid)?.event,
    load: (at) => loadFromMemory(log, start, at),
  }
}

function loadFromMemory(
  { path, entries }: MemoryLog,
  start: ProjectionStart,
  at: string | undefined,
): LoadedSession {
  const log = projectLog(entries, { file: path, start, at })
  if (at !== undefined && log.path.length === 0) {
    throw new SessionError('ERR_NOT_FOUND', `No event "${at}" on the chain of ${path}`, {
      at,
      path,
    })
  }
  return {
    path,
    log,
    header: entries[0]?.event,
    start,
    continuation: log.projection.continuation,
    events: entries,
    readFrom: 0,
    offsetBase: 0,
    diagnostics: [...log.walk.findings, ...log.projection.diagnostics],
  }
}

const idsInMemory = new Set<string>()

/** Until the returned function is called, whoever looks for the session is told where it is. */
export function announceInMemory(id: string): () => void {
  idsInMemory.add(id)
  return () => idsInMemory.delete(id)
}

/** The transcript of a session, for those who go on with it. */
export function transcriptOf(session: string, options: StoreOptions): string {
  try {
    return findTranscript(session, options)
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND') || !isInMemory(session)) throw error
    const what = `The session "${session}" is in memory only (persist: false); no transcript holds it`
    throw new SessionError('ERR_NOT_FOUND', what, { session })
  }
}

/** The id in full of a session that has a transcript. */
export function storedIdOf(session: string, options: StoreOptions): string {
  const digest = digestTranscript(transcriptOf(session, options))
  return isSkipped(digest) ? session : digest.session_id
}

function isInMemory(session: string): boolean {
  return session.startsWith(MEMORY_SCHEME) || idsInMemory.has(normalizeSessionKey(session))
}
