// Which parts of a checkpoint are stored already. An agent that was cut off sends its checkpoint
// again; whatever has arrived before is left out, and what arrives changed is kept beside it.
// Pure: it decides on what others have read.

import { isPlainObject } from '../../format/index.js'
import type { CheckpointPayload } from './record.js'

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
export function keysOf({ idempotency_keys }: { idempotency_keys?: unknown }): PartKey[] {
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
