// Validates what an agent sends with its checkpoint. By hand: loading a schema library would cost
// more than the rest of the call.

import { fieldsOf } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import type { CheckpointPayload } from '../../store/index.js'

/** As it is stored. Unknown fields are kept. */
export type Memory = NonNullable<CheckpointPayload['memories']>[number]

export const MEMORY_TYPES = [
  'fact',
  'skill',
  'preference',
  'constraint',
  'task',
  'episodic',
  'correction',
] as const satisfies readonly Memory['memoryType'][]

const TEXT_CHARS_MAX = 100_000
const MEMORIES_MAX = 50
const RUN_ID_CHARS_MAX = 200

export function checkMemories(memories: unknown): asserts memories is readonly Memory[] {
  if (!Array.isArray(memories)) throw invalid('memories must be an array')
  if (memories.length > MEMORIES_MAX) {
    throw invalid(`memories has at most ${MEMORIES_MAX} entries, not ${memories.length}`)
  }
  for (const [index, memory] of memories.entries()) checkMemory(memory, `memories[${index}]`)
}

export function checkRunId(runId: unknown, name: string): asserts runId is string {
  if (typeof runId !== 'string' || runId.trim() === '' || runId.length > RUN_ID_CHARS_MAX) {
    throw invalid(`${name} must be a string of 1 to ${RUN_ID_CHARS_MAX} characters`)
  }
}

function checkMemory(memory: unknown, place: string): void {
  if (typeof memory !== 'object' || memory === null || Array.isArray(memory)) {
    throw invalid(`${place} must be an object with a content`)
  }
  const { content, memoryType, importance, confidence, entities } = fieldsOf(memory)
  checkText(content, `${place}.content`)
  if (memoryType !== undefined && !MEMORY_TYPES.some((type) => type === memoryType)) {
    throw invalid(
      `${place}.memoryType must be one of ${MEMORY_TYPES.join(', ')}, not "${memoryType}"`,
    )
  }
  checkGrade(importance, `${place}.importance`)
  checkGrade(confidence, `${place}.confidence`)
  const isList = Array.isArray(entities) && entities.every((item) => typeof item === 'string')
  if (entities !== undefined && !isList)
    throw invalid(`${place}.entities must be an array of strings`)
}

function checkGrade(grade: unknown, place: string): void {
  if (grade === undefined) return
  const isGrade = Number.isInteger(grade) && Number(grade) >= 1 && Number(grade) <= 5
  if (!isGrade) throw invalid(`${place} must be an integer from 1 to 5, not ${show(grade)}`)
}

export function checkText(text: unknown, place: string): asserts text is string {
  if (typeof text !== 'string') throw invalid(`${place} must be a string`)
  if (text.trim() === '') throw invalid(`${place} must not be blank`)
  if (text.length > TEXT_CHARS_MAX) {
    throw invalid(`${place} has at most ${TEXT_CHARS_MAX} characters, not ${text.length}`)
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value)
}

function invalid(what: string): SessionError {
  return new SessionError('ERR_ARG', what)
}
