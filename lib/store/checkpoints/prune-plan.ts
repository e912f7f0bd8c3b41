// What a prune would remove from a shard: hidden checkpoints, and the tombstones that hid them. Only
// checksum-verified lines are removed: damage, lines of other writers and types of later
// versions stay as they are, and so does whatever a visible checkpoint names.

import type { LogEntry } from '../../log/index.js'
import { type ByteRange, type OpenLog, undecodedLines } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { type VisibleOptions, visibleItems } from './find-checkpoints.js'
import { type CheckpointItem, isTombstone, type ShardItem, toItem } from './read-shard.js'

export interface ShardPlan {
  /** Bytes of the shard now. */
  readonly bytes: number
  readonly bytesDropped: number
  readonly recordsDropped: number
  /** What stays, in order. */
  readonly kept: readonly ByteRange[]
}

interface ShardLine extends ByteRange {
  /** What the line says; more than one if lines were glued. */
  readonly items: readonly ShardItem[]
  /** One checksum-verified record, and nothing else. */
  readonly isClean: boolean
  readonly isDamaged: boolean
}

export function planPrune(store: StoreContext, log: OpenLog, options: VisibleOptions): ShardPlan {
  const lines = Array.from(undecodedLines(log), ({ line: { byte_offset, length }, decode }) =>
    lineOf(store, { byte_offset, length }, decode()),
  )
  const items = lines.flatMap((line) => line.items)
  const visible = [...visibleItems(items.toReversed(), options)]
  const isDropped = dropRule(lines, new Set([...visible, ...namedBy(visible, items)]))
  const dropped = lines.filter(isDropped)
  return {
    bytes: log.size,
    bytesDropped: dropped.reduce((bytes, { length }) => bytes + length + 1, 0),
    recordsDropped: dropped.length,
    kept: joined(lines.filter((line) => !isDropped(line))),
  }
}

function lineOf(store: StoreContext, range: ByteRange, entries: readonly LogEntry[]): ShardLine {
  const items = entries.flatMap((entry) =>
    entry.kind === 'event' ? (toItem(store, entry) ?? []) : [],
  )
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

/** Hidden checkpoints whose id is in a visible one, and those that they name. */
function namedBy(
  visible: readonly CheckpointItem[],
  items: readonly ShardItem[],
): CheckpointItem[] {
  const hidden = new Map<string, CheckpointItem>()
  for (const item of items) if (!isTombstone(item)) hidden.set(item.checkpoint.id, item)
  for (const { checkpoint } of visible) hidden.delete(checkpoint.id)
  const named: CheckpointItem[] = []
  // Whatever is named joins the end of the list, so that what it names is found as well.
  const toLookAt = [...visible]
  for (const { checkpoint } of toLookAt) {
    if (hidden.size === 0) break
    for (const text of textsIn(checkpoint)) {
      const other = hidden.get(text)
      if (other === undefined) continue
      hidden.delete(text)
      named.push(other)
      toLookAt.push(other)
    }
  }
  return named
}

function* textsIn(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) yield* textsIn(member)
  }
}

function dropRule(
  lines: readonly ShardLine[],
  needed: ReadonlySet<ShardItem>,
): (line: ShardLine) => boolean {
  const isHidden = ({ isClean, items: [item] }: ShardLine) =>
    isClean && item !== undefined && !isTombstone(item) && !needed.has(item)
  const droppedIds = idsIn(lines.filter(isHidden))
  const keptIds = idsIn(lines.filter((line) => !isHidden(line)))
  // A damaged line may be repaired later, and its checkpoint must stay hidden then.
  const mayBeHere = lines.some(({ isDamaged }) => isDamaged)
  const isIdle = ({ isClean, items: [item] }: ShardLine) =>
    isClean &&
    item !== undefined &&
    isTombstone(item) &&
    !keptIds.has(item.targetId) &&
    (droppedIds.has(item.targetId) || !mayBeHere)
  return (line) => isHidden(line) || isIdle(line)
}

function idsIn(lines: readonly ShardLine[]): ReadonlySet<string> {
  const items = lines.flatMap((line) => line.items)
  return new Set(items.flatMap((item) => (isTombstone(item) ? [] : item.checkpoint.id)))
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
