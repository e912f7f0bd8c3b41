// The one command that drops checkpoints from the disk. Without `apply` it is a plan. A shard is
// written anew beside itself and takes its name when it is whole; what was dropped is accounted for
// before that.

import { relative } from 'node:path'
import { isSessionError } from '../../errors.js'
import { appendOnce, type LogEntry } from '../../log/index.js'
import {
  type ByteRange,
  type OpenLog,
  openForReading,
  replaceLog,
  undecodedLines,
} from '../../log/internal.js'
import type { Unreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { isTombstone, listShards, type ShardItem, toItem } from './read-shard.js'
import { type RetentionOptions, visibleItems, visibleOptions } from './visible.js'

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

export function pruneCheckpoints(
  store: StoreContext,
  options: PruneCheckpointsOptions = {},
): Promise<PruneReport> {
  return pruneShards(store, listShards(store), options)
}

/** Without being asked: looks only into shards that are large enough, and applies what is due. */
export async function pruneLargeShards(
  store: StoreContext,
  options: RetentionOptions,
): Promise<PruneReport | null> {
  const large = listShards(store).filter((path) => {
    const stats = store.env.fs.statSync(path, { throwIfNoEntry: false })
    return stats !== undefined && stats.size > DUE_BYTES_MIN
  })
  const report = await pruneShards(store, large, { ...options, apply: true, force: false })
  const shards = report.shards.filter(({ due }) => due)
  return shards.length === 0 && report.skipped.length === 0 ? null : { ...report, shards }
}

async function pruneShards(
  store: StoreContext,
  paths: readonly string[],
  options: PruneCheckpointsOptions,
): Promise<PruneReport> {
  const { apply: isApplied = false } = options
  const shards: PrunedShard[] = []
  const skipped: Unreadable[] = []
  for (const path of paths) {
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
    return shardOf(path, planPrune(store, log, options), options)
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
    plan = planPrune(store, log, options)
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

// What a prune removes from a shard: hidden checkpoints, and the tombstones that hid them. Only
// checksum-verified lines are removed: damage, lines of other writers and types of later
// versions stay as they are, and so does whatever a visible checkpoint names.

interface ShardPlan {
  /** Bytes of the shard now. */
  readonly bytes: number
  readonly bytesDropped: number
  readonly recordsDropped: number
  /** What stays, in order. */
  readonly kept: readonly ByteRange[]
}

interface ShardLine extends ByteRange {
  /** What the line says, with its payload; more than one if lines were glued. */
  readonly items: readonly { readonly item: ShardItem; readonly payload: unknown }[]
  /** One checksum-verified record, and nothing else. */
  readonly isClean: boolean
  readonly isDamaged: boolean
}

function planPrune(store: StoreContext, log: OpenLog, options: RetentionOptions): ShardPlan {
  const lines = Array.from(undecodedLines(log), ({ line: { byte_offset, length }, decode }) =>
    lineOf(store, { byte_offset, length }, decode()),
  )
  const isDropped = dropRule(lines, findNeeded(store, lines, options))
  const dropped = lines.filter(isDropped)
  return {
    bytes: log.size,
    bytesDropped: dropped.reduce((bytes, { length }) => bytes + length + 1, 0),
    recordsDropped: dropped.length,
    kept: joined(lines.filter((line) => !isDropped(line))),
  }
}

function lineOf(store: StoreContext, range: ByteRange, entries: readonly LogEntry[]): ShardLine {
  const items = entries.flatMap((entry) => {
    const item = entry.kind === 'event' ? toItem(store, entry) : undefined
    return item === undefined || entry.kind !== 'event'
      ? []
      : [{ item, payload: entry.event.payload }]
  })
  const isProven = entries.every(
    ({ kind, diagnostics }) => kind === 'event' && !diagnostics?.length,
  )
  return {
    ...range,
    items,
    isClean: isProven && entries.length === 1 && items.length === 1,
    isDamaged: entries.some(({ kind }) => kind !== 'event'),
  }
}

/** By their offsets: the visible ones, hidden ones whose id is in one of them, and so on. */
function findNeeded(
  store: StoreContext,
  lines: readonly ShardLine[],
  options: RetentionOptions,
): ReadonlySet<number> {
  const all = lines.flatMap(({ items }) => items)
  const visible = visibleItems(
    all.map(({ item }) => item),
    visibleOptions(store, options),
  )
  const needed = new Set(visible.map(({ byteOffset }) => byteOffset))
  const payloads = new Map<number, unknown>()
  const offsets = new Map<string, number>()
  for (const { item, payload } of all) {
    if (isTombstone(item)) continue
    payloads.set(item.byteOffset, payload)
    offsets.set(item.id, item.byteOffset)
  }
  // A set is iterated in the order of its additions, so what is named is looked at as well.
  for (const offset of needed) {
    for (const text of textsIn(payloads.get(offset))) {
      const named = offsets.get(text)
      if (named !== undefined) needed.add(named)
    }
  }
  return needed
}

function* textsIn(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) yield* textsIn(member)
  }
}

function dropRule(
  lines: readonly ShardLine[],
  needed: ReadonlySet<number>,
): (line: ShardLine) => boolean {
  const only = ({ isClean, items: [first] }: ShardLine) => (isClean ? first?.item : undefined)
  const isHidden = (line: ShardLine) => {
    const item = only(line)
    return item !== undefined && !isTombstone(item) && !needed.has(item.byteOffset)
  }
  const droppedIds = idsIn(lines.filter(isHidden))
  const keptIds = idsIn(lines.filter((line) => !isHidden(line)))
  // A damaged line may be repaired later, and its checkpoint must stay hidden then.
  const mayBeHere = lines.some(({ isDamaged }) => isDamaged)
  return (line) => {
    const item = only(line)
    if (item === undefined || !isTombstone(item)) return isHidden(line)
    const { targetId: id } = item
    return !keptIds.has(id) && (droppedIds.has(id) || !mayBeHere)
  }
}

function idsIn(lines: readonly ShardLine[]): ReadonlySet<string> {
  const items = lines.flatMap((line) => line.items)
  return new Set(items.flatMap(({ item }) => (isTombstone(item) ? [] : item.id)))
}

/** Lines that follow each other as one range. */
function joined(lines: readonly ByteRange[]): ByteRange[] {
  const ranges: { byte_offset: number; length: number }[] = []
  for (const { byte_offset, length } of lines) {
    const last = ranges.at(-1)
    const isNext = last !== undefined && last.byte_offset + last.length + 1 === byte_offset
    if (isNext) last.length += 1 + length
    else ranges.push({ byte_offset, length })
  }
  return ranges
}
