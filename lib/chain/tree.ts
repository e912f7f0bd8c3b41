// The branches of one log: every path that was ever the newest one, and why it was left.

import { isHeaderType, linkOf } from '../format/index.js'
import { fieldsOf, type PlacedEvent } from './projection.js'
import { ROOT, walkChain } from './walk.js'

/** A path of a log from where it left another one to its last event. */
export interface Branch {
  /** The first event that is on no earlier listed branch. */
  readonly firstUuid: string
  readonly lastUuid: string
  /** The event it continues, which is on another branch; `null` for the branch of the root. */
  readonly fromUuid: string | null
  /** The path that ends with the tip. */
  readonly active: boolean
  /** How it began: by a rewind, by a reply that replaced a partial one, or by another link. */
  readonly cause: 'root' | 'rewind' | 'superseding' | 'link'
  /** Events of this branch alone. */
  readonly events: number
  readonly startedAt: string
  readonly lastAt: string
}

/** A compaction, where it is in the log. */
export interface TreeBoundary {
  readonly uuid: string
  readonly ts: string
  readonly summaryUuid: string | null
  readonly trigger: string | null
  /** On the path to the tip. */
  readonly active: boolean
}

/** A rewind, where it is in the log. */
export interface TreeRewind {
  readonly uuid: string
  readonly ts: string
  readonly fromUuid: string | null
  readonly toUuid: string | null
  /** On the path to the tip. */
  readonly active: boolean
}

export interface LogTree {
  /** The active branch first, the others by their last event, newest first. */
  readonly branches: readonly Branch[]
  readonly boundaries: readonly TreeBoundary[]
  readonly rewinds: readonly TreeRewind[]
}

/** Takes all events of a file in order. */
export function treeOf(events: readonly PlacedEvent[]): LogTree {
  const walk = walkChain(events.map(({ event, byte_offset }) => linkOf(event, byte_offset)))
  const { parents } = walk
  const hasChild = new Set(parents)
  // The header of a fork precedes those that it copies: only the last of them has children.
  const isLeaf = ({ event }: PlacedEvent, position: number) =>
    parents[position]! >= ROOT && !hasChild.has(position) && !isHeaderType(event.type)
  const leaves = events.flatMap((placed, position) => (isLeaf(placed, position) ? [position] : []))
  const tip = walk.path.at(-1)
  const active = new Set(walk.path)
  const ends = tip === undefined ? [] : [tip, ...leaves.reverse().filter((leaf) => leaf !== tip)]
  const taken = new Set<number>()
  const branches: Branch[] = []
  for (const end of ends) {
    const own: number[] = []
    let at = end
    for (; at >= 0 && !taken.has(at); at = parents[at]!) own.push(at)
    for (const position of own) taken.add(position)
    branches.push(branchOf(own.reverse(), at, end === tip))
  }
  const on = (type: string) =>
    events.flatMap(({ event }, position) =>
      event.type === type ? [{ event, active: active.has(position) }] : [],
    )
  return {
    branches,
    boundaries: on('compaction_boundary').map(({ event: { uuid, ts, payload }, active }) => {
      const { summary_event_uuid, trigger } = fieldsOf(payload)
      return { uuid, ts, summaryUuid: textOf(summary_event_uuid), trigger: textOf(trigger), active }
    }),
    rewinds: on('rewind').map(({ event: { uuid, ts, payload }, active }) => {
      const { from_uuid, target_uuid } = fieldsOf(payload)
      return { uuid, ts, fromUuid: textOf(from_uuid), toUuid: textOf(target_uuid), active }
    }),
  }

  function branchOf(own: readonly number[], from: number, isActive: boolean): Branch {
    const first = events[own[0]!]!.event
    const last = events[own.at(-1)!]!.event
    const { supersedes } = fieldsOf(first.payload)
    return {
      firstUuid: first.uuid,
      lastUuid: last.uuid,
      fromUuid: events[from]?.event.uuid ?? null,
      active: isActive,
      cause: isHeaderType(first.type)
        ? 'root'
        : first.type === 'rewind'
          ? 'rewind'
          : typeof supersedes === 'string'
            ? 'superseding'
            : from === ROOT
              ? 'root'
              : 'link',
      events: own.length,
      startedAt: first.ts,
      lastAt: last.ts,
    }
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
