// Which recorded projects somebody means who asks for one: that folder alone, all working trees
// of its repository, or everything.

import { isAbsolute } from 'node:path'
import { SessionError } from '../errors.js'
import type { StoreOptions } from './layout.js'
import { normalizeProject } from './project.js'
import { formerNames } from './relocations.js'
import { repositoryOf } from './repository.js'

/**
 * - `exact`: this folder, under all its names, and what was moved to it
 * - `repository`: also every folder of its repository, in any working tree
 * - `all`: every project
 */
export type ProjectScope = 'exact' | 'repository' | 'all'

const SCOPES: readonly string[] = ['exact', 'repository', 'all']

export interface ProjectSelection {
  /** The names to look for; `undefined` when only `has` can tell. */
  readonly names: ReadonlySet<string> | undefined
  /** `null` is what was recorded without a project. */
  has(recorded: string | null): boolean
}

export interface SelectProjectsOptions extends StoreOptions {
  /**
   * In any spelling of its path.
   *
   * @default every project
   */
  project?: string | undefined
  /** @default 'exact' */
  scope?: ProjectScope | undefined
}

export function selectProjects(options: SelectProjectsOptions): ProjectSelection {
  const { project, scope = 'exact' } = options
  if (!SCOPES.includes(scope)) {
    throw new SessionError('ERR_ARG', `scope is exact, repository or all, not "${scope}"`)
  }
  if (project === undefined || scope === 'all') return { names: undefined, has: () => true }
  const names = formerNames(namesOf(project), options)
  const repository = scope === 'repository' ? repositoryOf(project) : undefined
  if (repository === undefined) {
    return { names, has: (recorded) => recorded !== null && names.has(recorded) }
  }
  // A relative path was relative to somebody else's folder.
  const isInRepository = cached((path) => isAbsolute(path) && repositoryOf(path) === repository)
  return {
    names: undefined,
    has: (recorded) => recorded !== null && (names.has(recorded) || isInRepository(recorded)),
  }
}

/** As it is normalized now, and as it was given: a project may be known by a name of its past. */
function namesOf(project: string): string[] {
  const normalized = normalizeProject(project)
  return isAbsolute(project) ? [normalized, project] : [normalized]
}

function cached(look: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>()
  return (path) => {
    const answer = known.get(path) ?? look(path)
    known.set(path, answer)
    return answer
  }
}
