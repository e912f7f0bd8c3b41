// The visible checkpoints of several shards in one order, and then in full.

import type { CheckpointEntry, Report } from './checkpoint-items.js'
import { loadCheckpoint, type StoredCheckpoint } from './checkpoint-load.js'
import type { ShardIndex } from './checkpoint-shard-index.js'
import type { CheckpointShards } from './checkpoint-shards.js'
import type { Target } from './checkpoint-target.js'
import { type VisibleOptions, visibleEntries } from './checkpoint-visible.js'

/** A visible entry, and where it stands among those of other shards. */
export interface Row {
  readonly path: string
  readonly index: ShardIndex
  readonly entry: CheckpointEntry
  readonly sortMs: number
}

export interface ChooseOptions extends Omit<VisibleOptions, 'isLost'> {
  readonly limit: number
  /** Rows that could not be loaded, by `nameOf`. */
  readonly lost: ReadonlySet<string>
  readonly report: Report
}

/** Newest first: inside a shard by place in the file, whatever the clocks said; else by time. */
export function chooseRows(
  shards: CheckpointShards,
  target: Target,
  { limit, lost, report, ...rules }: ChooseOptions,
): Row[] {
  const rows: Row[] = []
  for (const path of target.paths) {
    const index = shards.refresh(path, report)
    if (index === undefined || limit === 0) continue
    const isLost = (entry: CheckpointEntry) => lost.has(nameOf(path, entry))
    const items = index.itemsFromEnd(target.session)
    const end = rows.length + limit
    let sortMs = Number.POSITIVE_INFINITY
    for (const entry of visibleEntries(items, { ...rules, isLost })) {
      if (!target.isWanted(entry)) continue
      sortMs = Math.min(sortMs, entry.createdAtMs)
      rows.push({ path, index, entry, sortMs })
      if (rows.length === end) break
    }
  }
  return rows.sort((one, other) => other.sortMs - one.sortMs).slice(0, limit)
}

/** All rows in full; else why it has to be tried again, with what was lost added to `lost`. */
export function loadRows(
  shards: CheckpointShards,
  rows: readonly Row[],
  lost: Set<string>,
  report: Report,
): StoredCheckpoint[] | 'lost' | 'replaced' {
  const loaded = new Map<Row, StoredCheckpoint>()
  for (const [path, own] of groupByPath(rows)) {
    const isLoaded = shards.open(path, report, (log) => {
      for (const row of own) {
        // Its places are those of another file.
        if (!row.index.isOf(log)) return false
        const stored = loadCheckpoint(log, row.entry, report)
        if (stored === undefined) lost.add(nameOf(path, row.entry))
        else loaded.set(row, stored)
      }
      return true
    })
    if (isLoaded !== true) return 'replaced'
  }
  return loaded.size < rows.length ? 'lost' : rows.map((row) => loaded.get(row)!)
}

function nameOf(path: string, { byte_offset }: CheckpointEntry): string {
  return `${byte_offset} ${path}`
}

function groupByPath(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.path)
    if (group === undefined) groups.set(row.path, [row])
    else group.push(row)
  }
  return groups
}
