// The ways to read one history, and what must be the same for all of them.

import { expect } from 'vitest'
import {
  EMPTY_START,
  isGap,
  LiveProjection,
  lostStart,
  messagesOf,
  type PlacedEvent,
  type Projection,
  type ProjectionStart,
  projectLog,
} from '../../lib/chain/index.js'
import type { History } from './history.js'

/** The whole file, from its first event to its last. */
export function readForward(history: History, start?: ProjectionStart, at?: string) {
  return projectLog(history.events, { file: history.file, start, at })
}

/** The last events only, from the cut on. */
export function readFrom(
  cut: number,
  { file, events }: Pick<History, 'file' | 'events'>,
  at?: string,
) {
  return projectLog(events.slice(cut), { file, at, isWhole: false })
}

export function lost(file = 'parent'): ProjectionStart {
  return lostStart(file, 'parent_session_missing', 'The parent is not there')
}

/** All that two readers of one history must agree on. */
export function essence(projection: Projection) {
  const { compactedCount, lastBoundary, contextEpoch, unfinishedCompaction } = projection
  const entries = projection.entries.map((entry) => {
    if (isGap(entry)) return `${entry.file}/(${entry.kind})`
    const { file, event, byte_offset } = entry
    const more = entry.kind === 'summary' ? `:${entry.text}` : entry.turnEnded ? ' (ended)' : ''
    return `${file}/${event.uuid}@${byte_offset}${more}`
  })
  const { degraded } = projection
  return { entries, compactedCount, lastBoundary, contextEpoch, unfinishedCompaction, degraded }
}

/** Entries by uuid, an ancestor's with its file; gaps say nothing. */
export function namesOf({ entries }: Projection, file: string): string {
  const names = entries.flatMap((entry) => {
    if (isGap(entry)) return []
    return entry.file === file ? entry.event.uuid : `${entry.file}/${entry.event.uuid}`
  })
  return names.join(' ')
}

/**
 * Reads the history from every line on (of long ones some). Answers how many of the cuts left
 * enough to know all, and the fewest lines that were enough.
 */
export function expectSameFromEveryCut(history: History, start?: ProjectionStart, at?: string) {
  const whole = readForward(history, start, at).projection
  const expected = JSON.stringify(essence(whole))
  const messages = JSON.stringify(messagesOf(whole))
  let completeCount = 0
  let enough: number | undefined
  const { file, events } = history
  const { length } = events
  const isHeaderRepeated = isUuidRepeated(events)
  for (let cut = 1; cut <= length; cut += length - cut > 200 ? 50 : 1) {
    const { projection } = readFrom(cut, { file, events }, at)
    if (!isHeaderRepeated) expectNoNewFindings(projection, whole)
    if (!projection.complete) continue
    completeCount++
    enough = length - cut
    if (JSON.stringify(essence(projection)) !== expected) {
      expect({ cut, ...essence(projection) }).toEqual({ cut, ...essence(whole) })
    }
    if (JSON.stringify(messagesOf(projection)) !== messages) {
      expect(messagesOf(projection)).toEqual(messagesOf(whole))
    }
  }
  return { completeCount, enough }
}

/** Some other event bears the uuid of the first one, which only those know who read that. */
function isUuidRepeated([first, ...others]: History['events']): boolean {
  return others.some(({ event }) => event.uuid === first?.event.uuid)
}

/** Who reads less may know less, but nothing that is not so. */
function expectNoNewFindings(part: Projection, whole: Projection): void {
  if (part.diagnostics.length === 0) return
  const known = new Set(whole.diagnostics.map((finding) => JSON.stringify(finding)))
  expect(part.diagnostics.filter((finding) => !known.has(JSON.stringify(finding)))).toEqual([])
}

/** Pushes line after line, and after each compares with reading all of them again. */
export function expectLiveEqualsRefold(history: History, start: ProjectionStart = EMPTY_START) {
  const { file, events } = history
  let live = new LiveProjection({ file, start })
  let refoldCount = 0
  const sofar: PlacedEvent[] = []
  for (const placed of events) {
    sofar.push(placed)
    const isTaken = live.push(placed)
    const { walk, path, revisions, projection } = projectLog(sofar, { file, start })
    if (!isTaken) {
      refoldCount++
      const { nextPrevUuid, isTipNewest } = walk
      live = new LiveProjection({ file, start, revisions, path, nextPrevUuid, isTipNewest })
    }
    const expected = essence(projection)
    if (JSON.stringify(essence(live)) !== JSON.stringify(expected)) {
      expect(essence(live)).toEqual(expected)
    }
    if (live.diagnostics.length !== projection.diagnostics.length) {
      expect(live.diagnostics).toEqual(projection.diagnostics)
    }
  }
  return refoldCount
}
