// A new session: its file, and its header at once, so that a crash right after it loses nothing
// that anybody was told.

import type { ProjectionStart } from '../chain/index.js'
import { normalizeSessionKey } from '../format/index.js'
import { MEMORY_SCHEME, openLog, openMemoryLog } from '../log/index.js'
import { layoutOf, normalizeProject } from '../store/index.js'
import { headerPayload, type Origin, type SessionFacts } from './header.js'
import { existsError, type OpenParts, sessionOf, watchedBy } from './open.js'
import type { Session } from './session.js'
import { environmentOf, logOptionsOf, type SessionOptions } from './settings.js'
import { storageInMemory, storageOnDisk } from './storage.js'
import { TitleKeeper } from './title.js'
import { SessionView } from './view.js'

export interface CreateSessionOptions extends SessionOptions, SessionFacts {
  /** @default a new random uuid */
  id?: string | undefined
}

export function createSession(options: CreateSessionOptions = {}): Promise<Session> {
  return createFrom(options, {})
}

/** With where it comes from, and what its projection starts with. */
export async function createFrom(
  options: CreateSessionOptions,
  origin: Origin & { start?: ProjectionStart | undefined },
): Promise<Session> {
  const { project, persist = true } = options
  const environment = environmentOf(options)
  const id = normalizeSessionKey(options.id ?? environment.newUuid())
  const parts = await (persist ? openOnDisk : openInMemory)(id, options, origin.start)
  const { log } = parts
  try {
    // Under the lock: an empty file is one whose writer died before its first line.
    if (log.size > 0) throw existsError(id, log.path)
    const projectNormalized = project === undefined ? undefined : normalizeProject(project)
    const startTs = new Date(environment.now()).toISOString()
    const facts = { ...options, projectNormalized, agentId: options.agent }
    await log.append({
      type: 'session_header',
      payload: headerPayload(id, startTs, facts, origin),
    })
  } catch (error) {
    await log.close().catch(() => {})
    throw error
  }
  return sessionOf({ id, project, ...parts }, options)
}

async function openOnDisk(
  id: string,
  options: CreateSessionOptions,
  start: ProjectionStart | undefined,
): Promise<OpenParts> {
  const layout = layoutOf(options)
  const path = layout.transcriptPath(id)
  const storage = storageOnDisk(path, layout)
  const view = new SessionView(path, storage.load, start)
  const title = new TitleKeeper()
  const log = await openLog(path, { ...logOptionsOf(options), ...watchedBy(view, title) })
  return { log, view, title, storage, isNew: true }
}

async function openInMemory(
  id: string,
  options: CreateSessionOptions,
  start: ProjectionStart | undefined,
): Promise<OpenParts> {
  const view = new SessionView(MEMORY_SCHEME + id, () => storage.load(), start)
  const title = new TitleKeeper()
  const log = openMemoryLog(id, { ...logOptionsOf(options), ...watchedBy(view, title) })
  const storage = storageInMemory(log, start)
  return { log, view, title, storage, isNew: true }
}
