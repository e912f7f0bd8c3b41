// A new session: its file and its header are on the disk before the caller gets the handle.

import type { ProjectionStart } from '../../chain/index.js'
import { normalizeSessionKey } from '../../format/index.js'
import { MEMORY_SCHEME, openLog, openMemoryLog } from '../../log/index.js'
import type { StoreContext } from '../../store/index.js'
import { newHeader, type Origin, type SessionFacts } from '../header.js'
import { observersFor, SessionView, TitleKeeper } from '../live-view.js'
import type { Session } from '../session.js'
import { assertSessionOptions, logOptionsOf, type SessionOptions } from '../settings.js'
import { storageInMemory, storageOnDisk } from '../storage.js'
import { assembleSession, existsError, type OpenParts } from './assemble-session.js'

export interface CreateSessionOptions extends SessionOptions, SessionFacts {
  /**
   * The session key: the id of the session and the name of its file.
   *
   * @default a new random uuid
   */
  id?: string | undefined
}

/** Creates a session. Throws ERR_EXISTS where one of that id exists. */
export function createSession(
  store: StoreContext,
  options: CreateSessionOptions = {},
): Promise<Session> {
  return createFrom(store, options, {})
}

/** Creates a session that continues another one: `start` is what its projection begins with. */
export async function createFrom(
  store: StoreContext,
  options: CreateSessionOptions,
  origin: Origin & { start?: ProjectionStart | undefined },
): Promise<Session> {
  assertSessionOptions(options)
  const { project, persist = true } = options
  const id = normalizeSessionKey(options.id ?? store.env.newUuid())
  const parts = await (persist ? openOnDisk : openInMemory)(store, id, options, origin.start)
  const { log } = parts
  try {
    // Checked under the lock: an empty file is one whose writer died before its first line.
    if (log.size > 0) throw existsError(id, log.path)
    await log.append(newHeader(store, id, options, origin))
  } catch (error) {
    await log.close().catch(() => {})
    throw error
  }
  return assembleSession(store, { id, project, ...parts }, options)
}

async function openOnDisk(
  store: StoreContext,
  id: string,
  options: CreateSessionOptions,
  start: ProjectionStart | undefined,
): Promise<OpenParts> {
  const path = store.layout.transcriptPath(id)
  const storage = storageOnDisk(store, path)
  const view = new SessionView(path, storage.load, start)
  const title = new TitleKeeper()
  const log = await openLog(path, { ...logOptionsOf(store, options), ...observersFor(view, title) })
  return { log, view, title, storage, isNew: true }
}

async function openInMemory(
  store: StoreContext,
  id: string,
  options: CreateSessionOptions,
  start: ProjectionStart | undefined,
): Promise<OpenParts> {
  const view = new SessionView(MEMORY_SCHEME + id, () => storage.load(), start)
  const title = new TitleKeeper()
  const log = openMemoryLog(id, { ...logOptionsOf(store, options), ...observersFor(view, title) })
  const storage = storageInMemory(log, start)
  return { log, view, title, storage, isNew: true }
}
