// Which sessions must stay where they are, even if they are named.

import { inheritMeta } from '../catalog/inherit-meta.js'
import { isLeased } from '../catalog/session-info.js'
import { PINNED } from '../catalog/session-meta.js'
import { findNewestCheckpoint } from '../checkpoints/find-checkpoints.js'
import { isSessionLive } from '../claims/read-state.js'
import { recoveryWindowMs } from '../config.js'
import type { StoreContext } from '../context.js'
import { readLineage } from '../load/load-session.js'
import { listSpoolFiles } from '../spool/spool.js'
import type { SessionUnit } from './units.js'

/**
 * - `pinned`: it has the tag `pinned`, or continues a session that has it
 * - `open`: a running process has it or one of its subagents open, or claims it
 * - `queued`: events wait to be written into it
 * - `needed`: another session that stays continues it, or is a fork of it
 * - `checkpoint`: its checkpoint may still be recovered by the next session
 * - `undated`: its age is unknown
 * - `taken`: the target has a session of that id already
 * - `changed`: another process wrote to it meanwhile
 */
export type KeptCode =
  | 'pinned'
  | 'open'
  | 'queued'
  | 'needed'
  | 'checkpoint'
  | 'undated'
  | 'taken'
  | 'changed'

export interface KeptSession {
  readonly sessionId: string
  readonly code: KeptCode
  readonly reason: string
}

/** Leaves out those with the tag `pinned`. `all` are those whose tags are known. */
export function withoutPinned(
  store: StoreContext,
  wanted: readonly SessionUnit[],
  all: readonly SessionUnit[],
  kept: KeptSession[],
): SessionUnit[] {
  const known = new Map(all.map(({ sessionId, info }) => [sessionId, info]))
  return wanted.filter(({ sessionId, info }) => {
    if (inheritMeta(store, info, known).tags?.includes(PINNED) !== true) return true
    const reason = `it is pinned; \`tag ${sessionId} -${PINNED}\` unpins it`
    kept.push({ sessionId, code: 'pinned', reason })
    return false
  })
}

/**
 * Splits sessions of the store into those in use and those not in use. With `force`, a claim and a
 * checkpoint do not count as use; an open file and waiting events always do.
 */
export function withoutUsed(
  store: StoreContext,
  wanted: readonly SessionUnit[],
  kept: KeptSession[],
  force: boolean,
): SessionUnit[] {
  return wanted.filter(({ sessionId, sidechains }) => {
    const keep = (code: KeptCode, reason: string) => {
      kept.push({ sessionId, code, reason })
      return false
    }
    const isOpen = force
      ? isLeased(store, store.layout.transcriptPath(sessionId))
      : isSessionLive(store, sessionId)
    if (isOpen) return keep('open', 'it is open')
    const child = sidechains.find((path) => isLeased(store, path))
    if (child !== undefined) return keep('open', `its subagent is open (${child})`)
    // A queue that cannot be read throws: what waits in it would have no session any more.
    const queued = listSpoolFiles(store, sessionId).length
    if (queued > 0) return keep('queued', `events wait for it (${queued} files in the spool)`)
    if (force) return true
    const withinMs = recoveryWindowMs(store)
    const { newest } = findNewestCheckpoint(store, { session: sessionId, withinMs })
    if (newest === undefined) return true
    const { created_at } = newest.checkpoint
    return keep('checkpoint', `its checkpoint of ${created_at} may still be recovered`)
  })
}

/** The ids of the sessions that this one continues or was forked from. */
export function findAncestors(store: StoreContext, { path }: SessionUnit): Set<string> {
  const { resumedFrom, sources } = readLineage(store, path)
  return new Set([...sources, ...(resumedFrom ? [resumedFrom.sessionId] : [])])
}

/** Leaves out, repeatedly, those that a session which stays needs. */
export function withoutNeeded(
  store: StoreContext,
  wanted: readonly SessionUnit[],
  all: readonly SessionUnit[],
  kept: KeptSession[],
): readonly SessionUnit[] {
  const needs = new Map<string, string[]>()
  for (const unit of all) {
    for (const id of findAncestors(store, unit))
      needs.set(id, [...(needs.get(id) ?? []), unit.sessionId])
  }
  let free = wanted
  for (;;) {
    const leaving = new Set(free.map(({ sessionId }) => sessionId))
    const still = free.filter(({ sessionId }) => {
      const staying = (needs.get(sessionId) ?? []).filter((id) => !leaving.has(id))
      if (staying.length === 0) return true
      kept.push({ sessionId, code: 'needed', reason: `${staying.join(', ')} needs it` })
      return false
    })
    if (still.length === free.length) return free
    free = still
  }
}
