// A checkpoint in words, for whoever goes on: the formats of docs/CONTINUITY.md, byte for byte.
//
// What is put in is redacted already; the project is not, and passes through as it is.

import { clip, oneLine } from './clip.js'

const REMEMBERED_CHARS_MAX = 120
const MINUTE_MS = 60_000

export interface DigestFacts {
  readonly project: string | null
  /** Of this interval. */
  readonly promptCount: number
  readonly totalPromptCount: number
  /** Since the session started. */
  readonly durationMs: number
  readonly snippets: readonly string[]
  readonly queries: readonly string[]
  readonly remembers: readonly string[]
  /** What the host's memory was asked for most. */
  readonly topReferences?: readonly string[] | undefined
}

/** What a summarizer made of a session. */
export interface StructuredSummary {
  readonly summary: string
  readonly topics: readonly string[]
  readonly keyDecisions: readonly string[]
  readonly openQuestions: readonly string[]
}

export function periodicDigest(facts: DigestFacts): string {
  const { promptCount } = facts
  return digest(facts, {
    title: 'Session Checkpoint',
    counts: `Prompts: ${promptCount} | Duration: ${durationOf(facts)}`,
    activityTitle: 'Memory Activity Since Last Checkpoint',
  })
}

export function preCompactionDigest(facts: DigestFacts, sessionContext?: string): string {
  const { promptCount } = facts
  return digest(facts, {
    title: 'Pre-Compaction Checkpoint',
    counts: `Duration: ${durationOf(facts)} | Prompts: ${promptCount}`,
    sessionContext,
    activityTitle: 'Memory Activity',
  })
}

export function sessionEndDigest(facts: DigestFacts): string {
  const { totalPromptCount } = facts
  return digest(facts, {
    title: 'Session End Checkpoint',
    counts: `Total Prompts: ${totalPromptCount} | Duration: ${durationOf(facts)}`,
    activityTitle: 'Memory Activity Since Last Checkpoint',
  })
}

export function structuredDigest(structured: StructuredSummary): string {
  const { summary, topics, keyDecisions, openQuestions } = structured
  const blocks = [summary.trim()]
  if (topics.length > 0) blocks.push(`Topics: ${topics.map(oneLine).join(', ')}`)
  if (keyDecisions.length > 0) blocks.push(['Key decisions:', ...bullets(keyDecisions)].join('\n'))
  if (openQuestions.length > 0)
    blocks.push(['Open questions:', ...bullets(openQuestions)].join('\n'))
  return blocks.join('\n\n')
}

interface Shape {
  readonly title: string
  readonly counts: string
  readonly sessionContext?: string | undefined
  readonly activityTitle: string
}

function digest(
  facts: DigestFacts,
  { title, counts, sessionContext, activityTitle }: Shape,
): string {
  const lines = [`## ${title}`, projectLine(facts.project), counts]
  const context = sessionContext?.trim() ?? ''
  if (context !== '') lines.push('', '### Session Context', context)
  if (facts.snippets.length > 0) lines.push('', '### Recent Prompts', ...bullets(facts.snippets))
  const activity = activityLines(facts)
  if (activity.length > 0) lines.push('', `### ${activityTitle}`, ...activity)
  return lines.join('\n')
}

function projectLine(project: string | null): string {
  // A folder may be called anything, but it is one line here.
  return `Project: ${project?.replace(/[\r\n\u0085\u2028\u2029]/gu, ' ') ?? 'unknown'}`
}

function activityLines({ queries, remembers, topReferences = [] }: DigestFacts): string[] {
  const remembered = remembers.map((text) => clip(oneLine(text), REMEMBERED_CHARS_MAX))
  const lines: string[] = []
  if (queries.length > 0) lines.push(`Queries: ${queries.join(', ')}`)
  if (remembered.length > 0) lines.push(`Remembered: ${remembered.join('; ')}`)
  if (topReferences.length > 0)
    lines.push(`Top references: ${topReferences.map(oneLine).join(', ')}`)
  return lines
}

function bullets(texts: readonly string[]): string[] {
  return texts.map((text) => `- ${oneLine(text)}`)
}

function durationOf({ durationMs }: DigestFacts): string {
  // A clock that was set back makes no time, not negative time.
  const minutes = Math.max(0, Math.floor(durationMs / MINUTE_MS))
  if (minutes < 60) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`
}
