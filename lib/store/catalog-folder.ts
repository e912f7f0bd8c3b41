// The folder of transcripts as it is now: which files have the name of one, and which of them
// have a lock beside them.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { toReadError } from '../errors.js'
import { countNewlines } from '../log/index.js'
import { normalizeProject } from './project.js'
import type { SessionDigest } from './session-digest.js'

const EXTENSION = '.jsonl'
const LOCK_EXTENSION = '.lock'

export interface FolderEntry {
  readonly path: string
  readonly hasLock: boolean
}

/** None when the store does not exist yet. */
export function readTranscriptFolder(folder: string): FolderEntry[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw toReadError(cause, 'list', folder)
  }
  const locks = new Set(names.filter((name) => name.endsWith(EXTENSION + LOCK_EXTENSION)))
  return names
    .filter(isTranscriptName)
    .sort()
    .map((name) => ({ path: join(folder, name), hasLock: locks.has(name + LOCK_EXTENSION) }))
}

export function isTranscriptName(name: string): boolean {
  return name.endsWith(EXTENSION) && !name.startsWith('.')
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
