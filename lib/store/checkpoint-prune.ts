// The one command that drops checkpoints from the disk. Without `apply` it is a plan. A shard is
// written anew beside itself and takes its name when it is whole; what was dropped is accounted for
// before that.

import { closeSync } from 'node:fs'
import { relative } from 'node:path'
import { isSessionError } from '../errors.js'
import { appendOnce, systemEnvironment } from '../log/index.js'
import { type OpenLog, openForReading, replaceLog } from '../log/inside.js'
import type { ShardWriteOptions } from './checkpoint-append.js'
import { planPrune, type ShardPlan } from './checkpoint-prune-plan.js'
import { listShards } from './checkpoint-shard.js'
import { type RetentionOptions, retentionRules } from './checkpoint-visible.js'
import { layoutOf } from './layout.js'
import type { Skipped } from './session-digest.js'

export interface PruneCheckpointsOptions extends ShardWriteOptions, RetentionOptions {
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
  readonly isDue: boolean
}

export interface PruneReport {
  readonly isApplied: boolean
  readonly shards: PrunedShard[]
  /** What could not be looked into or not be locked, and why. */
  readonly skipped: Skipped[]
}

// Rewriting a small shard, or one that stays as it is, wears the disk and wins nothing.
const DUE_BYTES_MIN = 1024 * 1024
const DUE_SHARE_MIN = 0.5

export async function pruneCheckpoints(
  options: PruneCheckpointsOptions = {},
): Promise<PruneReport> {
  const { apply: isApplied = false } = options
  const shards: PrunedShard[] = []
  const skipped: Skipped[] = []
  for (const path of listShards(layoutOf(options))) {
    try {
      const planned = planShard(path, options)
      shards.push(isApplied && planned.isDue ? await pruneShard(path, options) : planned)
    } catch (error) {
      if (!isSessionError(error)) throw error
      skipped.push({ path, reason: error.message })
    }
  }
  return { isApplied, shards, skipped }
}

/** Reads without a lock: what comes in meanwhile is for the prune itself to see. */
function planShard(path: string, options: PruneCheckpointsOptions): PrunedShard {
  const log = openForReading(path)
  try {
    return shardOf(path, planOf(log, options), options)
  } finally {
    closeSync(log.fd)
  }
}

async function pruneShard(path: string, options: PruneCheckpointsOptions): Promise<PrunedShard> {
  let plan: ShardPlan | undefined
  const choose = (log: OpenLog) => {
    plan = planOf(log, options)
    return shardOf(path, plan, options).isDue ? plan.kept : undefined
  }
  const { lockTimeoutMs, useKernelLock } = options
  const isReplaced = await replaceLog(path, {
    lockTimeoutMs,
    useKernelLock,
    choose,
    beforeReplacing: () => account(path, plan!, options),
  })
  return { ...shardOf(path, plan!, options), isDue: isReplaced }
}

function planOf(log: OpenLog, options: PruneCheckpointsOptions): ShardPlan {
  const now = options.environment?.now ?? systemEnvironment.now
  return planPrune(log, { rules: retentionRules(options), now: now() })
}

function shardOf(
  path: string,
  { bytes, bytesDropped, recordsDropped }: ShardPlan,
  { force = false }: PruneCheckpointsOptions,
): PrunedShard {
  const isWorthIt = bytes > DUE_BYTES_MIN && bytesDropped >= bytes * DUE_SHARE_MIN
  const isDue = recordsDropped > 0 && (force || isWorthIt)
  return { path, bytes, bytesDropped, recordsDropped, isDue }
}

/** Nothing is dropped of which no line tells. */
async function account(
  path: string,
  { bytes, bytesDropped, recordsDropped }: ShardPlan,
  options: PruneCheckpointsOptions,
): Promise<void> {
  const { root, retentionPath } = layoutOf(options)
  const payload = {
    command: 'checkpoints prune',
    path: relative(root, path),
    records_dropped: recordsDropped,
    bytes_dropped: bytesDropped,
    bytes_kept: bytes - bytesDropped,
  }
  const { lockTimeoutMs, useKernelLock, environment } = options
  const lock = { lockTimeoutMs, useKernelLock }
  const log = { ...lock, environment, channel: 'store', lineNumbers: false } as const
  await appendOnce(retentionPath, [{ type: 'retention', payload }], log)
}
