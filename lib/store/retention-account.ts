// Which session was moved where, one line each in `retention.jsonl`. A line is only written when
// it says something new, so whoever finishes what another began does not tell it twice.

import { isSessionError } from '../errors.js'
import type { PayloadByType } from '../format/index.js'
import { type LogOptions, type OpenLog, readLogSync } from '../log/index.js'
import { appendDecided } from '../log/inside.js'
import type { Layout } from './layout.js'
import type { RetentionPlace } from './retention-units.js'
import { fieldsOf } from './session-digest-events.js'

export type SessionMoved = PayloadByType['session_moved']

export type AccountOptions = Pick<LogOptions, 'lockTimeoutMs' | 'useKernelLock' | 'environment'>

export async function accountFor(
  layout: Layout,
  moved: SessionMoved,
  { lockTimeoutMs, useKernelLock, environment }: AccountOptions,
): Promise<void> {
  const log = { lockTimeoutMs, useKernelLock, environment, channel: 'store' } as const
  const decide = (open: OpenLog) => {
    const isTold = lastPlaces(open).get(moved.session_id) === moved.to
    return isTold ? [] : [{ type: 'session_moved', payload: moved }]
  }
  await appendDecided(layout.retentionPath, decide, { ...log, lineNumbers: false })
}

/** By session, where the last line says it is; `null`: it was dropped. */
export function recordedPlaces(layout: Layout): Map<string, RetentionPlace | null> {
  try {
    return lastPlaces(layout.retentionPath)
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    return new Map()
  }
}

function lastPlaces(log: string | OpenLog): Map<string, RetentionPlace | null> {
  const places = new Map<string, RetentionPlace | null>()
  for (const entry of readLogSync(log)) {
    if (entry.kind !== 'event' || entry.event.type !== 'session_moved') continue
    const { session_id, to } = fieldsOf(entry.event.payload) as Partial<SessionMoved>
    if (typeof session_id === 'string' && to !== undefined) places.set(session_id, to)
  }
  return places
}
