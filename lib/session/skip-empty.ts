// A session that never said anything only points at its parent; so resuming or forking it means that.

import { isSessionError } from '../errors.js'
import { isOwnEvent } from '../format/index.js'
import {
  findParent,
  type Layout,
  type LoadedSession,
  lineageOf,
  loadSession,
} from '../store/index.js'

/** The session it goes on from, as of there; one that said something, or goes on from nobody, itself. */
export function skipEmpty(loaded: LoadedSession, layout: Layout): LoadedSession {
  let current = loaded
  for (const seen = new Set<string>(); isEmpty(current) && !seen.has(current.path); ) {
    seen.add(current.path)
    const { resumedFrom } = lineageOf(current.path)
    const at = resumedFrom?.tip_uuid
    const path = resumedFrom && findParent(resumedFrom, layout)
    if (path === undefined || at === null) break
    try {
      current = loadSession(path, { layout, at, lazyPayloads: true })
    } catch (error) {
      // The event that it went on from is not there any more; loading the empty one tells so.
      if (isSessionError(error, 'ERR_NOT_FOUND')) break
      throw error
    }
  }
  return current
}

function isEmpty({ events, readFrom }: LoadedSession): boolean {
  return readFrom === 0 && !events.some(({ event }) => isOwnEvent(event))
}
