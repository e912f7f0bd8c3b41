// The text of a checkpoint, in the formats of docs/CONTINUITY.md, byte for byte. The input is redacted
// already, except the project, which is never redacted.

import { clip, oneLine } from '../../format/index.js'

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
  /** The most used references of the host's memory. */
  readonly topReferences?: readonly string[] | undefined
}

/** The answer of a summarizer. */
export interface StructuredSummary {
  readonly summary: string
  readonly topics: readonly string[]
  readonly keyDecisions: readonly string[]
  readonly openQuestions: readonly string[]
}

interface Layout {
  readonly title: string
  readonly activityTitle: string
  readonly counts: (facts: DigestFacts, duration: string) => string
}

const PERIODIC: Layout = {
  title: 'Session Checkpoint',
  activityTitle: 'Memory Activity Since Last Checkpoint',
  counts: ({ promptCount }, duration) => `Prompts: ${promptCount} | Duration: ${duration}`,
}

const LAYOUTS: Readonly<Record<string, Layout>> = {
  pre_compaction: {
    title: 'Pre-Compaction Checkpoint',
    activityTitle: 'Memory Activity',
    counts: ({ promptCount }, duration) => `Duration: ${duration} | Prompts: ${promptCount}`,
  },
  session_end: {
    ...PERIODIC,
    title: 'Session End Checkpoint',
    counts: ({ totalPromptCount }, duration) =>
      `Total Prompts: ${totalPromptCount} | Duration: ${duration}`,
  },
}

/** The text of what was gathered, by the trigger of the checkpoint. */
export function gatheredDigest(trigger: string, facts: DigestFacts, sessionContext = ''): string {
  const { title, activityTitle, counts } = LAYOUTS[trigger] ?? PERIODIC
  const lines = [`## ${title}`, projectLine(facts.project), counts(facts, toDuration(facts))]
  const context = sessionContext.trim()
  if (context !== '') lines.push('', '### Session Context', context)
  if (facts.snippets.length > 0) lines.push('', '### Recent Prompts', ...bullets(facts.snippets))
  const activity = activityLines(facts)
  if (activity.length > 0) lines.push('', `### ${activityTitle}`, ...activity)
  return lines.join('\n')
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

function projectLine(project: string | null): string {
  // The name of a folder may contain newlines.
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

function toDuration({ durationMs }: DigestFacts): string {
  // A clock may be set back.
  const minutes = Math.max(0, Math.floor(durationMs / MINUTE_MS))
  if (minutes < 60) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`
}
