// When a checkpoint is due. Pure.
//
// There are two kinds. A passive checkpoint contains what was done since the last one, and is due by
// prompts or time. A rolling one is a snapshot of the context, and is due by its size or by turns.

import type { ContinuitySettings } from '../settings.js'
import type { RollingState } from './continuity.js'

export type PassiveCause = 'prompt_interval' | 'time_interval'
export type RollingCause = `token_${number}` | 'turn'

export interface Due {
  readonly passive?: PassiveCause | undefined
  readonly rolling?: RollingCause | undefined
}

/** How full the context is. Without it no rolling checkpoint is due. */
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

/** Not for a session without a prompt, nor for one that was cleared. */
export function isSessionEndDue({ totalPromptCount }: Counters, reason: string): boolean {
  return totalPromptCount > 0 && reason !== 'clear'
}

/** The state after a rolling checkpoint: lower thresholds count as reached as well. */
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
