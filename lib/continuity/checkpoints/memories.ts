// The memories that agents stored in checkpoints, as the next session gets them. Pure.

import { type CheckpointPayload, memoryText } from '../../store/index.js'
import type { Memory } from './context-input.js'
import { memoryItemId } from './items.js'
import { keyOfMemory } from './part-keys.js'

export interface MemoryItem {
  /** For `readItem`. */
  readonly id: string
  readonly text: string
  readonly memoryType: string
  readonly importance: number
  readonly ts: string
}

export interface Remembered {
  /** Of importance 3 and above; most important first, then newest. */
  readonly facts: MemoryItem[]
  readonly constraints: MemoryItem[]
  /** Not done, and assigned to this agent or to no agent. */
  readonly tasks: MemoryItem[]
}

// For a memory without a grade.
const IMPORTANCE_USUAL = 3
const IMPORTANCE_LEAST = 3
const DONE: readonly unknown[] = ['done', 'completed', 'closed', 'cancelled']
const UNASSIGNED: readonly unknown[] = [undefined, null, '', 'any']
/** Every other type counts as a fact. */
const OTHER_TYPES: readonly string[] = ['task', 'constraint', 'episodic']

/** Takes checkpoints newest first; of repeated memories the newest counts. */
export function rememberedIn(
  checkpoints: readonly CheckpointPayload[],
  agentId: string,
): Remembered {
  const found = newestOfEach(checkpoints).filter(({ memory }) => !isDone(memory))
  const ofType = (isWanted: (type: string) => boolean) =>
    found.filter(({ item }) => isWanted(item.memoryType)).map(({ item }) => item)
  const isImportant = ({ importance }: MemoryItem) => importance >= IMPORTANCE_LEAST
  const tasks = found.filter(
    ({ memory, item }) => item.memoryType === 'task' && isFor(memory, agentId),
  )
  return {
    facts: sorted(ofType((type) => !OTHER_TYPES.includes(type)).filter(isImportant)),
    constraints: sorted(ofType((type) => type === 'constraint').filter(isImportant)),
    tasks: sorted(tasks.map(({ item }) => item)),
  }
}

export function isDone(memory: Memory): boolean {
  return memory['done'] === true || DONE.includes(memory['status'])
}

function isFor(memory: Memory, agentId: string): boolean {
  const { assignedTo } = memory as { assignedTo?: unknown }
  return UNASSIGNED.includes(assignedTo) || assignedTo === agentId
}

function newestOfEach(checkpoints: readonly CheckpointPayload[]) {
  const seen = new Set<string>()
  const found: { memory: Memory; item: MemoryItem }[] = []
  for (const checkpoint of checkpoints) {
    for (const [index, memory] of [...memoriesOf(checkpoint).entries()].reverse()) {
      if (typeof memory?.content !== 'string') continue
      const key = keyOfMemory(checkpoint, memory)
      const names = [`text:${memoryText(memory.content)}`, ...(key === undefined ? [] : [key])]
      const isKnown = names.some((name) => seen.has(name))
      for (const name of names) seen.add(name)
      if (!isKnown) found.push({ memory, item: itemOf(checkpoint, memory, index) })
    }
  }
  return found
}

function itemOf(checkpoint: CheckpointPayload, memory: Memory, index: number): MemoryItem {
  const { content, memoryType = 'fact', importance } = memory
  return {
    id: memoryItemId(checkpoint.id, index),
    text: content,
    memoryType,
    importance: typeof importance === 'number' ? importance : IMPORTANCE_USUAL,
    ts: checkpoint.created_at,
  }
}

/** Stable: of equal importance the newer stays first. */
function sorted(items: readonly MemoryItem[]): MemoryItem[] {
  return items.toSorted((one, other) => other.importance - one.importance)
}

function memoriesOf({ memories }: CheckpointPayload): readonly Memory[] {
  return Array.isArray(memories) ? memories : []
}
