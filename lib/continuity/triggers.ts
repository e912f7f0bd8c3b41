// When a checkpoint is due. Pure: a state, a moment and the settings in, causes out.
//
// Two kinds. A passive one gathers what was done since the last; prompts and time ask for it. A
// rolling one is a snapshot of the context; its fill level and the turns ask for it.

import type { RollingState } from './continuity-state.js'
import type { ContinuitySettings } from './settings.js'

export type PassiveCause = 'prompt_interval' | 'time_interval'
export type RollingCause = `token_${number}` | 'turn'

export interface Due {
  readonly passive?: PassiveCause | undefined
  readonly rolling?: RollingCause | undefined
}

/** How full the context is. Without it nothing rolling is ever due. */
export interface ContextUse {
  readonly tokens?: number | undefined
  /** The size of the context window; 0 or absent: unknown. */
  readonly maxTokens?: number | undefined
}

interface Counters {
  readonly promptCount: number
  readonly totalPromptCount: number
  readonly lastCheckpointAt: number
  readonly rolling: RollingState
}

const NOTHING: Due = {}

export function dueTriggers(
  state: Counters,
  settings: ContinuitySettings,
  now: number,
  use: ContextUse = {},
): Due {
  if (!settings.enabled) return NOTHING
  const passive = passiveCause(state, settings, now)
  const rolling = rollingCause(state, settings, use)
  if (passive === undefined && rolling === undefined) return NOTHING
  return { passive, rolling }
}

/** A session that said nothing, or was cleared, leaves nothing behind. */
export function isSessionEndDue({ totalPromptCount }: Counters, reason: string): boolean {
  return totalPromptCount > 0 && reason !== 'clear'
}

/** The state after a rolling checkpoint: a lower share that was passed over has fired too. */
export function rolledBy(
  cause: RollingCause,
  totalPromptCount: number,
  { percent }: RollingState,
): RollingState {
  return { totalPromptCount, percent: percentOf(cause) ?? percent }
}

export function percentOf(cause: unknown): number | null {
  const [, digits] = /^token_(\d{1,3})$/.exec(String(cause)) ?? []
  return digits === undefined ? null : Number(digits)
}

function passiveCause(
  { promptCount, lastCheckpointAt }: Counters,
  { promptInterval, timeIntervalMs }: ContinuitySettings,
  now: number,
): PassiveCause | undefined {
  if (promptCount >= promptInterval) return 'prompt_interval'
  return promptCount > 0 && now - lastCheckpointAt >= timeIntervalMs ? 'time_interval' : undefined
}

function rollingCause(
  { totalPromptCount, rolling }: Counters,
  { tokenThresholdPercents, turnThreshold, minTokensForGen }: ContinuitySettings,
  { tokens, maxTokens = 0 }: ContextUse,
): RollingCause | undefined {
  if (tokens === undefined || !(tokens >= minTokensForGen)) return undefined
  const crossed = tokenThresholdPercents.findLast(
    (percent) => maxTokens > 0 && tokens * 100 >= maxTokens * percent,
  )
  if (crossed !== undefined && crossed > (rolling.percent ?? 0)) return `token_${crossed}`
  return totalPromptCount - rolling.totalPromptCount >= turnThreshold ? 'turn' : undefined
}
