// What a shard holds already of the parts that somebody wants to store, as it is under its lock.

import type { OpenLog } from '../log/inside.js'
import { walkLines } from '../log/inside.js'
import { isTombstone, itemsFromEnd } from './checkpoint-items.js'
import { type Holder, type KnownParts, keysOf, memoryText } from './checkpoint-keys.js'
import { loadCheckpoint, sha256Of } from './checkpoint-load.js'
import type { CheckpointPayload } from './checkpoint-record.js'
import { type VisibleOptions, visibleEntries } from './checkpoint-visible.js'

// Quotes inside of texts are escaped, so these bytes stand nowhere but at a field of that name.
const KEYS_FIELD = Buffer.from('"idempotency_keys":')

/** The keys of all checkpoints of the shard, also of those that nobody is shown any more. */
export function readKnownParts(log: OpenLog): KnownParts {
  const known = new Map<string, { hash: string; holder: Holder }>()
  for (const { line, decode } of walkLines(log)) {
    const bytes = line.bytes.subarray(line.start, line.end)
    if (!bytes.includes(KEYS_FIELD)) continue
    for (const entry of decode()) {
      if (entry.kind !== 'event' || entry.event.type !== 'checkpoint') continue
      const payload = entry.event.payload as Partial<CheckpointPayload> | null
      if (typeof payload?.id !== 'string') continue
      const { byte_offset, length } = entry
      const start = byte_offset - line.byte_offset
      const sha256 = sha256Of(bytes.subarray(start, start + length))
      const holder = { id: payload.id, byte_offset, sha256 }
      for (const { key, hash } of keysOf(payload))
        if (!known.has(key)) known.set(key, { hash, holder })
    }
  }
  return known
}

/** The newest checkpoint of the session, if it was made since then for what this one is made for. */
export function findRepeated(
  log: OpenLog,
  { session_key, trigger, cause, last_uuid }: CheckpointPayload,
  sinceMs: number,
): Holder | undefined {
  const ignore = () => {}
  for (const item of itemsFromEnd(log, ignore)) {
    if (isTombstone(item)) continue
    if (item.createdAtMs <= sinceMs) return undefined
    if (item.session_key !== session_key) continue
    const loaded = loadCheckpoint(log, item, ignore)
    if (loaded === undefined) return undefined
    const { checkpoint, byte_offset, sha256 } = loaded
    const isSame =
      checkpoint.trigger === trigger &&
      checkpoint.cause === cause &&
      (checkpoint.last_uuid ?? null) === (last_uuid ?? null)
    return isSame ? { id: checkpoint.id, byte_offset, sha256 } : undefined
  }
  return undefined
}

/** The memories of the visible checkpoints of a project, by what they say. */
export function readKnownMemories(
  log: OpenLog,
  project: string | null,
  options: VisibleOptions,
): ReadonlyMap<string, Holder> {
  const known = new Map<string, Holder>()
  const ignore = () => {}
  for (const entry of visibleEntries(itemsFromEnd(log, ignore), options)) {
    if (entry.project_normalized !== project) continue
    const loaded = loadCheckpoint(log, entry, ignore)
    for (const memory of loaded?.checkpoint.memories ?? []) {
      const { byte_offset, sha256 } = loaded!
      if (typeof memory?.content !== 'string') continue
      known.set(memoryText(memory.content), { id: entry.id, byte_offset, sha256 })
    }
  }
  return known
}
