// Checkpoints as summaries. One may replace what a compaction removes only if it was made in the same
// cycle and after all of it.

import type { Context } from './context.js'
import { type CompactionPlan, findPlan, type PlanOptions } from './plan.js'
import { textOfStructured } from './structured-summary.js'

/** What is needed of a checkpoint, by the names it has on disk. */
export interface CheckpointSummary {
  readonly id: string
  /** The newest event it covers. */
  readonly last_uuid?: string | null | undefined
  readonly digest: string
  /** The digest of an `agent` or `explicit` checkpoint is a summary; other digests are lists. */
  readonly trigger?: string | undefined
  readonly structured?: unknown
  /** The size of the context at that time; also read from `structured`. */
  readonly tokensAtCheckpoint?: number | undefined
  /** The last boundary at that time. */
  readonly cycle?: string | null | undefined
}

/** A session's checkpoints since the boundary `cycle` (`null`: its first cycle), newest first. */
export type FindCheckpoints = (
  sessionKey: string,
  cycle: string | null,
) => Promise<readonly CheckpointSummary[]> | readonly CheckpointSummary[]

export interface CheckpointChoice {
  readonly checkpoint: CheckpointSummary
  readonly text: string
  readonly plan: CompactionPlan
  /** How many of the removed messages it covers; the rest came later. */
  readonly coveredCount: number
}

const COVERAGE_MIN = 0.5

/**
 * A checkpoint that covers everything that goes, and at least half of the context. For an older one
 * less goes: what it does not cover stays, if that still frees half of what was planned.
 */
export function coveringCheckpoint(
  plan: CompactionPlan,
  checkpoints: readonly CheckpointSummary[],
  options: PlanOptions,
): CheckpointChoice | undefined {
  if (plan.keeps === 'prefix') return undefined
  for (const { checkpoint, seen } of newestFirst(checkpoints, plan.context)) {
    const text = summaryOf(checkpoint)
    if (text === '' || tokensOf(checkpoint) < COVERAGE_MIN * plan.tokensBefore) continue
    const shorter = seen >= plan.range.end ? plan : shortened(plan, seen, options)
    if (shorter === undefined) continue
    return { checkpoint, text, plan: shorter, coveredCount: shorter.range.end }
  }
  return undefined
}

/** The newest of this cycle, whatever it covers: better than none, and replaced later. */
export function anyCheckpoint(
  plan: CompactionPlan,
  checkpoints: readonly CheckpointSummary[],
): CheckpointChoice | undefined {
  if (plan.keeps === 'prefix') return undefined
  for (const { checkpoint, seen } of newestFirst(checkpoints, plan.context)) {
    const text = summaryOf(checkpoint) || checkpoint.digest.trim()
    if (text === '') continue
    return { checkpoint, text, plan, coveredCount: Math.min(seen, plan.range.end) }
  }
  return undefined
}

/** The plan that covers no more than the first `seen` messages, if it frees enough. */
function shortened(
  plan: CompactionPlan,
  seen: number,
  options: PlanOptions,
): CompactionPlan | undefined {
  const last = plan.context.messages[seen - 1]
  const shorter = last && findPlan(plan.context, { ...options, upTo: last.uuid })
  // A cut moves forward where it cannot move back.
  if (shorter === undefined || shorter.range.end > seen) return undefined
  return shorter.tokensCovered >= plan.tokensCovered / 2 ? shorter : undefined
}

function newestFirst(checkpoints: readonly CheckpointSummary[], context: Context) {
  return checkpoints
    .filter(({ cycle }) => cycle === undefined || cycle === context.boundaryUuid)
    .map((checkpoint) => ({ checkpoint, seen: seenCount(checkpoint, context) }))
    .sort((one, other) => other.seen - one.seen)
}

/** How many messages of the context it covers; 0 where that is unknown. */
function seenCount({ last_uuid }: CheckpointSummary, { messages }: Context): number {
  if (typeof last_uuid !== 'string') return 0
  return messages.findLastIndex(({ uuid }) => uuid === last_uuid) + 1
}

function summaryOf({ structured, digest, trigger }: CheckpointSummary): string {
  const text = textOfStructured(structured)
  if (text !== '') return text
  return trigger === 'agent' || trigger === 'explicit' ? digest.trim() : ''
}

function tokensOf({ tokensAtCheckpoint, structured }: CheckpointSummary): number {
  const inside = (structured as { tokensAtCheckpoint?: unknown } | null | undefined)
    ?.tokensAtCheckpoint
  const tokens = tokensAtCheckpoint ?? inside
  return typeof tokens === 'number' ? tokens : 0
}
