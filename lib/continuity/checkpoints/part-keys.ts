// Keys for the parts of an agent's checkpoint, by which a part that is sent again is recognized.

import { createHash } from 'node:crypto'
import { fieldsOf } from '../../chain/index.js'
import type { CheckpointPayload, PartKey } from '../../store/index.js'
import type { Memory } from './context-input.js'

const HASH_DIGITS = 8

/** Of the content as it is stored: a changed field makes another content. */
export function partHash(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}

export function summaryKey(runId: string, content: unknown): PartKey {
  return { key: `checkpoint:${runId}:summary`, hash: partHash(content) }
}

export function memoryKeys(runId: string, memories: readonly Memory[]): PartKey[] {
  return memories.map((memory, index) => ({
    key: `checkpoint:${runId}:${index}`,
    hash: partHash(memory),
    memory: index,
  }))
}

/** The keys of a stored checkpoint that were known with other content. */
export function conflictsIn(stored: CheckpointPayload, keys: readonly PartKey[]): string[] {
  const names = new Set(storedKeys(stored).map(({ key }) => key))
  return keys.filter(({ key, hash }) => names.has(withHash(key, hash))).map(({ key }) => key)
}

/** The key of a stored memory, without the suffix of a conflict. */
export function keyOfMemory(stored: CheckpointPayload, memory: Memory): string | undefined {
  const keys = storedKeys(stored)
  if (keys.length === 0) return undefined
  const hash = partHash(memory)
  const found = keys.find((it) => it.hash === hash)
  const suffix = `:${hash.slice(0, HASH_DIGITS)}`
  return found?.key.endsWith(suffix) === true ? found.key.slice(0, -suffix.length) : found?.key
}

function withHash(key: string, hash: string): string {
  return `${key}:${hash.slice(0, HASH_DIGITS)}`
}

/** Records come from files: invalid keys are ignored. */
function storedKeys({ idempotency_keys }: CheckpointPayload): { key: string; hash: string }[] {
  const keys: readonly unknown[] = Array.isArray(idempotency_keys) ? idempotency_keys : []
  return keys.flatMap((it) => {
    const { key, hash } = fieldsOf(it)
    return typeof key === 'string' && typeof hash === 'string' ? [{ key, hash }] : []
  })
}
