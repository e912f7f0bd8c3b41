// Which sessions are meant: by their names, or by how long nothing happened in them.

import { SessionError } from '../errors.js'
import { type ClaimOptions, nowOf } from './decide-claim.js'
import type { Layout } from './layout.js'
import { normalizeProject } from './project.js'
import type { KeptSession } from './retention-guards.js'
import { foldersOf, listUnits, type RetentionPlace, type SessionUnit } from './retention-units.js'
import type { Skipped } from './session-digest.js'
import { findTranscriptIn } from './transcripts.js'

export interface RetentionSelection extends ClaimOptions {
  /** These, by id or the beginning of it. */
  sessions?: readonly string[] | undefined

  /** Those in which nothing happened for so long, by the times inside of them. */
  olderThanMs?: number | undefined

  /** Only those of this project. */
  project?: string | undefined

  /**
   * Do it; else only say what would be done.
   *
   * @default false
   */
  apply?: boolean | undefined
}

export interface Selected {
  readonly wanted: readonly SessionUnit[]
  readonly all: readonly SessionUnit[]
  readonly kept: KeptSession[]
  readonly skipped: readonly Skipped[]
}

export async function selectUnits(
  place: RetentionPlace,
  options: RetentionSelection,
  layout: Layout,
): Promise<Selected> {
  const { sessions, olderThanMs, project } = options
  if (sessions === undefined && olderThanMs === undefined) {
    throw new SessionError('ERR_ARG', 'Say which sessions are meant: their ids, or an age')
  }
  if (olderThanMs !== undefined && !(olderThanMs >= 0)) {
    throw new SessionError('ERR_ARG', 'An age must be a number of milliseconds from 0')
  }
  const { transcripts } = foldersOf(layout, place)
  const named = sessions && new Set(sessions.map((id) => findTranscriptIn(transcripts, id)))
  const { units, skipped } = await listUnits(layout, place)
  const normalized = project === undefined ? undefined : normalizeProject(project)
  const kept: KeptSession[] = []
  const wanted = units.filter((unit) => {
    if (named?.has(unit.path) === false) return false
    if (normalized !== undefined && unit.digest.projectNormalized !== normalized) return false
    return olderThanMs === undefined || isOlder(unit, nowOf(options) - olderThanMs, kept)
  })
  return { wanted, all: units, kept, skipped }
}

function isOlder(unit: SessionUnit, since: number, kept: KeptSession[]): boolean {
  const time = Date.parse(unit.lastActivity ?? '')
  if (!Number.isNaN(time)) return time < since
  const reason = 'nothing in it tells how old it is; name it to move it'
  kept.push({ session_id: unit.session_id, code: 'undated', reason })
  return false
}
