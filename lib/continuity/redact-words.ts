// Redacts the texts of checkpoints, on their way into the store and out of it.

import { redactText } from '../redaction/index.js'
import type { CheckpointPayload } from '../store/index.js'

/** Replaces secrets in a text. Must be idempotent. */
export type RedactText = (text: string) => string

export const redactByDefault: RedactText = (text) => redactText(text)

// The fields that hold text; ids, paths, hashes and times are never redacted.
const WORDS = [
  'digest',
  'memory_queries',
  'recent_remembers',
  'prompt_snippets',
  'structured',
  'session_summary',
  'memories',
] as const satisfies readonly (keyof CheckpointPayload)[]

type CheckpointWords = Pick<CheckpointPayload, (typeof WORDS)[number]>

// Compared by programs.
const NAMES_INSIDE: readonly string[] = ['memoryType', 'model', 'id']

export function redactWords<Words extends Partial<CheckpointWords>>(
  words: Words,
  redact: RedactText = redactByDefault,
): Words {
  const redacted = Object.entries(words).map(([name, value]) => [
    name,
    WORDS.some((word) => word === name) ? redactTexts(value, redact) : value,
  ])
  return Object.fromEntries(redacted) as Words
}

function redactTexts(value: unknown, redact: RedactText): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item) => redactTexts(item, redact))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [
    name,
    NAMES_INSIDE.includes(name) ? member : redactTexts(member, redact),
  ])
  return Object.fromEntries(members)
}
