// The sessions of a store, found anew by every call. There is no index that could be outdated.

import { cachedNormalizer, countEvents, sortedTranscripts } from './catalog-folder.js'
import { type ListOptions, type SessionList, selectSessions } from './catalog-select.js'
import { layoutOf, type StoreOptions } from './layout.js'
import { isSkipped, type SessionDigest, type Skipped, withSurroundings } from './session-digest.js'
import { digestFile, GONE } from './session-digest-file.js'

export type ListSessionsOptions = StoreOptions & ListOptions

/** Newest first. A file that cannot be looked into is told, and hides no other. */
export function listSessions(options: ListSessionsOptions = {}): SessionList {
  const { transcripts } = layoutOf(options)
  const normalize = cachedNormalizer()
  const digests: SessionDigest[] = []
  const skipped: Skipped[] = []
  for (const { path, hasLock } of sortedTranscripts(transcripts)) {
    const digest = digestFile(path)
    if (!isSkipped(digest)) digests.push(withSurroundings(digest, hasLock, normalize))
    else if (digest.reason !== GONE) skipped.push(digest)
  }
  return { sessions: selectSessions(digests, options, countEvents), skipped }
}

export type FindNewestOptions = StoreOptions & Pick<ListOptions, 'project' | 'scope' | 'kinds'>

/** The session in which somebody last spoke: never an empty one, and no subagent's. */
export function findNewestSession({
  root,
  home,
  agent,
  project,
  scope,
  kinds = ['interactive', 'headless'],
}: FindNewestOptions = {}): SessionDigest | undefined {
  const { sessions } = listSessions({ root, home, agent, project, scope, kinds })
  return sessions.find(({ isEmpty }) => !isEmpty)
}
