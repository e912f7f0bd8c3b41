// The memories that agents stored in checkpoints, as the next session gets them. Pure.

import { type CheckpointPayload, memoryText } from '../../store/index.js'
import type { Memory } from './context-input.js'
import { checkpointItemId } from './items.js'
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
  /** Not done, and assigned to another agent. */
  readonly otherTasks: MemoryItem[]
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
  // Stable: of equal importance the newer stays first.
  const sorted = (isWanted: (item: MemoryItem, memory: Memory) => boolean) =>
    found
      .filter(({ item, memory }) => isWanted(item, memory))
      .map(({ item }) => item)
      .sort((one, other) => other.importance - one.importance)
  const isImportant = ({ importance }: MemoryItem) => importance >= IMPORTANCE_LEAST
  return {
    facts: sorted((item) => !OTHER_TYPES.includes(item.memoryType) && isImportant(item)),
    constraints: sorted((item) => item.memoryType === 'constraint' && isImportant(item)),
    tasks: sorted((item, memory) => item.memoryType === 'task' && isFor(memory, agentId)),
    otherTasks: sorted((item, memory) => item.memoryType === 'task' && !isFor(memory, agentId)),
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
    id: checkpointItemId(checkpoint.id, 'memory', String(index)),
    text: content,
    memoryType,
    importance: typeof importance === 'number' ? importance : IMPORTANCE_USUAL,
    ts: checkpoint.created_at,
  }
}

function memoriesOf({ memories }: CheckpointPayload): readonly Memory[] {
  return Array.isArray(memories) ? memories : []
}
