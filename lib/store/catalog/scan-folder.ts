// The folder of transcripts as it is now: which files have the name of one, and which of them
// have a lock beside them.

import { sep } from 'node:path'
import { countNewlines } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { isLogName, LOG_EXTENSION, listNames } from '../list-logs.js'
import { normalizeProject } from '../projects/normalize-project.js'
import type { SessionInfo } from './session-info.js'

const LOCK_EXTENSION = '.lock'

export interface FolderEntry {
  readonly path: string
  readonly hasLock: boolean
}

/** In no order; none when the store does not exist yet. */
export function readTranscriptFolder(store: StoreContext, folder: string): FolderEntry[] {
  const names = listNames(store, folder)
  const locks = new Set(names.filter((name) => name.endsWith(LOG_EXTENSION + LOCK_EXTENSION)))
  const hasLock =
    locks.size === 0 ? () => false : (name: string) => locks.has(name + LOCK_EXTENSION)
  return names
    .filter(isLogName)
    .map((name) => ({ path: folder + sep + name, hasLock: hasLock(name) }))
}

/** In the order of their names. */
export function sortedTranscripts(store: StoreContext): FolderEntry[] {
  return readTranscriptFolder(store, store.layout.transcripts).sort((one, other) =>
    one.path < other.path ? -1 : 1,
  )
}

/** One look per project and listing: thousands of sessions share a few projects. */
export function cachedNormalizer(store: StoreContext): (project: string) => string {
  const known = new Map<string, string>()
  return (project) => {
    let normalized = known.get(project)
    if (normalized === undefined) {
      normalized = normalizeProject(store, project)
      known.set(project, normalized)
    }
    return normalized
  }
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
