// Which checkpoints of a shard are visible, newest first. Caps and retention are rules for reading:
// they remove nothing, and the same bytes show something else at another time. Pure; the caller
// passes the time.

import { withConfig } from '../config.js'
import type { StoreContext } from '../context.js'
import { type CheckpointItem, isTombstone, type ShardItem } from './read-shard.js'

export interface RetentionOptions {
  /**
   * How many of one session are visible, newest first; 1 to 500.
   *
   * @default 50
   */
  maxCheckpointsPerSession?: number | undefined

  /**
   * How many days old they may be; 1 to 90. The newest of a session may be older, and so may
   * those with memories.
   *
   * @default 7
   */
  retentionDays?: number | undefined

  /**
   * Hide also these when they are too old.
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

/** A number outside its range becomes the nearest inside; other values become the default. */
export function retentionRules(options: RetentionOptions = {}): RetentionRules {
  return {
    maxPerSession: clamp(options.maxCheckpointsPerSession, { least: 1, most: 500, usual: 50 }),
    maxAgeMs: clamp(options.retentionDays, { least: 1, most: 90, usual: 7 }) * DAY_MS,
    isStrict: options.strictRetention ?? false,
  }
}

/** The rules for a store: what the caller passes, else its settings. */
export function visibleOptions(store: StoreContext, options: RetentionOptions): VisibleOptions {
  const rules = retentionRules(withConfig(store, 'continuity', options))
  return { rules, now: store.env.now() }
}

export interface VisibleOptions {
  readonly rules: RetentionRules
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** A checkpoint with its place in time. */
export interface RankedItem extends CheckpointItem {
  readonly rankMs: number
}

// Clocks of two computers differ by less.
const AHEAD_MS = 5 * 60 * 1000

/**
 * Takes the items of a shard in the order of the file and returns what is visible, newest first. A
 * tombstone hides what is before it in the file; of a repeated id the last counts; caps count what
 * is not hidden. What an agent learnt does not expire with the digests around it: a checkpoint with
 * memories stays, as the newest of a session does.
 */
export function visibleItems(
  items: readonly ShardItem[],
  { rules, now }: VisibleOptions,
): RankedItem[] {
  const counts = new Map<string, number>()
  return newestFirst(items, now).filter(({ sessionKey, createdAtMs, hasMemories }) => {
    const place = (counts.get(sessionKey) ?? 0) + 1
    counts.set(sessionKey, place)
    const isYoung = now - createdAtMs <= rules.maxAgeMs
    const isKept = !rules.isStrict && (place === 1 || hasMemories)
    return (place <= rules.maxPerSession && isYoung) || isKept
  })
}

/**
 * By time, then by place in the file. A time ahead of the reader's clock counts as the latest one
 * before it in the file, because a wrong clock must not hide what was stored later.
 */
export function newestFirst(items: readonly ShardItem[], now: number): RankedItem[] {
  const ranked = new Map<string, RankedItem>()
  let latestMs = 0
  for (const item of items) {
    if (isTombstone(item)) {
      ranked.delete(item.targetId)
      continue
    }
    const isAhead = item.createdAtMs > now + AHEAD_MS
    if (!isAhead) latestMs = Math.max(latestMs, item.createdAtMs)
    // Deleted first, so that it takes its new place.
    ranked.delete(item.id)
    ranked.set(item.id, { ...item, rankMs: isAhead ? latestMs : item.createdAtMs })
  }
  return [...ranked.values()].reverse().sort((one, other) => other.rankMs - one.rankMs)
}

function clamp(
  value: number | undefined,
  { least, most, usual }: { least: number; most: number; usual: number },
): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return usual
  return Math.min(most, Math.max(least, Math.trunc(value)))
}
