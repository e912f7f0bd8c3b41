// What an agent hands in with its checkpoint, looked at by hand: models send what they like, and
// loading a schema library would cost more than the rest of the call.

import { fieldsOf } from '../chain/index.js'
import { SessionError } from '../errors.js'
import type { CheckpointPayload } from '../store/index.js'

/** As it is stored. Fields beside these are kept. */
export type Memory = NonNullable<CheckpointPayload['memories']>[number]

export const MEMORY_TYPES: readonly string[] = [
  'fact',
  'skill',
  'preference',
  'constraint',
  'task',
  'episodic',
  'correction',
] satisfies readonly Exclude<Memory['memoryType'], undefined>[]

const TEXT_CHARS_MAX = 100_000
const MEMORIES_MAX = 50
const RUN_ID_CHARS_MAX = 200

export function checkSummary(summary: unknown, name: string): asserts summary is string {
  checkText(summary, name)
}

export function checkMemories(memories: unknown): asserts memories is readonly Memory[] {
  if (!Array.isArray(memories)) throw refused('memories is a list')
  if (memories.length > MEMORIES_MAX) {
    throw refused(`memories holds at most ${MEMORIES_MAX}, not ${memories.length}`)
  }
  for (const [index, memory] of memories.entries()) checkMemory(memory, `memories[${index}]`)
}

export function checkRunId(runId: unknown, name: string): asserts runId is string {
  if (typeof runId !== 'string' || runId.trim() === '' || runId.length > RUN_ID_CHARS_MAX) {
    throw refused(`${name} is a text of 1 to ${RUN_ID_CHARS_MAX} chars`)
  }
}

function checkMemory(memory: unknown, place: string): void {
  if (typeof memory !== 'object' || memory === null || Array.isArray(memory)) {
    throw refused(`${place} is an object with its content`)
  }
  const { content, memoryType, importance, confidence, entities } = fieldsOf(memory)
  checkText(content, `${place}.content`)
  if (memoryType !== undefined && !MEMORY_TYPES.includes(String(memoryType))) {
    throw refused(`${place}.memoryType is ${MEMORY_TYPES.join(', ')}, not "${memoryType}"`)
  }
  checkGrade(importance, `${place}.importance`)
  checkGrade(confidence, `${place}.confidence`)
  const isList = Array.isArray(entities) && entities.every((item) => typeof item === 'string')
  if (entities !== undefined && !isList) throw refused(`${place}.entities is a list of texts`)
}

function checkGrade(grade: unknown, place: string): void {
  if (grade === undefined) return
  const isGrade = Number.isInteger(grade) && Number(grade) >= 1 && Number(grade) <= 5
  if (!isGrade) throw refused(`${place} is a whole number from 1 to 5, not ${show(grade)}`)
}

function checkText(text: unknown, place: string): void {
  if (typeof text !== 'string') throw refused(`${place} is a text`)
  if (text.trim() === '') throw refused(`${place} must say something`)
  if (text.length > TEXT_CHARS_MAX) {
    throw refused(`${place} has at most ${TEXT_CHARS_MAX} chars, not ${text.length}`)
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value)
}

function refused(what: string): SessionError {
  return new SessionError('ERR_ARG', what)
}
