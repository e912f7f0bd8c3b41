// The answer of a session start, and how it is made to fit as JSON text: the least important
// section is shortened first, the text of recovery last. Pure.

import type { Episode } from '../checkpoints/episodes.js'
import type { MemoryItem } from '../checkpoints/memories.js'
import type { Changes, RecentAgent } from './agents.js'

/** What a session start returns to a harness. */
export interface StartAnswer {
  readonly agentLabel: string
  readonly sessionContext: {
    /** Newest first. */
    readonly recentSessions: readonly Episode[]
    /** Most important first, like the following lists. */
    readonly importantFacts: readonly MemoryItem[]
    readonly activeTasks: readonly MemoryItem[]
    readonly constraints: readonly MemoryItem[]
  }
  /** `null` when there is nothing to recover. */
  readonly recovery: StartRecovery | null
  readonly recentAgents: readonly RecentAgent[]
  /** The store has no earlier session of this agent. The name is that of the original specification. */
  readonly isFirstConnection: boolean
  readonly changesSinceLastSession?: Changes | undefined
  readonly pendingMessages: readonly string[]
  /** Open tasks that are assigned to other agents. */
  readonly otherOpenTaskCount: number
  /** How much was left out to make the answer fit. */
  readonly trimmed: Trimmed
  readonly contextEpoch: number
  /** A suggestion to store a checkpoint, where one was asked for and is due. */
  readonly nudge?: string | undefined
}

export interface StartRecovery {
  readonly checkpointId: string
  readonly matchedBy: 'session' | 'lineage' | 'project'
  readonly ageMs: number
  /** It names the checkpoints and transcripts it is from. */
  readonly text: string
}

export interface Trimmed {
  readonly recentAgents: number
  readonly changesSinceLastSession: number
  readonly recentSessions: number
  readonly importantFacts: number
  readonly activeTasks: number
  readonly constraints: number
  readonly pendingMessages: number
  /** Chars. */
  readonly recovery: number
}

export interface FitOptions {
  /** Of the whole answer. */
  readonly maxChars: number
  /** Of that, the part reserved for the text of recovery. */
  readonly recoveryChars: number
  /** The text of recovery in at most `chars` chars. */
  readonly shortenRecovery: (chars: number) => string
}

/** What is left out first comes first. */
const SECTIONS = [
  'recentAgents',
  'changesSinceLastSession',
  'recentSessions',
  'importantFacts',
  'activeTasks',
  'constraints',
  'pendingMessages',
  'recovery',
] as const satisfies readonly (keyof Trimmed)[]

export const NOTHING_TRIMMED = Object.fromEntries(
  SECTIONS.map((name) => [name, 0]),
) as unknown as Trimmed

export function trimToFit(answer: StartAnswer, options: FitOptions): StartAnswer {
  let trimmed = answer
  for (const name of SECTIONS) {
    while (!fits(trimmed, options)) {
      const shrunk = shrink(trimmed, name, options)
      if (shrunk === undefined) break
      const [fields, leftOut] = shrunk
      const counts = { ...trimmed.trimmed, [name]: trimmed.trimmed[name] + leftOut }
      trimmed = { ...trimmed, ...fields, trimmed: counts }
    }
  }
  return trimmed
}

function fits(answer: StartAnswer, { maxChars, recoveryChars }: FitOptions): boolean {
  const size = JSON.stringify(answer).length
  if (size > maxChars) return false
  const text = answer.recovery?.text ?? ''
  // Reserved in full, however short the text: what else fits must not depend on it.
  return text === '' || size - JSON.stringify(text).length <= maxChars - recoveryChars
}

/** The fields of a smaller answer and how much they leave out; `undefined` for an empty section. */
function shrink(
  answer: StartAnswer,
  name: keyof Trimmed,
  { shortenRecovery }: FitOptions,
): readonly [fields: Partial<StartAnswer>, leftOut: number] | undefined {
  const { recovery, sessionContext, changesSinceLastSession } = answer
  if (name === 'recovery') {
    if (recovery === null || recovery.text === '') return undefined
    const text = shortenRecovery(Math.floor(recovery.text.length / 2))
    return [{ recovery: { ...recovery, text } }, recovery.text.length - text.length]
  }
  if (name === 'changesSinceLastSession') {
    return changesSinceLastSession && [{ changesSinceLastSession: undefined }, 1]
  }
  if (name === 'recentAgents' || name === 'pendingMessages') {
    const items = answer[name]
    return items.length === 0 ? undefined : [{ [name]: items.slice(0, -1) }, 1]
  }
  const items = sessionContext[name]
  if (items.length === 0) return undefined
  return [{ sessionContext: { ...sessionContext, [name]: items.slice(0, -1) } }, 1]
}
