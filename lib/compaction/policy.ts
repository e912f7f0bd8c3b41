// When to compact and how much to keep: the host's options, completed with defaults.

import { SessionError } from '../errors.js'

export interface CompactionPolicy {
  /**
   * The context window of the model; 0: never by tokens. Compaction is due at `maxTokens` less
   * `reserveTokens`: at 4000 tokens for a window of 8000, at 170000 for one of 200000.
   *
   * @default 0
   */
  maxTokens?: number | undefined
  /**
   * Tokens reserved for the reply. At most half of `maxTokens`, which counts for windows below 60000.
   *
   * @default 30000
   */
  reserveTokens?: number | undefined
  /**
   * Compact when there are more messages; 0: never by their number.
   *
   * @default 0
   */
  maxMessages?: number | undefined
  /**
   * The share of the messages that stays. Chat-like agents do better with 30 to 50.
   *
   * @default 10
   */
  keepPercent?: number | undefined
  /**
   * The share that stays when there is no summary.
   *
   * @default 20
   */
  emergencyKeepPercent?: number | undefined
  /** @default 5 */
  minKeepMessages?: number | undefined
  /**
   * Take the summary of a recent checkpoint that covers what goes, instead of asking for one.
   *
   * @default true
   */
  preferCheckpoint?: boolean | undefined
  /**
   * After this many failures in a row the first summarizer is skipped.
   *
   * @default 3
   */
  failureThreshold?: number | undefined
  /**
   * After how many minutes it is tried again.
   *
   * @default 30
   */
  resetMinutes?: number | undefined
  /**
   * How often `startRetryLoop` looks for incomplete summaries; 0: never.
   *
   * @default 60
   */
  retryIntervalSeconds?: number | undefined
  /** @default 600000 */
  summarizerTimeoutMs?: number | undefined
  /**
   * The size a summary should have.
   *
   * @default 2000
   */
  summaryMaxTokens?: number | undefined
  /**
   * How much a summarizer should send to its model. This fits a model of 131072 tokens even if
   * the estimate is a quarter too low.
   *
   * @default 100000
   */
  maxInputTokens?: number | undefined
}

export type CompactionSettings = {
  readonly [Key in keyof CompactionPolicy]-?: NonNullable<CompactionPolicy[Key]>
}

const DEFAULTS: CompactionSettings = {
  maxTokens: 0,
  reserveTokens: 30_000,
  maxMessages: 0,
  keepPercent: 10,
  emergencyKeepPercent: 20,
  minKeepMessages: 5,
  preferCheckpoint: true,
  failureThreshold: 3,
  resetMinutes: 30,
  retryIntervalSeconds: 60,
  summarizerTimeoutMs: 600_000,
  summaryMaxTokens: 2000,
  maxInputTokens: 100_000,
}

export function policySettings(policy: CompactionPolicy = {}): CompactionSettings {
  const given = Object.fromEntries(
    Object.keys(DEFAULTS)
      .map((key) => [key, policy[key as keyof CompactionPolicy]] as const)
      .filter(([, value]) => value !== undefined),
  )
  for (const [key, value] of Object.entries(given)) check(key, value)
  const settings: CompactionSettings = { ...DEFAULTS, ...given }
  const { maxTokens, reserveTokens, maxMessages, minKeepMessages } = settings
  return {
    ...settings,
    reserveTokens: Math.min(reserveTokens, maxTokens / 2),
    // More would leave too many messages after every compaction.
    minKeepMessages:
      maxMessages > 0 ? Math.min(minKeepMessages, Math.floor(maxMessages / 2)) : minKeepMessages,
  }
}

/** Compaction is due from this many tokens on; infinite where tokens do not count. */
export function tokenLimit({ maxTokens, reserveTokens }: CompactionSettings): number {
  return maxTokens > 0 ? maxTokens - reserveTokens : Number.POSITIVE_INFINITY
}

/** Why compaction is due, if it is. */
export function shouldCompact(
  { tokens, messages }: { readonly tokens: number; readonly messages: number },
  policy: CompactionPolicy = {},
): 'tokens' | 'messages' | undefined {
  const settings = policySettings(policy)
  if (tokens >= tokenLimit(settings)) return 'tokens'
  return settings.maxMessages > 0 && messages > settings.maxMessages ? 'messages' : undefined
}

function check(key: string, value: unknown): void {
  const kind = typeof DEFAULTS[key as keyof CompactionSettings]
  if (typeof value !== kind) throw new TypeError(`${key} must be a ${kind}`)
  if (typeof value !== 'number') return
  const most = key.endsWith('Percent') ? 100 : Number.MAX_SAFE_INTEGER
  if (value >= 0 && value <= most) return
  throw new SessionError('ERR_ARG', `${key} must be from 0 to ${most}, not ${value}`, { key })
}
