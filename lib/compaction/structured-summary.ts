// A summary as data, and back: what summarizers are asked to write under headings, and what
// checkpoints keep.

import { fieldsOf } from '../chain/index.js'

export interface StructuredSummary {
  readonly summary: string
  readonly topics: readonly string[]
  readonly keyDecisions: readonly string[]
  readonly openQuestions: readonly string[]
  readonly nextSteps: readonly string[]
}

const HEADING = /^#{1,4}\s+(.+?)\s*:?\s*$/

const FIELD_BY_HEADING: ReadonlyMap<string, keyof StructuredSummary> = new Map([
  ['state', 'summary'],
  ['summary', 'summary'],
  ['topics', 'topics'],
  ['decisions', 'keyDecisions'],
  ['key decisions', 'keyDecisions'],
  ['open questions', 'openQuestions'],
  ['next steps', 'nextSteps'],
])

/** `undefined` where the text is not laid out as it was asked for. */
export function readStructured(text: string): StructuredSummary | undefined {
  const lines: Record<keyof StructuredSummary, string[]> = {
    summary: [],
    topics: [],
    keyDecisions: [],
    openQuestions: [],
    nextSteps: [],
  }
  let field: keyof StructuredSummary = 'summary'
  let isLaidOut = false
  for (const line of text.split('\n')) {
    const heading = HEADING.exec(line)?.[1]?.toLowerCase()
    const known = FIELD_BY_HEADING.get(heading ?? '')
    if (known !== undefined) isLaidOut = true
    // What stands under a heading of its own belongs to the whole.
    field = heading === undefined ? field : (known ?? 'summary')
    if (known === undefined) lines[field].push(line)
  }
  if (!isLaidOut) return undefined
  return {
    summary: lines.summary.join('\n').trim(),
    topics: itemsOf(lines.topics),
    keyDecisions: itemsOf(lines.keyDecisions),
    openQuestions: itemsOf(lines.openQuestions),
    nextSteps: itemsOf(lines.nextSteps),
  }
}

/** The text of what a checkpoint keeps, whoever made it; empty where it has no summary. */
export function textOfStructured(structured: unknown): string {
  const fields = fieldsOf(structured)
  const { summary } = fields
  if (typeof summary !== 'string' || summary.trim() === '') return ''
  const topics = stringsOf(fields['topics'])
  return [
    summary.trim(),
    ...(topics.length === 0 ? [] : [`Topics: ${topics.join(', ')}`]),
    ...listOf('Key decisions', fields['keyDecisions']),
    ...listOf('Open questions', fields['openQuestions']),
    ...listOf('Next steps', fields['nextSteps']),
  ].join('\n\n')
}

function listOf(title: string, value: unknown): string[] {
  const items = stringsOf(value)
  return items.length === 0 ? [] : [`${title}:\n${items.map((item) => `- ${item}`).join('\n')}`]
}

function itemsOf(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim()).filter(Boolean)
}

function stringsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return value.filter((item): item is string => typeof item === 'string' && item.trim() !== '')
}
