// The folder of transcripts as it is now: which files have the name of one, and which of them
// have a lock beside them.

import { sep } from 'node:path'
import { countNewlines } from '../log/index.js'
import { isLogName, LOG_EXTENSION, namesIn } from './log-names.js'
import { normalizeProject } from './project.js'
import type { SessionDigest } from './session-digest.js'

const LOCK_EXTENSION = '.lock'

export interface FolderEntry {
  readonly path: string
  readonly hasLock: boolean
}

/** None when the store does not exist yet. */
export function readTranscriptFolder(folder: string): FolderEntry[] {
  const names = namesIn(folder)
  const locks = new Set(names.filter((name) => name.endsWith(LOG_EXTENSION + LOCK_EXTENSION)))
  return names
    .filter(isLogName)
    .sort()
    .map((name) => ({ path: folder + sep + name, hasLock: locks.has(name + LOCK_EXTENSION) }))
}

/** One look per project and listing: thousands of sessions share a few projects. */
export function cachedNormalizer(): (project: string) => string {
  const known = new Map<string, string>()
  return (project) => {
    let normalized = known.get(project)
    if (normalized === undefined) {
      normalized = normalizeProject(project)
      known.set(project, normalized)
    }
    return normalized
  }
}

/** Counts the part that was digested; what came later belongs to the next digest. */
export function countEvents({ path, bytes }: SessionDigest): number | null {
  try {
    return countNewlines(path, 0, bytes)
  } catch {
    // Gone or shortened since.
    return null
  }
}
