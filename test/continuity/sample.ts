// A session to try things on: its state, a clock that is set by hand, and records by number.

import type { ConsumedState } from '../../lib/continuity/index.js'
import {
  type CheckpointRecord,
  type Continuity,
  createContinuity,
} from '../../lib/continuity/index.js'
import { id, time } from '../helpers/lines.js'

export const START = Date.parse(time(0))

export class Clock {
  ms = START
  readonly now = () => this.ms

  pass(ms: number): void {
    this.ms += ms
  }
}

export function started(options: Parameters<typeof createContinuity>[0] = {}): {
  continuity: Continuity
  clock: Clock
} {
  const clock = new Clock()
  const continuity = createContinuity({ environment: clock, ...options })
  continuity.initContinuity({ sessionKey: 's', harness: 'test' })
  return { continuity, clock }
}

export function prompts(continuity: Continuity, count: number, session = 's'): void {
  for (let number = 1; number <= count; number++) {
    continuity.recordPrompt(session, `prompt ${number}`)
  }
}

export function stateOf(changes: Partial<ConsumedState> = {}): ConsumedState {
  return {
    sessionKey: 's',
    agentId: 'default',
    harness: 'test',
    project: '/work/app',
    projectNormalized: '/work/app',
    startedAt: START,
    lastCheckpointAt: START,
    consumedAt: START + 5 * 60_000,
    promptCount: 0,
    totalPromptCount: 0,
    pendingQueries: [],
    pendingRemembers: [],
    recentPrompts: [],
    cycle: null,
    rolling: { totalPromptCount: 0, percent: null },
    ...changes,
  }
}

export function record(number: number, changes: Partial<CheckpointRecord> = {}): CheckpointRecord {
  return {
    id: id(number),
    session_key: 's',
    project_normalized: '/work/app',
    created_at: time(number),
    trigger: 'periodic',
    cause: 'prompt_interval',
    agent_id: 'default',
    harness: 'test',
    project: '/work/app',
    digest: `digest ${number}`,
    prompt_count: 1,
    total_prompt_count: number,
    memory_queries: [],
    recent_remembers: [],
    prompt_snippets: [],
    transcript_offset: number,
    last_uuid: null,
    cycle: null,
    rolling: { total_prompt_count: 0, percent: null },
    ...changes,
  }
}
