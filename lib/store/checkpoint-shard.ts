// Which file a checkpoint lies in. One shard per project, so that a process that has just started
// reads one short file and not those of all projects.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isSessionError } from '../errors.js'
import { encodeName, normalizeSessionKey } from '../format/index.js'
import { readLogSync } from '../log/index.js'
import { type Layout, layoutOf, type StoreOptions } from './layout.js'
import { LOG_EXTENSION, logNamesIn } from './log-names.js'
import { normalizeProject } from './project.js'

const SLUG_BYTES_MAX = 40
const HASH_DIGITS = 16
const NO_PROJECT = '_none'

/** The last folder of the path, for people, and a hash of all of it. */
export function shardNameOf(projectNormalized: string | null): string {
  if (projectNormalized === null) return NO_PROJECT + LOG_EXTENSION
  const hash = createHash('sha256').update(projectNormalized).digest('hex').slice(0, HASH_DIGITS)
  return `${slugOf(projectNormalized)}-${hash}${LOG_EXTENSION}`
}

export function shardPathOf(projectNormalized: string | null, { checkpoints }: Layout): string {
  return join(checkpoints, shardNameOf(projectNormalized))
}

export function listShards({ checkpoints }: Layout): string[] {
  return logNamesIn(checkpoints).map((name) => join(checkpoints, name))
}

/**
 * The project in whose shard a session keeps its checkpoints, wherever it works: the one in its
 * header, `null` when that names none. `undefined` when there is no header to ask.
 */
export function projectOfSession(
  session: string,
  options: StoreOptions,
): string | null | undefined {
  const path = layoutOf(options).transcriptPath(normalizeSessionKey(session))
  try {
    for (const entry of readLogSync(path)) {
      if (entry.kind !== 'event') continue
      if (entry.event.type !== 'session_header') return undefined
      const { project, project_normalized } = { ...(entry.event.payload as HeaderProject | null) }
      if (typeof project_normalized === 'string') return project_normalized
      return typeof project === 'string' ? normalizeProject(project) : null
    }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
  }
  return undefined
}

interface HeaderProject {
  readonly project?: unknown
  readonly project_normalized?: unknown
}

function slugOf(projectNormalized: string): string {
  const last = projectNormalized.split(/[\\/]/).findLast((segment) => segment !== '')
  // Cut in the middle of a %XX it would look like another name.
  const slug = encodeName(last ?? 'root')
    .slice(0, SLUG_BYTES_MAX)
    .replace(/%[0-9A-F]?$/, '')
  return slug === '' ? 'root' : slug
}
