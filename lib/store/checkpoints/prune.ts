// The one command that drops checkpoints from the disk. Without `apply` it is a plan. A shard is
// written anew beside itself and takes its name when it is whole; what was dropped is accounted for
// before that.

import { relative } from 'node:path'
import { isSessionError } from '../../errors.js'
import { appendOnce } from '../../log/index.js'
import { type OpenLog, openForReading, replaceLog } from '../../log/internal.js'
import type { Unreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { type RetentionOptions, retentionRules } from './find-checkpoints.js'
import { planPrune, type ShardPlan } from './prune-plan.js'
import { listShards } from './read-shard.js'

export interface PruneCheckpointsOptions extends RetentionOptions {
  /**
   * Do it; else only say what would be done.
   *
   * @default false
   */
  apply?: boolean | undefined

  /**
   * Also shards that are small, or of which little would go.
   *
   * @default false
   */
  force?: boolean | undefined
}

export interface PrunedShard {
  readonly path: string
  readonly bytes: number
  readonly bytesDropped: number
  readonly recordsDropped: number
  /** It was replaced, or with `apply` would be. */
  readonly due: boolean
}

export interface PruneReport {
  readonly applied: boolean
  readonly shards: PrunedShard[]
  /** What could not be looked into or not be locked, and why. */
  readonly skipped: Unreadable[]
}

// Rewriting a small shard, or one that stays as it is, wears the disk and wins nothing.
const DUE_BYTES_MIN = 1024 * 1024
const DUE_SHARE_MIN = 0.5

export async function pruneCheckpoints(
  store: StoreContext,
  options: PruneCheckpointsOptions = {},
): Promise<PruneReport> {
  const { apply: isApplied = false } = options
  const shards: PrunedShard[] = []
  const skipped: Unreadable[] = []
  for (const path of listShards(store)) {
    try {
      const planned = planShard(store, path, options)
      shards.push(isApplied && planned.due ? await pruneShard(store, path, options) : planned)
    } catch (error) {
      if (!isSessionError(error)) throw error
      skipped.push({ path, reason: error.message })
    }
  }
  return { applied: isApplied, shards, skipped }
}

/** Reads without a lock: what comes in meanwhile is for the prune itself to see. */
function planShard(
  store: StoreContext,
  path: string,
  options: PruneCheckpointsOptions,
): PrunedShard {
  const log = openForReading(path, store.env)
  try {
    return shardOf(path, planOf(store, log, options), options)
  } finally {
    store.env.fs.closeSync(log.fd)
  }
}

async function pruneShard(
  store: StoreContext,
  path: string,
  options: PruneCheckpointsOptions,
): Promise<PrunedShard> {
  let plan: ShardPlan | undefined
  const choose = (log: OpenLog) => {
    plan = planOf(store, log, options)
    return shardOf(path, plan, options).due ? plan.kept : undefined
  }
  const { lockTimeoutMs, useKernelLock, environment } = store.logOptions
  const isReplaced = await replaceLog(path, {
    lockTimeoutMs,
    useKernelLock,
    environment,
    choose,
    beforeReplacing: () => account(store, path, plan!),
  })
  return { ...shardOf(path, plan!, options), due: isReplaced }
}

function planOf(store: StoreContext, log: OpenLog, options: RetentionOptions): ShardPlan {
  return planPrune(store, log, { rules: retentionRules(options), now: store.env.now() })
}

function shardOf(
  path: string,
  { bytes, bytesDropped, recordsDropped }: ShardPlan,
  { force = false }: PruneCheckpointsOptions,
): PrunedShard {
  const isWorthIt = bytes > DUE_BYTES_MIN && bytesDropped >= bytes * DUE_SHARE_MIN
  const isDue = recordsDropped > 0 && (force || isWorthIt)
  return { path, bytes, bytesDropped, recordsDropped, due: isDue }
}

/** Records what is removed. */
async function account(
  { layout, logOptions }: StoreContext,
  path: string,
  { bytes, bytesDropped, recordsDropped }: ShardPlan,
): Promise<void> {
  const { root, retentionPath } = layout
  const payload = {
    command: 'checkpoints prune',
    path: relative(root, path),
    records_dropped: recordsDropped,
    bytes_dropped: bytesDropped,
    bytes_kept: bytes - bytesDropped,
  }
  await appendOnce(retentionPath, [{ type: 'retention', payload }], {
    ...logOptions,
    channel: 'store',
    lineNumbers: false,
  })
}
