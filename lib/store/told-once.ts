// Events that are told by somebody who may tell them twice at the same moment, as harnesses do
// when a hook is registered twice. Whether they stand there already is seen under the lock.

import { closeSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { isOnChain, isOnChainType, type SessionEvent } from '../format/index.js'
import {
  type LogOptions,
  type NewEvent,
  openIfThere,
  type Receipt,
  readLogBackwardSync,
  systemEnvironment,
} from '../log/index.js'
import { appendDecided, type OpenLog } from '../log/inside.js'
import { fieldsOf } from './session-digest-events.js'

/** The same event again within so short a time was told twice, unless something came between. */
export const REPEAT_MS = 2000

/** How a log ends. */
export interface LogEnd {
  readonly size: number
  readonly now: number
  /** The newest event of the chain. */
  readonly last: SessionEvent | undefined
  /** What stands beside the chain behind it, newest first. */
  readonly beside: readonly SessionEvent[]
}

/** The events, or what they are once it is known what they follow. */
export type ToldEvents = readonly NewEvent[] | ((end: LogEnd) => readonly NewEvent[])

export interface Told {
  /** The first event of a log that is new. */
  readonly header: () => NewEvent
  readonly events: ToldEvents
  /**
   * The events have uuids that say what they are, so a log knows by itself whether it has them.
   * Else they are compared with its end.
   */
  readonly isNamed: boolean
}

/** What became of each event; of those that stood there already, nothing or a duplicate. */
export async function appendTold(
  path: string,
  { header, events, isNamed }: Told,
  options: LogOptions,
): Promise<readonly Receipt[]> {
  const now = (options.environment?.now ?? systemEnvironment.now)()
  let isNew = false
  const freshOf = (log: OpenLog): readonly NewEvent[] => {
    // Names that the log knows by itself spare a look at its end.
    if (isNamed && typeof events !== 'function') return events
    const end = endOf(log, now)
    const told = typeof events === 'function' ? events(end) : events
    return !isNamed && isRepeated(told, end) ? [] : told
  }
  const decide = (log: OpenLog): readonly NewEvent[] => {
    isNew = log.size === 0
    const fresh = freshOf(log)
    return isNew ? [header(), ...fresh] : fresh
  }
  const receipts = await appendDecided(path, decide, options)
  return isNew ? receipts.slice(1) : receipts
}

/** The end of a log that somebody else is writing; of one that is not there, nothing. */
export function readLogEnd(path: string, now: number): LogEnd {
  const log = openIfThere(path)
  if (log === undefined) return { size: 0, now, last: undefined, beside: [] }
  try {
    return endOf(log, now)
  } finally {
    closeSync(log.fd)
  }
}

function endOf(log: OpenLog, now: number): LogEnd {
  const beside: SessionEvent[] = []
  if (log.size === 0) return { size: 0, now, last: undefined, beside }
  for (const entry of readLogBackwardSync(log, { lazyPayloads: true })) {
    if (entry.kind !== 'event') continue
    if (isOnChain(entry.event)) return { size: log.size, now, last: entry.event, beside }
    beside.push(entry.event)
  }
  return { size: log.size, now, last: undefined, beside }
}

/** Whether it is there already, told a moment ago: as the newest of its kind, on the chain or not. */
function isRepeated(events: readonly NewEvent[], { last, beside, now }: LogEnd): boolean {
  const onChain = events.find(({ type }) => isOnChainType(type) === true)
  const told = onChain ?? events.at(-1)
  if (told === undefined) return false
  const earlier = onChain === undefined ? beside : last === undefined ? [] : [last]
  return earlier.some(
    (event) =>
      event.type === told.type &&
      Math.abs(now - Date.parse(event.ts)) < REPEAT_MS &&
      isDeepStrictEqual(saidIn(event.payload), saidIn(told.payload)),
  )
}

/** When it was said, and how long the log was, differ between two who tell the same. */
const MEASURED = new Set(['at_ts', 'gap_ms', 'end_ts', 'bytes', 'last_uuid'])

/** What of a payload is said, apart from when and where. */
export function saidIn(payload: unknown): Record<string, unknown> {
  const said = Object.entries(fieldsOf(payload)).filter(
    ([key, value]) => !MEASURED.has(key) && value !== undefined,
  )
  return Object.fromEntries(said)
}
