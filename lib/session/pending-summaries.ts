// Boundaries that still ask for a better summary, as the log tells it. What was read is not read
// again: every look takes only the lines that were added.

import { fieldsOf } from '../chain/index.js'
import type { SessionEvent } from '../format/index.js'
import { readLogSync, scanLog } from '../log/index.js'

export interface PendingSummary {
  readonly boundaryUuid: string
  readonly summaryUuid: string
  /** The newest event the summary stands behind: what was covered is what was seen then. */
  readonly seenUuid: string
  readonly boundary: SessionEvent
  readonly byteOffset: number
}

export class PendingSummaries {
  readonly #path: string
  /** Summary → the event before it. */
  readonly #seen = new Map<string, string>()
  readonly #pending = new Map<string, PendingSummary>()
  #readTo = 0

  constructor(path: string) {
    this.#path = path
  }

  /** In the order of the log. */
  list(): readonly PendingSummary[] {
    const found: { readonly type: string; readonly byteOffset: number }[] = []
    scanLog(
      this.#path,
      ({ type, uuid, prev_uuid, byte_offset: byteOffset, length }) => {
        this.#readTo = byteOffset + length
        if (type === 'summary' && prev_uuid !== null) this.#seen.set(uuid, prev_uuid)
        if (type === 'compaction_boundary' || type === 'summary_revision') {
          found.push({ type, byteOffset })
        }
      },
      { from: this.#readTo, verify: true },
    )
    for (const { type, byteOffset } of found) {
      const event = eventAt(this.#path, byteOffset)
      if (event === undefined) continue
      if (type === 'summary_revision') this.#takeRevision(event)
      else this.#takeBoundary(event, byteOffset)
    }
    return [...this.#pending.values()]
  }

  /** It can never be made good: it does not count, or its line is not what it was. */
  forget({ boundaryUuid }: PendingSummary): void {
    this.#pending.delete(boundaryUuid)
  }

  #takeBoundary(boundary: SessionEvent, byteOffset: number): void {
    const { needs_summary_retry, summary_event_uuid } = fieldsOf(boundary.payload)
    if (needs_summary_retry !== true || typeof summary_event_uuid !== 'string') return
    const seenUuid = this.#seen.get(summary_event_uuid)
    if (seenUuid === undefined) return
    this.#pending.set(boundary.uuid, {
      boundaryUuid: boundary.uuid,
      summaryUuid: summary_event_uuid,
      seenUuid,
      boundary,
      byteOffset,
    })
  }

  #takeRevision({ payload }: SessionEvent): void {
    const { boundary_uuid, final } = fieldsOf(payload)
    if (final === true) this.#pending.delete(boundary_uuid as string)
  }
}

function eventAt(path: string, offset: number): SessionEvent | undefined {
  for (const entry of readLogSync(path, { from: offset })) {
    return entry.kind === 'event' ? entry.event : undefined
  }
  return undefined
}
