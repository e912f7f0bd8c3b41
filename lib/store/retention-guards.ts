// Which sessions must stay where they are, whoever asks.

import { isSessionLive } from './active-sessions.js'
import { CheckpointIndex } from './checkpoint-index.js'
import type { ClaimOptions } from './decide-claim.js'
import { layoutOf } from './layout.js'
import { lineageOf } from './lineage.js'
import type { SessionUnit } from './retention-units.js'
import { isLeased } from './session-digest.js'
import { readSpool } from './spool.js'

/**
 * - `open`: a living process has it, or one of its subagents, or speaks for it
 * - `queued`: events wait to be written into it
 * - `needed`: another session that stays goes on from it, or is a fork of it
 * - `checkpoint`: its checkpoint may still be recovered by the next session
 * - `undated`: nothing in it tells how old it is
 * - `taken`: a session of that id lies there already
 * - `changed`: somebody wrote to it meanwhile
 */
export type KeptCode = 'open' | 'queued' | 'needed' | 'checkpoint' | 'undated' | 'taken' | 'changed'

export interface KeptSession {
  readonly session_id: string
  readonly code: KeptCode
  readonly reason: string
}

// As long as a new session of the project is given what the last one knew.
const RECOVERY_MS = 4 * 60 * 60 * 1000

export class InUse {
  readonly #options: ClaimOptions
  readonly #checkpoints: CheckpointIndex

  constructor(options: ClaimOptions) {
    this.#options = options
    this.#checkpoints = new CheckpointIndex(options)
  }

  /** Why a session of the store is in use; `undefined`: it is not. */
  reasonFor({ session_id, sidechains }: SessionUnit): KeptSession | undefined {
    const kept = (code: KeptCode, reason: string) => ({ session_id, code, reason })
    if (isSessionLive(session_id, this.#options)) return kept('open', 'it is open')
    const child = sidechains.find(isLeased)
    if (child !== undefined) return kept('open', `its subagent is open (${child})`)
    const { events } = readSpool(layoutOf(this.#options), session_id)
    if (events.length > 0) return kept('queued', `${events.length} events wait for it`)
    const newest = this.#checkpoints.findNewest({ session: session_id, withinMs: RECOVERY_MS })
    if (newest.newest === undefined) return undefined
    const { created_at } = newest.newest.checkpoint
    return kept('checkpoint', `its checkpoint of ${created_at} may still be recovered`)
  }
}

/** By session, those that cannot do without it. */
export function neededBy(units: Iterable<SessionUnit>): Map<string, string[]> {
  const needed = new Map<string, string[]>()
  for (const { path, session_id } of units) {
    const { resumedFrom, sources } = lineageOf(path)
    const ids = new Set([...sources, ...(resumedFrom ? [resumedFrom.session_id] : [])])
    for (const id of ids) needed.set(id, [...(needed.get(id) ?? []), session_id])
  }
  return needed
}

/** Takes out, again and again, those that somebody needs who stays. */
export function withoutNeeded(
  wanted: readonly SessionUnit[],
  all: readonly SessionUnit[],
): { readonly free: readonly SessionUnit[]; readonly kept: readonly KeptSession[] } {
  const needs = neededBy(all)
  const kept: KeptSession[] = []
  let free = wanted
  for (;;) {
    const leaving = new Set(free.map(({ session_id }) => session_id))
    const still = free.filter(({ session_id }) => {
      const staying = (needs.get(session_id) ?? []).filter((id) => !leaving.has(id))
      if (staying.length === 0) return true
      kept.push({ session_id, code: 'needed', reason: `${staying.join(', ')} needs it` })
      return false
    })
    if (still.length === free.length) return { free, kept }
    free = still
  }
}
