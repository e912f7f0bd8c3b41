// Makes the answer of a session start fit, as the JSON text it becomes. What matters least goes
// first; recovery has its room set aside and goes last of all. Pure.

import type { Changes, RecentAgent } from './agents.js'
import type { Episode } from './episodes.js'
import type { MemoryItem } from './memories.js'

export interface StartAnswer {
  readonly agentLabel: string
  readonly sessionContext: {
    /** Newest first. */
    readonly recentSessions: readonly Episode[]
    /** The most important first, as all that follow. */
    readonly importantFacts: readonly MemoryItem[]
    readonly activeTasks: readonly MemoryItem[]
    readonly constraints: readonly MemoryItem[]
  }
  /** `null` when there is nothing to go on with. */
  readonly recovery: StartRecovery | null
  readonly recentAgents: readonly RecentAgent[]
  readonly isFirstConnection: boolean
  readonly changesSinceLastSession?: Changes | undefined
  readonly pendingMessages: readonly string[]
  /** How much was left out to make it fit. */
  readonly trimmed: Trimmed
  readonly contextEpoch: number
  /** Where it was asked for and is due: a word to leave a checkpoint. */
  readonly nudge?: string | undefined
}

export interface StartRecovery {
  readonly checkpoint_id: string
  readonly matchedBy: 'session' | 'lineage' | 'project'
  readonly ageMs: number
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

export const NOTHING_TRIMMED: Trimmed = {
  recentAgents: 0,
  changesSinceLastSession: 0,
  recentSessions: 0,
  importantFacts: 0,
  activeTasks: 0,
  constraints: 0,
  pendingMessages: 0,
  recovery: 0,
}

export interface FitOptions {
  /** Of the whole answer. */
  readonly maxChars: number
  /** Of that, what is set aside for the text of recovery. */
  readonly recoveryChars: number
  /** The text of recovery in fewer chars. */
  readonly shortenRecovery: (chars: number) => string
}

type Step = (answer: StartAnswer) => StartAnswer | undefined

const CONTEXT_ORDER = [
  'recentSessions',
  'importantFacts',
  'activeTasks',
  'constraints',
] as const satisfies readonly (keyof StartAnswer['sessionContext'])[]

export function trimToFit(answer: StartAnswer, options: FitOptions): StartAnswer {
  const steps: readonly Step[] = [
    (it) => withoutLast(it, 'recentAgents'),
    withoutChanges,
    ...CONTEXT_ORDER.map((name) => (it: StartAnswer) => withoutLastOf(it, name)),
    (it) => withoutLast(it, 'pendingMessages'),
    (it) => withLessRecovery(it, options.shortenRecovery),
  ]
  let trimmed = answer
  for (const step of steps) {
    for (;;) {
      if (isFitting(trimmed, options)) return trimmed
      const smaller = step(trimmed)
      if (smaller === undefined) break
      trimmed = smaller
    }
  }
  return trimmed
}

function isFitting(answer: StartAnswer, { maxChars, recoveryChars }: FitOptions): boolean {
  const size = JSON.stringify(answer).length
  if (size > maxChars) return false
  const { recovery } = answer
  if (recovery === null || recovery.text === '') return true
  // Set aside in full, however short the text: what else fits must not depend on it.
  const main = size - JSON.stringify(recovery.text).length
  return main <= maxChars - recoveryChars
}

function withoutLast(
  answer: StartAnswer,
  name: 'recentAgents' | 'pendingMessages',
): StartAnswer | undefined {
  if (answer[name].length === 0) return undefined
  return { ...answer, [name]: answer[name].slice(0, -1), trimmed: counted(answer, name, 1) }
}

function withoutLastOf(
  answer: StartAnswer,
  name: (typeof CONTEXT_ORDER)[number],
): StartAnswer | undefined {
  const { sessionContext } = answer
  const items = sessionContext[name]
  if (items.length === 0) return undefined
  return {
    ...answer,
    sessionContext: { ...sessionContext, [name]: items.slice(0, -1) },
    trimmed: counted(answer, name, 1),
  }
}

function withoutChanges(answer: StartAnswer): StartAnswer | undefined {
  const { changesSinceLastSession, ...rest } = answer
  if (changesSinceLastSession === undefined) return undefined
  return { ...rest, trimmed: counted(answer, 'changesSinceLastSession', 1) }
}

function withLessRecovery(
  answer: StartAnswer,
  shortenRecovery: FitOptions['shortenRecovery'],
): StartAnswer | undefined {
  const { recovery } = answer
  if (recovery === null || recovery.text === '') return undefined
  const text = shortenRecovery(Math.floor(recovery.text.length / 2))
  const cut = recovery.text.length - text.length
  return { ...answer, recovery: { ...recovery, text }, trimmed: counted(answer, 'recovery', cut) }
}

function counted({ trimmed }: StartAnswer, name: keyof Trimmed, more: number): Trimmed {
  return { ...trimmed, [name]: trimmed[name] + more }
}
