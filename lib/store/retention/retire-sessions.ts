// Moves finished sessions to the archive or the trash and back, and removes them from there. Each
// of these functions returns a plan unless `apply` is set.

import type { Unreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { findTranscriptIn } from '../transcripts.js'
import {
  findAncestors,
  type KeptSession,
  withoutNeeded,
  withoutPinned,
  withoutUsed,
} from './guards.js'
import { finishMoves, recordMove, type SessionMoved } from './journal.js'
import { checkMove, type MoveRefusal, moveBack, moveOut, removeUnit } from './move.js'
import {
  foldersOf,
  listUnits,
  type RetentionArea,
  type RetentionSelection,
  type SessionUnit,
  selectUnits,
} from './units.js'

const DAY_MS = 24 * 60 * 60 * 1000
const NAMED = 'named by the user'

interface ApplyOptions {
  /**
   * Do it; otherwise only return what would be done.
   *
   * @default false
   */
  apply?: boolean | undefined
}

export interface RetireOptions extends RetentionSelection, ApplyOptions {
  /** Where to move the sessions. */
  to: 'archive' | 'trash'

  /**
   * Also sessions that a harness claims, or whose checkpoint may still be recovered. A session that a
   * process has open, that is pinned, that events wait for or that another session continues stays
   * in any case.
   *
   * @default false
   */
  force?: boolean | undefined
}

export interface PruneSessionsOptions extends RetentionSelection, ApplyOptions {
  /**
   * The place to remove sessions from.
   *
   * @default 'trash'
   */
  from?: 'archive' | 'trash' | undefined
}

export interface RestoreSessionsOptions extends ApplyOptions {
  /** The ids of the sessions to move back. */
  sessions: readonly string[]
  /** Where they are now. */
  from: 'archive' | 'trash'
}

export interface MovedSession {
  readonly sessionId: string
  readonly from: RetentionArea
  /** `null`: removed for good. */
  readonly to: RetentionArea | null
  readonly files: number
  readonly bytes: number
  readonly lastActivity: string | null
}

/** What was moved or removed, or would be. */
export interface RetentionReport {
  readonly applied: boolean
  readonly sessions: readonly MovedSession[]
  /** Those that were selected and stay, and why. */
  readonly kept: readonly KeptSession[]
  readonly skipped: readonly Unreadable[]
  /** Sessions whose move another process had left unfinished. */
  readonly finished: readonly string[]
}

/** Moves sessions of the store to its archive or its trash. */
export async function retireSessions(
  store: StoreContext,
  { to, apply = false, force = false, ...selection }: RetireOptions,
): Promise<RetentionReport> {
  const finished = apply ? await finishMoves(store) : []
  const { wanted, all, kept, skipped } = await selectUnits(store, 'store', selection)
  const unpinned = withoutPinned(store, wanted, all, kept)
  const free = withoutNeeded(store, withoutUsed(store, unpinned, kept, force), all, kept)
  const move = (unit: SessionUnit) => moveOut(store, unit, to)
  const step = { command: to, to, reason: reasonOf(selection), move }
  const sessions = await moveUnits(store, free, step, { apply, kept })
  return { applied: apply, sessions, kept, skipped, finished }
}

/** Moves sessions back into the store, and the sessions that they continue. */
export async function restoreSessions(
  store: StoreContext,
  { sessions: names, from, apply = false }: RestoreSessionsOptions,
): Promise<RetentionReport> {
  const { transcripts } = foldersOf(store, from)
  const paths = names.map((name) => findTranscriptIn(store, transcripts, name))
  const finished = apply ? await finishMoves(store) : []
  const { units, skipped } = await listUnits(store, from, paths)
  const kept: KeptSession[] = []
  const move = (unit: SessionUnit) => moveBack(store, unit)
  const step = { command: 'restore', to: 'store', reason: NAMED, move } as const
  const all = await withAncestors(store, units)
  const sessions = await moveUnits(store, all, step, { apply, kept })
  return { applied: apply, sessions, kept, skipped, finished }
}

/** Removes sessions from the trash or the archive. Only this cannot be undone. */
export async function pruneSessions(
  store: StoreContext,
  { from = 'trash', apply = false, ...selection }: PruneSessionsOptions = {},
): Promise<RetentionReport> {
  const finished = apply ? await finishMoves(store) : []
  const { wanted, kept, skipped } = await selectUnits(store, from, selection)
  const all = await listAll(store, ['store', 'archive', 'trash'])
  const free = withoutNeeded(store, withoutPinned(store, wanted, all, kept), all, kept)
  const move = async (unit: SessionUnit) => {
    removeUnit(store, unit)
    return undefined
  }
  const step = { command: 'prune', to: null, reason: reasonOf(selection), move } as const
  const sessions = await moveUnits(store, free, step, { apply, kept })
  return { applied: apply, sessions, kept, skipped, finished }
}

/** The sessions in the archive or the trash, oldest first. */
export async function listRetired(
  store: StoreContext,
  from: 'archive' | 'trash',
): Promise<{ readonly sessions: readonly SessionUnit[]; readonly skipped: readonly Unreadable[] }> {
  const { units, skipped } = await listUnits(store, from)
  const time = ({ lastActivity }: SessionUnit) => lastActivity ?? ''
  return { sessions: units.toSorted((one, other) => (time(one) < time(other) ? -1 : 1)), skipped }
}

interface Step extends Pick<SessionMoved, 'command' | 'to' | 'reason'> {
  readonly move: (unit: SessionUnit) => Promise<MoveRefusal>
}

/** Moves and records each session, or only lists them. */
async function moveUnits(
  store: StoreContext,
  units: readonly SessionUnit[],
  step: Step,
  { apply, kept }: { apply: boolean; kept: KeptSession[] },
): Promise<MovedSession[]> {
  const { to, move } = step
  const moved: MovedSession[] = []
  for (const unit of units) {
    const { sessionId, area: from, files, bytes, lastActivity } = unit
    // A removal is recorded before it happens: nothing disappears without a record.
    if (apply && to === null) await recordMove(store, unit, step)
    const plan = () => (to === null ? undefined : checkMove(store, unit, to))
    const refusal = apply ? await move(unit) : plan()
    if (refusal !== undefined) {
      kept.push({ sessionId, ...refusal })
      continue
    }
    if (apply && to !== null) await recordMove(store, unit, step)
    moved.push({ sessionId, from, to, files, bytes, lastActivity })
  }
  return moved
}

/** Ancestors come before the sessions that continue them. */
async function withAncestors(
  store: StoreContext,
  units: readonly SessionUnit[],
): Promise<readonly SessionUnit[]> {
  const retired = await listAll(store, ['archive', 'trash'])
  const byId = new Map(retired.map((unit) => [unit.sessionId, unit]))
  const found = new Map<string, SessionUnit>()
  const add = (unit: SessionUnit) => {
    if (found.has(unit.sessionId)) return
    found.set(unit.sessionId, unit)
    for (const id of findAncestors(store, unit)) {
      const ancestor = byId.get(id)
      if (ancestor !== undefined) add(ancestor)
    }
  }
  for (const unit of units) add(unit)
  return [...found.values()].reverse()
}

async function listAll(
  store: StoreContext,
  areas: readonly RetentionArea[],
): Promise<readonly SessionUnit[]> {
  const lists = await Promise.all(areas.map((area) => listUnits(store, area)))
  return lists.flatMap(({ units }) => units)
}

function reasonOf({ sessions, olderThanMs = 0 }: RetentionSelection): string {
  return sessions === undefined
    ? `nothing happened in it for ${Math.floor(olderThanMs / DAY_MS)} days`
    : NAMED
}
