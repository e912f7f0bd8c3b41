// Which shards to look into, and what to take of them, for somebody who asks by project or by
// session.

import { SessionError } from '../errors.js'
import { normalizeSessionKey } from '../format/index.js'
import type { CheckpointEntry } from './checkpoint-items.js'
import { listShards, projectOfSession, shardPathOf } from './checkpoint-shard.js'
import { layoutOf, type StoreOptions } from './layout.js'
import { type ProjectScope, selectProjects } from './project-scope.js'

export interface CheckpointTarget {
  /**
   * Of this project, given in any spelling of its path.
   *
   * @default every project
   */
  project?: string | undefined

  /**
   * How far that reaches: this folder, all working trees of its repository, or everything.
   *
   * @default 'exact'
   */
  scope?: ProjectScope | undefined

  /** Of this session, instead of a project. */
  session?: string | undefined
}

export interface Target {
  readonly paths: readonly string[]
  /** Nothing of another session is wanted. */
  readonly session: string | undefined
  isWanted(entry: CheckpointEntry): boolean
}

export function targetOf(wanted: CheckpointTarget, options: StoreOptions): Target {
  const { project, scope, session } = wanted
  if (session === undefined) return projectTarget({ project, scope }, options)
  if (project === undefined) return sessionTarget(session, options)
  throw new SessionError('ERR_ARG', 'Ask for a project or for a session, not for both')
}

function projectTarget(wanted: CheckpointTarget, options: StoreOptions): Target {
  const layout = layoutOf(options)
  const { names, has } = selectProjects({ ...options, ...wanted })
  const paths =
    names === undefined
      ? listShards(layout)
      : Array.from(names, (project) => shardPathOf(project, layout))
  // The name of a shard is a hash; what is inside says whose it is.
  return { paths, session: undefined, isWanted: (entry) => has(entry.project_normalized) }
}

function sessionTarget(session: string, options: StoreOptions): Target {
  const layout = layoutOf(options)
  const key = normalizeSessionKey(session)
  const project = projectOfSession(key, options)
  const paths = project === undefined ? listShards(layout) : [shardPathOf(project, layout)]
  return { paths, session: key, isWanted: ({ session_key }) => session_key === key }
}
