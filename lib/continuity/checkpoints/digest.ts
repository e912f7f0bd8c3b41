// The text of a checkpoint, in the formats of docs/CONTINUITY.md, byte for byte. The input is redacted
// already, except the project, which is never redacted.

import type { StructuredSummary as WholeSummary } from '../../compaction/index.js'
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
export type StructuredSummary = Omit<WholeSummary, 'nextSteps'> & {
  readonly nextSteps?: readonly string[] | undefined
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
  const bullets = facts.snippets.map((text) => `- ${oneLine(text)}`)
  if (bullets.length > 0) lines.push('', '### Recent Prompts', ...bullets)
  const activity = activityLines(facts)
  if (activity.length > 0) lines.push('', `### ${activityTitle}`, ...activity)
  return lines.join('\n')
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

function toDuration({ durationMs }: DigestFacts): string {
  // A clock may be set back.
  const minutes = Math.max(0, Math.floor(durationMs / MINUTE_MS))
  if (minutes < 60) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`
}
