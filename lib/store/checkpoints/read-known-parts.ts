// Which parts of a new checkpoint a shard holds already, read under the lock of the shard.

import type { OpenLog } from '../../log/internal.js'
import { undecodedLines } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { type VisibleOptions, visibleItems } from './find-checkpoints.js'
import { type Holder, type KnownParts, keysOf, memoryText } from './part-keys.js'
import {
  type CheckpointItem,
  ignore,
  isTombstone,
  readItems,
  sha256Of,
  toStored,
} from './read-shard.js'
import type { CheckpointPayload } from './record.js'

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
  for (const item of readItems(store, log, ignore)) {
    if (isTombstone(item)) continue
    if (item.createdAtMs <= sinceMs) return undefined
    const { checkpoint } = item
    if (checkpoint.session_key !== session_key) continue
    const isSame =
      checkpoint.trigger === trigger &&
      checkpoint.cause === cause &&
      (checkpoint.last_uuid ?? null) === (last_uuid ?? null)
    return isSame ? toHolder(log, item) : undefined
  }
  return undefined
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
    const memories = item.checkpoint.memories ?? []
    if (memories.length === 0) continue
    const holder = toHolder(log, item)
    for (const memory of memories) {
      if (typeof memory?.content === 'string') known.set(memoryText(memory.content), holder)
    }
  }
  return known
}

function toHolder(log: OpenLog, item: CheckpointItem): Holder {
  const { checkpoint, byteOffset, sha256 } = toStored(log, item)
  return { id: checkpoint.id, byteOffset, sha256 }
}
