// Which checkpoints of a shard are shown. Caps and retention are rules for reading: nothing is
// dropped by them, and the same bytes at another time show something else. Pure; the time is given.

import { type CheckpointEntry, isTombstone, type ShardItem } from './checkpoint-items.js'

export interface RetentionOptions {
  /**
   * How many of one session are shown, the newest; 1 to 500.
   *
   * @default 50
   */
  maxCheckpointsPerSession?: number | undefined

  /**
   * How old they may be; 1 to 90. The newest of a session may be older.
   *
   * @default 7
   */
  retentionDays?: number | undefined

  /**
   * Hide also the newest of a session when it is too old.
   *
   * @default false
   */
  strictRetention?: boolean | undefined
}

export interface RetentionRules {
  readonly maxPerSession: number
  readonly maxAgeMs: number
  readonly isStrict: boolean
}

const DAY_MS = 24 * 60 * 60 * 1000

/** A number outside its range counts as the nearest inside; what is no number, as the default. */
export function retentionRules(options: RetentionOptions = {}): RetentionRules {
  return {
    maxPerSession: clamp(options.maxCheckpointsPerSession, { least: 1, most: 500, usual: 50 }),
    maxAgeMs: clamp(options.retentionDays, { least: 1, most: 90, usual: 7 }) * DAY_MS,
    isStrict: options.strictRetention ?? false,
  }
}

export interface VisibleOptions {
  readonly rules: RetentionRules
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Asked of what would be shown: what turns out to be unreadable counts for nothing. */
  readonly isLost?: ((entry: CheckpointEntry) => boolean) | undefined
}

/**
 * Items newest first in, the visible of them out, lazily. A tombstone hides what stands before
 * it in the file; of a repeated id the newest counts; caps count what is not hidden.
 */
export function* visibleEntries(
  items: Iterable<ShardItem>,
  { rules, now, isLost = () => false }: VisibleOptions,
): Generator<CheckpointEntry, void, undefined> {
  const passed = new Set<string>()
  const counts = new Map<string, number>()
  for (const item of items) {
    if (isTombstone(item)) {
      passed.add(item.target_id)
      continue
    }
    if (passed.has(item.id)) continue
    const place = (counts.get(item.session_key) ?? 0) + 1
    const isYoung = now - item.createdAtMs <= rules.maxAgeMs
    const isKept = isYoung || (place === 1 && !rules.isStrict)
    const isShown = place <= rules.maxPerSession && isKept
    if (isShown && isLost(item)) continue
    passed.add(item.id)
    counts.set(item.session_key, place)
    if (isShown) yield item
  }
}

function clamp(
  value: number | undefined,
  { least, most, usual }: { least: number; most: number; usual: number },
): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return usual
  return Math.min(most, Math.max(least, Math.trunc(value)))
}
