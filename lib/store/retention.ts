// Making room: sessions that are done go to the archive or the trash and come back from there, and
// only from there they are dropped. Each of it is a plan unless it is applied.

import type { ClaimOptions } from './decide-claim.js'
import { type Layout, layoutOf } from './layout.js'
import { lineageOf } from './lineage.js'
import { accountFor, type SessionMoved } from './retention-account.js'
import { finishMoves } from './retention-finish.js'
import { InUse, type KeptSession, withoutNeeded } from './retention-guards.js'
import { bringBack, putAway, removeUnit } from './retention-move.js'
import { type RetentionSelection, selectUnits } from './retention-select.js'
import { foldersOf, listUnits, type RetentionPlace, type SessionUnit } from './retention-units.js'
import type { Skipped } from './session-digest.js'
import { findTranscriptIn } from './transcripts.js'

const DAY_MS = 24 * 60 * 60 * 1000

export interface RetireOptions extends RetentionSelection {
  to: 'archive' | 'trash'
}

export interface PruneSessionsOptions extends RetentionSelection {
  /**
   * Where they lie.
   *
   * @default 'trash'
   */
  from?: 'archive' | 'trash' | undefined
}

export interface RestoreSessionsOptions extends ClaimOptions {
  sessions: readonly string[]
  from: 'archive' | 'trash'
}

export interface MovedSession {
  readonly session_id: string
  readonly from: RetentionPlace
  /** `null`: dropped for good. */
  readonly to: RetentionPlace | null
  readonly files: number
  readonly bytes: number
  readonly lastActivity: string | null
}

export interface RetentionReport {
  readonly isApplied: boolean
  readonly sessions: readonly MovedSession[]
  /** Those that were asked for and stay, and why. */
  readonly kept: readonly KeptSession[]
  readonly skipped: readonly Skipped[]
  /** Sessions whose move by a process that died was finished. */
  readonly finished: readonly string[]
}

/** Puts sessions of the store into its archive or its trash. */
export async function retireSessions(options: RetireOptions): Promise<RetentionReport> {
  const { to, apply: isApplied = false } = options
  const layout = layoutOf(options)
  const finished = isApplied ? await finishMoves(layout, options) : []
  const { wanted, all, kept, skipped } = await selectUnits('store', options, layout)
  const inUse = new InUse(options)
  const quiet = wanted.filter((unit) => {
    const reason = inUse.reasonFor(unit)
    if (reason !== undefined) kept.push(reason)
    return reason === undefined
  })
  const { free, kept: needed } = withoutNeeded(quiet, all)
  kept.push(...needed)
  const sessions: MovedSession[] = []
  for (const unit of free) {
    const told = movedSession(unit, to)
    const refusal = isApplied ? await putAway(unit, to, layout, options) : undefined
    if (refusal !== undefined) {
      kept.push({ session_id: unit.session_id, ...refusal })
      continue
    }
    if (isApplied) await accountFor(layout, accountOf(told, to, options), options)
    sessions.push(told)
  }
  return { isApplied, sessions, kept, skipped, finished }
}

/** Brings sessions back, with those that they go on from. At once: nothing is lost by it. */
export async function restoreSessions(options: RestoreSessionsOptions): Promise<RetentionReport> {
  const layout = layoutOf(options)
  const paths = options.sessions.map((session) => {
    return findTranscriptIn(foldersOf(layout, options.from).transcripts, session)
  })
  const finished = await finishMoves(layout, options)
  const named = await listUnits(layout, options.from, paths)
  const sessions: MovedSession[] = []
  const kept: KeptSession[] = []
  for (const unit of await withAncestors(named.units, layout)) {
    const refusal = await bringBack(unit, layout, options)
    if (refusal !== undefined) {
      kept.push({ session_id: unit.session_id, ...refusal })
      continue
    }
    const told = movedSession(unit, 'store')
    await accountFor(layout, accountOf(told, 'restore', options), options)
    sessions.push(told)
  }
  return { isApplied: true, sessions, kept, skipped: named.skipped, finished }
}

/** Drops sessions of the trash or the archive for good. This alone cannot be undone. */
export async function pruneSessions(options: PruneSessionsOptions = {}): Promise<RetentionReport> {
  const { from = 'trash', apply: isApplied = false } = options
  const layout = layoutOf(options)
  const finished = isApplied ? await finishMoves(layout, options) : []
  const { wanted, kept, skipped } = await selectUnits(from, options, layout)
  const places = ['store', 'archive', 'trash'] as const
  const all = (await Promise.all(places.map((place) => listUnits(layout, place)))).flatMap(
    ({ units }) => units,
  )
  const { free, kept: needed } = withoutNeeded(wanted, all)
  kept.push(...needed)
  const sessions: MovedSession[] = []
  for (const unit of free) {
    const told = movedSession(unit, null)
    sessions.push(told)
    if (!isApplied) continue
    // Nothing is dropped of which no line tells.
    await accountFor(layout, accountOf(told, 'prune', options), options)
    removeUnit(unit)
  }
  return { isApplied, sessions, kept, skipped, finished }
}

/** What lies in the archive or the trash, oldest first. */
export async function listRetired(
  from: 'archive' | 'trash',
  options: ClaimOptions = {},
): Promise<{ readonly sessions: readonly SessionUnit[]; readonly skipped: readonly Skipped[] }> {
  const { units, skipped } = await listUnits(layoutOf(options), from)
  const time = ({ lastActivity }: SessionUnit) => lastActivity ?? ''
  return { sessions: units.toSorted((one, other) => (time(one) < time(other) ? -1 : 1)), skipped }
}

/** Those first which others go on from. */
async function withAncestors(
  units: readonly SessionUnit[],
  layout: Layout,
): Promise<readonly SessionUnit[]> {
  const retired = await Promise.all([listUnits(layout, 'archive'), listUnits(layout, 'trash')])
  const byId = new Map(
    retired.flatMap((list) => list.units).map((unit) => [unit.session_id, unit] as const),
  )
  const found = new Map<string, SessionUnit>()
  const add = (unit: SessionUnit) => {
    if (found.has(unit.session_id)) return
    found.set(unit.session_id, unit)
    const { resumedFrom, sources } = lineageOf(unit.path)
    const ids = [...sources, ...(resumedFrom ? [resumedFrom.session_id] : [])]
    for (const parent of ids.flatMap((id) => byId.get(id) ?? [])) add(parent)
  }
  for (const unit of units) add(unit)
  return [...found.values()].reverse()
}

function movedSession(unit: SessionUnit, to: RetentionPlace | null): MovedSession {
  const { session_id, place: from, files, bytes, lastActivity } = unit
  return { session_id, from, to, files, bytes, lastActivity }
}

function accountOf(
  { session_id, from, to, files, bytes, lastActivity }: MovedSession,
  command: SessionMoved['command'],
  { sessions, olderThanMs = 0 }: RetentionSelection,
): SessionMoved {
  const days = Math.floor(olderThanMs / DAY_MS)
  const reason =
    sessions === undefined ? `nothing happened in it for ${days} days` : 'named by the user'
  const moved = { command, session_id, from, to, files, bytes }
  return { ...moved, last_activity: lastActivity, reason }
}
