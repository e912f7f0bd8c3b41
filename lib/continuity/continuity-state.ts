// What is gathered about one session between two checkpoints: counters, and the last few prompts,
// queries and remembered texts.
//
// Prompts are kept as they came. They are cut and redacted when a checkpoint is made of them, which
// happens once in ten prompts; recording one costs a few stores.

import { promptOf, textOf } from './activity.js'

export const QUERIES_MAX = 20
export const REMEMBERS_MAX = 10
export const PROMPTS_MAX = 10

export interface ContinuityState {
  readonly sessionKey: string
  readonly agentId: string
  readonly harness: string
  readonly project: string | null
  readonly projectNormalized: string | null
  /** Milliseconds since the epoch, as all times here. */
  readonly startedAt: number
  /** When the last checkpoint was made; before the first, when the session started. */
  readonly lastCheckpointAt: number
  /** Since the last checkpoint. */
  readonly promptCount: number
  /** Since the session started; it never goes back. */
  readonly totalPromptCount: number
  readonly pendingQueries: readonly string[]
  readonly pendingRemembers: readonly string[]
  /** As they were typed, oldest first. */
  readonly recentPrompts: readonly string[]
  /** The last boundary that counts: what was fired before it may fire again. */
  readonly cycle: string | null
  readonly rolling: RollingState
}

/** What was handed out for a checkpoint, and when. */
export interface ConsumedState extends ContinuityState {
  readonly consumedAt: number
}

export interface RollingState {
  /** `totalPromptCount` at the last rolling checkpoint, 0 before the first. */
  readonly totalPromptCount: number
  /** The highest share of the context that fired in this cycle. */
  readonly percent: number | null
}

export const NOTHING_ROLLED: RollingState = { totalPromptCount: 0, percent: null }

/** An event of a transcript, as far as continuity looks at it. */
export interface RecordedEvent {
  readonly type: string
  readonly uuid: string
  readonly payload: unknown
}

/** The state of one session, growing. */
export class GatheredState {
  promptCount: number
  totalPromptCount: number
  lastCheckpointAt: number
  cycle: string | null
  rolling: RollingState
  readonly #start: ContinuityState
  /** The prompt number n of this interval stands at n modulo the length. */
  #prompts: string[] = noPrompts()
  #queries: string[]
  #remembers: string[]

  constructor(start: ContinuityState) {
    this.#start = start
    this.promptCount = start.promptCount
    this.totalPromptCount = start.totalPromptCount
    this.lastCheckpointAt = start.lastCheckpointAt
    this.cycle = start.cycle
    this.rolling = start.rolling
    this.#queries = start.pendingQueries.slice(-QUERIES_MAX)
    this.#remembers = start.pendingRemembers.slice(-REMEMBERS_MAX)
    const prompts = start.recentPrompts.slice(-Math.min(PROMPTS_MAX, start.promptCount))
    const first = start.promptCount - prompts.length
    for (const [index, text] of prompts.entries()) {
      this.#prompts[(first + index) % PROMPTS_MAX] = text
    }
  }

  addPrompt(text: string): void {
    this.#prompts[this.promptCount % PROMPTS_MAX] = text
    this.promptCount++
    this.totalPromptCount++
  }

  addQuery(text: string): void {
    this.#queries.push(text)
    if (this.#queries.length > QUERIES_MAX) this.#queries.shift()
  }

  addRemember(text: string): void {
    this.#remembers.push(text)
    if (this.#remembers.length > REMEMBERS_MAX) this.#remembers.shift()
  }

  /** What an event of the transcript means for continuity; most mean nothing. */
  addEvent({ type, uuid, payload }: RecordedEvent): void {
    if (type === 'user') {
      const prompt = promptOf(payload)
      if (prompt !== undefined) this.addPrompt(prompt)
    } else if (type === 'memory_query') this.addQuery(textOf(payload))
    else if (type === 'remember') this.addRemember(textOf(payload))
    else if (type === 'compaction_boundary') this.startCycle(uuid)
  }

  startCycle(boundaryUuid: string | null): void {
    if (boundaryUuid === this.cycle) return
    this.cycle = boundaryUuid
    this.rolling = { ...this.rolling, percent: null }
  }

  snapshot(): ContinuityState {
    const first = Math.max(0, this.promptCount - PROMPTS_MAX)
    return {
      ...this.#start,
      lastCheckpointAt: this.lastCheckpointAt,
      promptCount: this.promptCount,
      totalPromptCount: this.totalPromptCount,
      pendingQueries: [...this.#queries],
      pendingRemembers: [...this.#remembers],
      recentPrompts: Array.from(
        { length: this.promptCount - first },
        (_, index) => this.#prompts[(first + index) % PROMPTS_MAX]!,
      ),
      cycle: this.cycle,
      rolling: this.rolling,
    }
  }

  /** Hands out what was gathered and begins the next interval; totals and what has fired stay. */
  consume(now: number): ConsumedState {
    const consumed = { ...this.snapshot(), consumedAt: now }
    this.promptCount = 0
    this.lastCheckpointAt = now
    this.#prompts = noPrompts()
    this.#queries = []
    this.#remembers = []
    return consumed
  }
}

function noPrompts(): string[] {
  return new Array<string>(PROMPTS_MAX).fill('')
}
