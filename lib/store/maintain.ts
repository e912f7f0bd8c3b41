// What a store does now and then to stay small. Transcripts and the live history are never touched.

import { type PruneReport, pruneLargeShards } from './checkpoints/prune.js'
import type { RetentionOptions } from './checkpoints/visible.js'
import type { StoreContext } from './context.js'
import type { HistoryRetentionOptions } from './history/retention.js'
import { type HistorySweep, sweepHistoryMonthly } from './history/sweep.js'

export interface MaintainOptions extends HistoryRetentionOptions, RetentionOptions {}

export interface Maintenance {
  /** `null` when nothing was due: there is nothing to sweep, or it was done this month. */
  readonly history: HistorySweep | null
  /** `null` when nothing was due: no shard is larger than 1 MiB with half of it hidden by retention. */
  readonly checkpoints: PruneReport | null
}

/**
 * For hosts to call now and then, for example at start: sweeps the history once a month, and drops
 * hidden checkpoints from shards where that is worth it.
 */
export async function maintain(
  store: StoreContext,
  options: MaintainOptions = {},
): Promise<Maintenance> {
  const history = await sweepHistoryMonthly(store, options)
  return { history, checkpoints: await pruneLargeShards(store, options) }
}
