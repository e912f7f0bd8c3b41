// How a log ends: for events that depend on what they follow, and for those that may be repeated.

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { fieldsOf } from '../../format/fields.js'
import { isOnChain, isOnChainType, type SessionEvent } from '../../format/index.js'
import { type NewEvent, type OpenLog, openIfThere, readLogBackwardSync } from '../../log/index.js'
import type { StoreContext } from '../../store/index.js'

export interface LogEnd {
  readonly size: number
  readonly now: number
  /** The newest event of the chain. */
  readonly last: SessionEvent | undefined
  /** The off-chain events after it, newest first. */
  readonly offChain: readonly SessionEvent[]
  /** Another process holds the log, so the events will wait in the spool. */
  readonly isHeld?: boolean | undefined
}

/** Reads the end of a log without its lock; of a missing log, nothing. */
export function readLogEnd({ env }: StoreContext, path: string): LogEnd {
  const log = openIfThere(path, env)
  if (log === undefined) return { size: 0, now: env.now(), last: undefined, offChain: [] }
  try {
    return findLogEnd(log, env.now())
  } finally {
    env.fs.closeSync(log.fd)
  }
}

export function findLogEnd(log: OpenLog, now: number): LogEnd {
  const { size } = log
  const offChain: SessionEvent[] = []
  if (size === 0) return { size, now, last: undefined, offChain }
  for (const entry of readLogBackwardSync(log, { lazyPayloads: true })) {
    if (entry.kind !== 'event') continue
    if (isOnChain(entry.event)) return { size, now, last: entry.event, offChain }
    offChain.push(entry.event)
  }
  return { size, now, last: undefined, offChain }
}

export function hasEnded({ offChain }: LogEnd): boolean {
  return offChain.some(({ type }) => type === 'session_terminator')
}

// Whether two reports are the same event. Harnesses report some events twice, for example when a
// hook is registered twice, and hooks run in processes that do not know each other.

/** An equal event within this time is a repetition, unless another event came between. */
export const REPEAT_MS = 2000

/** Namespace of the uuids that are made here (RFC 9562, version 5). */
const NAMESPACE = Buffer.from('6f0c9a52b1d84e0b9c3e5a7d21f4c8e6', 'hex')
const VERSION = 0x50
const VARIANT = 0x80

/** Makes a uuid from parts: equal parts, equal uuid. */
export function toUuid(parts: readonly string[]): string {
  const hash = createHash('sha1').update(NAMESPACE).update(JSON.stringify(parts)).digest()
  hash[6] = (hash[6]! & 0x0f) | VERSION
  hash[8] = (hash[8]! & 0x3f) | VARIANT
  const hex = hash.toString('hex')
  const ends = [0, 8, 12, 16, 20, 32]
  return ends
    .slice(1)
    .map((end, index) => hex.slice(ends[index], end))
    .join('-')
}

/** Hashes the content of an event, without the fields that differ between two reports of it. */
export function contentHash({ type, payload }: NewEvent, mark = ''): string {
  const text = JSON.stringify([type, payloadIdentity(payload), mark])
  return createHash('sha256').update(text).digest('hex')
}

/** Whether the newest event of its kind, on the chain or off it, is the same and was just written. */
export function isRepeated(events: readonly NewEvent[], { last, offChain, now }: LogEnd): boolean {
  const onChain = events.find(({ type }) => isOnChainType(type) === true)
  const reported = onChain ?? events.at(-1)
  if (reported === undefined) return false
  const earlier = onChain === undefined ? offChain : last === undefined ? [] : [last]
  return earlier.some(
    (event) => Math.abs(now - Date.parse(event.ts)) < REPEAT_MS && isSameReport(event, reported),
  )
}

/** The same type and content, apart from what depends on the moment of the report. */
export function isSameReport(one: Reported, other: Reported): boolean {
  if (one.type !== other.type) return false
  return isDeepStrictEqual(payloadIdentity(one.payload), payloadIdentity(other.payload))
}

interface Reported {
  readonly type: string
  readonly payload: unknown
}

/** Fields that depend on the moment of the report. */
const VOLATILE = new Set(['at_ts', 'gap_ms', 'end_ts', 'bytes', 'last_uuid'])

function payloadIdentity(payload: unknown): Record<string, unknown> {
  const stable = Object.entries(fieldsOf(payload)).filter(
    ([key, value]) => !VOLATILE.has(key) && value !== undefined,
  )
  return Object.fromEntries(stable)
}
