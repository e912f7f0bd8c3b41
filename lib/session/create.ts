// A new session: its file, and its header at once, so that a crash right after it loses nothing
// that anybody was told.

import type { ProjectionStart } from '../chain/index.js'
import { normalizeSessionKey } from '../format/index.js'
import { openLog } from '../log/index.js'
import { layoutOf, normalizeProject } from '../store/index.js'
import { headerPayload, type Origin, type SessionFacts } from './header.js'
import { existsError, observing, sessionOf } from './open.js'
import type { Session } from './session.js'
import { environmentOf, logOptionsOf, type SessionOptions } from './settings.js'
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
  const environment = environmentOf(options)
  const id = normalizeSessionKey(options.id ?? environment.newUuid())
  const layout = layoutOf(options)
  const path = layout.transcriptPath(id)
  const view = new SessionView(path, layout, origin.start)
  const title = new TitleKeeper()
  const log = await openLog(path, { ...logOptionsOf(options), observer: observing(view, title) })
  try {
    // Under the lock: an empty file is one whose writer died before its first line.
    if (log.size > 0) throw existsError(id, path)
    const projectNormalized =
      options.project === undefined ? undefined : normalizeProject(options.project)
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
  return sessionOf({ id, log, view, title }, options)
}
