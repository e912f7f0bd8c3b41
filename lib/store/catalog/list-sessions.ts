// The sessions of a store, found anew by every call. There is no index that could be outdated.

import type { StoreContext } from '../context.js'
import { type ListOptions, type SessionList, selectSessions } from './filter-sessions.js'
import { GONE, readTranscriptInfo } from './read-session-info.js'
import { cachedNormalizer, countEvents, sortedTranscripts } from './scan-folder.js'
import {
  isUnreadable,
  type SessionInfo,
  type Unreadable,
  withSurroundings,
} from './session-info.js'

/** Newest first. A file that cannot be read is reported and hides no other. */
export function listSessions(store: StoreContext, options: ListOptions = {}): SessionList {
  const normalize = cachedNormalizer(store)
  const digests: SessionInfo[] = []
  const skipped: Unreadable[] = []
  for (const { path, hasLock } of sortedTranscripts(store)) {
    const digest = readTranscriptInfo(store, path)
    if (!isUnreadable(digest)) digests.push(withSurroundings(store, digest, hasLock, normalize))
    else if (digest.reason !== GONE) skipped.push(digest)
  }
  return {
    sessions: selectSessions(store, digests, options, (info) => countEvents(store, info)),
    skipped,
  }
}

export type FindNewestOptions = Pick<ListOptions, 'project' | 'scope' | 'kinds'>

/** The session with the latest message: never an empty one, and no subagent's. */
export function findNewestSession(
  store: StoreContext,
  { project, scope, kinds = ['interactive', 'headless'] }: FindNewestOptions = {},
): SessionInfo | undefined {
  const { sessions } = listSessions(store, { project, scope, kinds })
  return sessions.find(({ empty }) => !empty)
}
