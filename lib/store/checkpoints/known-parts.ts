// Which parts of a checkpoint are stored already. An agent that was cut off sends its checkpoint
// again; whatever has arrived before is left out, and what arrives changed is kept beside it. Read
// under the lock of the shard.

import { isPlainObject } from '../../format/index.js'
import { type OpenLog, undecodedLines } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import {
  ignore,
  isTombstone,
  loadCheckpoint,
  readItems,
  type StoredCheckpoint,
  sha256Of,
} from './read-shard.js'
import type { CheckpointPayload } from './record.js'
import { type VisibleOptions, visibleItems } from './visible.js'

/** What a part of a checkpoint is called, so that it is recognised when it comes again. */
export interface PartKey {
  readonly key: string
  /** Of the content: the same key with another hash is other content, and both are kept. */
  readonly hash: string
  /** The place in `memories` of what is meant; without it, the session summary. */
  readonly memory?: number | undefined
}

/** A checkpoint of the shard that holds a part. */
export interface Holder {
  readonly id: string
  readonly byteOffset: number
  readonly sha256: string
}

/** Key → hash of what is stored under it, and where. */
export type KnownParts = ReadonlyMap<string, { readonly hash: string; readonly holder: Holder }>

export interface Decision {
  /** What is left to store; `undefined` when all of it is there. */
  readonly payload: CheckpointPayload | undefined
  /** Where the first of what was left out is. */
  readonly holder: Holder | undefined
  /** Keys that were known with other content; theirs is stored under a longer key. */
  readonly conflicts: readonly string[]
}

const HASH_DIGITS = 8

export function leaveOutKnownParts(
  payload: CheckpointPayload,
  keys: readonly PartKey[],
  known: KnownParts,
): Decision {
  const stored: { key: string; hash: string }[] = []
  const conflicts: string[] = []
  const knownMemories = new Set<number>()
  let isSummaryKnown = false
  let holder: Holder | undefined
  for (const { key, hash, memory } of keys) {
    const name = known.has(key) && known.get(key)?.hash !== hash ? longerKey(key, hash) : key
    const earlier = known.get(name)
    if (earlier?.hash === hash) {
      holder ??= earlier.holder
      if (memory === undefined) isSummaryKnown = true
      else knownMemories.add(memory)
      continue
    }
    stored.push({ key: name, hash })
    if (name !== key) conflicts.push(key)
  }
  const rest = withoutParts(payload, knownMemories, isSummaryKnown)
  const idempotency_keys = stored.length > 0 ? stored : undefined
  const isAllKnown = holder !== undefined && stored.length === 0 && !hasParts(rest)
  return { payload: isAllKnown ? undefined : { ...rest, idempotency_keys }, holder, conflicts }
}

/** The same by content, for agents that give no key: texts as `memoryText` makes them. */
export function leaveOutKnownMemories(
  payload: CheckpointPayload,
  known: ReadonlyMap<string, Holder>,
): Decision {
  const knownMemories = new Set<number>()
  let holder: Holder | undefined
  for (const [index, { content }] of (payload.memories ?? []).entries()) {
    const earlier = known.get(memoryText(content))
    if (earlier === undefined) continue
    holder ??= earlier
    knownMemories.add(index)
  }
  const rest = withoutParts(payload, knownMemories, false)
  const isAllKnown = holder !== undefined && !hasParts(rest)
  return { payload: isAllKnown ? undefined : rest, holder, conflicts: [] }
}

/** Two memories that say the same have the same text, however they are spaced and capitalised. */
export function memoryText(content: string): string {
  return content.normalize('NFC').replace(/\s+/gu, ' ').trim().toLowerCase()
}

/** The keys a stored checkpoint holds, as far as they can be read. */
function keysOf({ idempotency_keys }: { idempotency_keys?: unknown }): PartKey[] {
  if (!Array.isArray(idempotency_keys)) return []
  return idempotency_keys.filter(
    (key: unknown): key is PartKey =>
      typeof key === 'object' &&
      key !== null &&
      isPlainObject(key) &&
      typeof (key as PartKey).key === 'string' &&
      typeof (key as PartKey).hash === 'string',
  )
}

function longerKey(key: string, hash: string): string {
  return `${key}:${hash.slice(0, HASH_DIGITS)}`
}

function withoutParts(
  payload: CheckpointPayload,
  memories: ReadonlySet<number>,
  isSummaryKnown: boolean,
): CheckpointPayload {
  const left = payload.memories?.filter((_, index) => !memories.has(index))
  return {
    ...payload,
    memories: left?.length === 0 ? undefined : left,
    session_summary: isSummaryKnown ? undefined : payload.session_summary,
  }
}

function hasParts({ memories, session_summary }: CheckpointPayload): boolean {
  return memories !== undefined || session_summary !== undefined
}

// Quotes inside of texts are escaped, so these bytes are nowhere but at a field of that name.
const KEYS_FIELD = Buffer.from('"idempotency_keys":')

/** The keys of all checkpoints of the shard, also of hidden ones. */
export function readKnownParts(log: OpenLog): KnownParts {
  const known = new Map<string, { hash: string; holder: Holder }>()
  for (const { line, decode } of undecodedLines(log)) {
    const bytes = line.bytes.subarray(line.start, line.end)
    if (!bytes.includes(KEYS_FIELD)) continue
    for (const entry of decode()) {
      if (entry.kind !== 'event' || entry.event.type !== 'checkpoint') continue
      const payload = entry.event.payload as Partial<CheckpointPayload> | null
      if (typeof payload?.id !== 'string') continue
      const { byte_offset: byteOffset, length } = entry
      const start = byteOffset - line.byte_offset
      const sha256 = sha256Of(bytes.subarray(start, start + length))
      const holder = { id: payload.id, byteOffset, sha256 }
      for (const { key, hash } of keysOf(payload))
        if (!known.has(key)) known.set(key, { hash, holder })
    }
  }
  return known
}

/** The newest checkpoint of the session, if it was made since then for the same reason. */
export function findRepeated(
  store: StoreContext,
  log: OpenLog,
  { session_key, trigger, cause, last_uuid }: CheckpointPayload,
  sinceMs: number,
): Holder | undefined {
  const newest = readItems(store, log, ignore).findLast(
    (item) => !isTombstone(item) && item.sessionKey === session_key,
  )
  if (newest === undefined || isTombstone(newest) || newest.createdAtMs <= sinceMs) return undefined
  const stored = loadCheckpoint(log, newest)
  const { checkpoint } = stored
  const isSame =
    checkpoint.trigger === trigger &&
    checkpoint.cause === cause &&
    (checkpoint.last_uuid ?? null) === (last_uuid ?? null)
  return isSame ? toHolder(stored) : undefined
}

/** The memories of the visible checkpoints of a project, by their text. */
export function readKnownMemories(
  store: StoreContext,
  log: OpenLog,
  project: string | null,
  options: VisibleOptions,
): ReadonlyMap<string, Holder> {
  const known = new Map<string, Holder>()
  for (const item of visibleItems(readItems(store, log, ignore), options)) {
    if (item.projectNormalized !== project) continue
    const stored = loadCheckpoint(log, item)
    for (const memory of stored.checkpoint.memories ?? []) {
      const isText = typeof memory?.content === 'string'
      if (isText) known.set(memoryText(memory.content), toHolder(stored))
    }
  }
  return known
}

function toHolder({ checkpoint: { id }, byteOffset, sha256 }: StoredCheckpoint): Holder {
  return { id, byteOffset, sha256 }
}
