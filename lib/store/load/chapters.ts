// The files of a session: its own, and of those that it continues the part up to the event that it
// continues, with everything that was written there.

import { isOnChainType } from '../../format/index.js'
import { scanLog } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { findEvent } from './find-event.js'
import { type ForkPoint, findParent, readLineage } from './load-session.js'

/** A transcript of the lineage, and where its part of the session ends. */
export interface Chapter {
  readonly sessionId: string
  readonly path: string
  readonly end: number
  /** Of a fork, its source and the sources of that. */
  readonly sources: readonly string[]
  readonly forks: readonly ForkPoint[]
  /** When it was resumed. */
  readonly resumedAt: number
}

const CHAPTERS_MAX = 1000

/** Oldest first; the last one is the session itself. A missing ancestor ends the list. */
export function listChapters(store: StoreContext, path: string): readonly Chapter[] {
  const chapters: Chapter[] = []
  const seen = new Set<string>()
  let next: Pick<Chapter, 'path' | 'end'> | undefined = { path, end: Number.MAX_SAFE_INTEGER }
  while (next !== undefined && !seen.has(next.path) && chapters.length < CHAPTERS_MAX) {
    seen.add(next.path)
    const { resumedFrom, ...names } = readLineage(store, next.path)
    chapters.unshift({ ...next, ...names })
    const parent = resumedFrom && findParent(store, resumedFrom)
    next =
      parent === undefined
        ? undefined
        : { path: parent, end: endAfter(store, parent, resumedFrom!.tipUuid ?? null) }
  }
  return chapters
}

/** Up to the tip, with the off-chain events before the next on-chain event. */
function endAfter(store: StoreContext, path: string, tip: string | null): number {
  const from = tip === null ? undefined : findEvent(store, path, tip)?.byte_offset
  let end = Number.MAX_SAFE_INTEGER
  if (from === undefined) return end
  scanLog(
    path,
    ({ type, byte_offset }) => {
      const isNext = byte_offset > from && isOnChainType(type) === true
      if (isNext) end = Math.min(end, byte_offset)
    },
    { from, verify: true, environment: store.env },
  )
  return end
}

/** A part of another file that came after the session had branched off from it. */
export interface Continuation {
  readonly sessionId: string
  readonly path: string
  /** The first byte after the event at which they branched. */
  readonly from: number
  /** Where that is in the lineage: the chapter, and the offset in its file. */
  readonly index: number
  readonly byteOffset: number
  /** When they branched. */
  readonly branchedAt: number
}

/** What was written in the files that a session was resumed or forked from, after it branched. */
export function listContinuations(
  store: StoreContext,
  chapters: readonly Chapter[],
): readonly Continuation[] {
  return chapters.flatMap(({ path, end, sessionId, forks }, index) => {
    const branchedAt = chapters[index + 1]?.resumedAt ?? 0
    const resumed = { sessionId, path, from: end, index, byteOffset: end, branchedAt }
    const forked = forks.flatMap(({ sessionId, atUuid, forkedAt }) => {
      const source = findParent(store, { sessionId, tipUuid: atUuid })
      const from = source === undefined ? undefined : findEvent(store, source, atUuid)?.byte_offset
      const byteOffset = findEvent(store, path, atUuid)?.byte_offset
      if (from === undefined || byteOffset === undefined) return []
      const place = { index, byteOffset, branchedAt: forkedAt }
      return [{ sessionId, path: source!, from: from + 1, ...place }]
    })
    return end === Number.MAX_SAFE_INTEGER ? forked : [resumed, ...forked]
  })
}
