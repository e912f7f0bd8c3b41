// The newest events of a log's chain, newest first, along their links.

import { fieldsOf } from '../../chain/index.js'
import { isOnChain, type SessionEvent } from '../../format/index.js'
import { type OpenLog, readLogBackwardSync } from '../../log/index.js'

/** Which line of the client's transcript an event was made of, and how far that was read then. */
export interface SourceLine {
  readonly uuid: string
  readonly end: number
}

export function sourceLineOf({ payload }: SessionEvent): SourceLine | undefined {
  const { uuid, end } = fieldsOf(fieldsOf(payload)['source_line'])
  return typeof uuid === 'string' && Number.isSafeInteger(end)
    ? { uuid, end: end as number }
    : undefined
}

// More than a turn has. A hook must not read a whole log.
const EVENTS_MAX = 1000

export function* readRecentEvents(log: OpenLog): Generator<SessionEvent> {
  if (log.size === 0) return
  let wanted: string | null | undefined
  let count = 0
  for (const entry of readLogBackwardSync(log, { lazyPayloads: true })) {
    if (entry.kind !== 'event' || !isOnChain(entry.event)) continue
    const { event } = entry
    if (wanted !== undefined && event.uuid !== wanted) continue
    if (++count > EVENTS_MAX) return
    yield event
    wanted = event.prev_uuid
    if (wanted === null) return
  }
}
