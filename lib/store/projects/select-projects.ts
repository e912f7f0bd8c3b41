// Which recorded projects a query matches: one folder, all working trees of its repository, or
// everything.

import { isAbsolute } from 'node:path'
import { SessionError } from '../../errors.js'
import { fieldsOf } from '../../format/fields.js'
import type { PayloadByType } from '../../format/index.js'
import { appendOnce, openIfThere, readLogSync } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { findRepository } from './git-repository.js'
import { cached, normalizeProject } from './normalize-project.js'

/**
 * - `exact`: this folder, under all its names, and what was moved to it
 * - `repository`: also every folder of its repository, in any working tree
 * - `all`: every project
 */
export type ProjectScope = 'exact' | 'repository' | 'all'

const SCOPES: readonly string[] = ['exact', 'repository', 'all']

export interface ProjectSelection {
  /** The names to look for; `undefined` when only `has` can decide. */
  readonly names: ReadonlySet<string> | undefined
  /** `null` is what was recorded without a project. */
  has(recorded: string | null): boolean
}

export interface SelectProjectsOptions {
  /**
   * In any spelling of its path.
   *
   * @default every project
   */
  project?: string | undefined
  /** @default 'exact' */
  scope?: ProjectScope | undefined
}

export function selectProjects(
  store: StoreContext,
  { project, scope = 'exact' }: SelectProjectsOptions,
): ProjectSelection {
  if (!SCOPES.includes(scope)) {
    throw new SessionError('ERR_ARG', `scope must be exact, repository or all, not "${scope}"`)
  }
  if (project === undefined || scope === 'all') return { names: undefined, has: () => true }
  const names = formerNames(store, namesOf(store, project))
  const repository = scope === 'repository' ? findRepository(store, project) : undefined
  if (repository === undefined) {
    return { names, has: (recorded) => recorded !== null && names.has(recorded) }
  }
  // A recorded relative path was relative to another process's folder.
  const isInRepository = cached(
    (path) => isAbsolute(path) && findRepository(store, path) === repository,
  )
  return {
    names: undefined,
    has: (recorded) => recorded !== null && (names.has(recorded) || isInRepository(recorded)),
  }
}

/** Normalized and as given: a project may have been recorded under a former name. */
function namesOf(store: StoreContext, project: string): string[] {
  const normalized = normalizeProject(store, project)
  return isAbsolute(project) ? [normalized, project] : [normalized]
}

// Projects that moved. The library does not guess that a new folder is an old one that moved: the
// user says so, and it is recorded once instead of in every session.

export type Relocation = PayloadByType['relocation']

export interface RelocateOptions {
  /** Where the project was, in any spelling. */
  from: string
  /** Where it is now. */
  to: string
}

/**
 * Records that a project moved: queries for `to` then also find what was recorded under `from`,
 * and under what had moved there before. Queries for `from` are not affected.
 */
export async function relocateProject(
  store: StoreContext,
  { from, to }: RelocateOptions,
): Promise<Relocation> {
  const payload: Relocation = {
    from_normalized: normalizeProject(store, from),
    to_normalized: normalizeProject(store, to),
    from,
    to,
  }
  if (payload.from_normalized === payload.to_normalized) {
    throw new SessionError('ERR_ARG', `"${from}" and "${to}" are the same folder`, { from, to })
  }
  await appendOnce(store.layout.relocationsPath, [{ type: 'relocation', payload }], {
    ...store.logOptions,
    channel: 'store',
    lineNumbers: false,
  })
  return payload
}

/**
 * Every name a project was recorded under: its own, and those of all projects that moved to it,
 * over any number of moves. Costs one open of a file that usually does not exist.
 */
export function formerNames(store: StoreContext, names: Iterable<string>): Set<string> {
  const moves = readMoves(store)
  const found = new Set(names)
  // A set grows while it is walked, so chains are followed and circles end.
  for (const name of found) for (const former of moves.get(name) ?? []) found.add(former)
  return found
}

/** The former names of each present name. */
function readMoves({ env, layout }: StoreContext): ReadonlyMap<string, readonly string[]> {
  const moves = new Map<string, string[]>()
  const log = openIfThere(layout.relocationsPath, env)
  if (log === undefined) return moves
  try {
    for (const entry of readLogSync(log, { environment: env })) {
      if (entry.kind !== 'event' || entry.event.type !== 'relocation') continue
      const {
        from,
        from_normalized: former,
        to_normalized: present,
      } = fieldsOf(entry.event.payload)
      if (typeof former !== 'string' || typeof present !== 'string') continue
      const formers = moves.get(present) ?? []
      formers.push(former)
      // Recorded while a link led elsewhere, it may be known by the name as given.
      if (typeof from === 'string') formers.push(from)
      moves.set(present, formers)
    }
  } finally {
    env.fs.closeSync(log.fd)
  }
  return moves
}
