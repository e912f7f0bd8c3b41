// Where the lines of a session are: in a transcript on the disk, or in the memory of this process.

import { EMPTY_START, type ProjectionStart, projectLog } from '../chain/index.js'
import { isSessionError, SessionError } from '../errors.js'
import { isOwnEvent, normalizeSessionKey, type SessionEvent } from '../format/index.js'
import { MEMORY_SCHEME, MemoryLog } from '../log/index.js'
import {
  type ConversationItem,
  type ConversationOptions,
  findEvent,
  findParent,
  findTranscript,
  isUnreadable,
  type LoadedSession,
  type LoadOptions,
  loadSession,
  readConversation,
  readLineage,
  readSessionInfo,
  type StoreContext,
} from '../store/index.js'
import type { SessionParts } from './types.js'

export interface SessionStorage {
  /** False: nothing of the session is ever written anywhere. */
  readonly isPersistent: boolean
  /** Finds the event of that uuid in the session's own log. */
  find(uuid: string): SessionEvent | undefined
  /** Reads again what the projection needs, as of this event if one is named. */
  load(at?: string): LoadedSession
}

export function storageOnDisk(store: StoreContext, path: string): SessionStorage {
  return {
    isPersistent: true,
    find: (uuid) => findEvent(store, path, uuid)?.event,
    load: (at) => loadSession(store, path, { at, lazyPayloads: true }),
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

/** The conversation up to the newest event of the chain. */
export function readHistory(
  { log, settings }: Pick<SessionParts, 'log' | 'settings'>,
  { signal }: Pick<ConversationOptions, 'signal'>,
): AsyncGenerator<ConversationItem, void, undefined> {
  log.flush()
  const source = log instanceof MemoryLog ? log : log.path
  return readConversation(settings.store, source, { at: log.tip ?? undefined, signal })
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

/** Until the returned function is called, a search for the session says that it is in memory. */
export function announceInMemory(id: string): () => void {
  idsInMemory.add(id)
  return () => idsInMemory.delete(id)
}

/** Finds the transcript of a session by its id. */
export function transcriptOf(store: StoreContext, session: string): string {
  try {
    return findTranscript(store, session)
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND') || !isInMemory(session)) throw error
    const what = `The session "${session}" is in memory only (persist: false); no transcript holds it`
    throw new SessionError('ERR_NOT_FOUND', what, { session })
  }
}

/** Returns the id of a session that has a transcript, as its header spells it. */
export function storedIdOf(store: StoreContext, session: string): string {
  const info = readSessionInfo(store, transcriptOf(store, session))
  return isUnreadable(info) ? session : info.sessionId
}

function isInMemory(session: string): boolean {
  return session.startsWith(MEMORY_SCHEME) || idsInMemory.has(normalizeSessionKey(session))
}

/** Returns the nearest ancestor that has events, as of the event it was resumed from. */
export function resolveEmptySession(
  store: StoreContext,
  loaded: LoadedSession,
  { bytesMax }: Pick<LoadOptions, 'bytesMax'> = {},
): LoadedSession {
  let current = loaded
  for (const seen = new Set<string>(); isEmpty(current) && !seen.has(current.path); ) {
    seen.add(current.path)
    const { resumedFrom } = readLineage(store, current.path)
    const at = resumedFrom?.tipUuid
    const path = resumedFrom && findParent(store, resumedFrom)
    if (path === undefined || at === null) break
    try {
      current = loadSession(store, path, { at, lazyPayloads: true, bytesMax })
    } catch (error) {
      // The event is gone; loading the empty session reports that.
      if (isSessionError(error, 'ERR_NOT_FOUND')) break
      throw error
    }
  }
  return current
}

function isEmpty({ events, readFrom }: LoadedSession): boolean {
  return readFrom === 0 && !events.some(({ event }) => isOwnEvent(event))
}
