// A compaction as two lines: the summary, then the boundary that commits it. What is covered stays
// in the log; only what the model sees changes.

import { isGap, type Projection } from '../chain/index.js'
import { namingOf, type SeenEntry } from '../compaction/index.js'
import { SessionError } from '../errors.js'
import type { PayloadByType } from '../format/index.js'
import type { NewEvent } from '../log/index.js'
import { withoutUndefined } from './without-undefined.js'

type Boundary = PayloadByType['compaction_boundary']

export interface CompactOptions {
  /** What stands for the covered messages from now on. */
  summary: string
  /**
   * The first message that stays (everything from it on is kept), or `null` to keep nothing.
   *
   * @default null
   */
  keepFrom?: string | null | undefined
  /** Instead: the last message that stays (everything up to it is kept, the rest is covered). */
  keepUpTo?: string | undefined
  /**
   * The last message that is covered, where nothing or a beginning is kept: what came after it
   * stays.
   *
   * @default the newest at the time of the call
   */
  coverTo?: string | undefined
  trigger?: Boundary['trigger'] | undefined
  strategy?: Boundary['strategy'] | undefined
  tokensBefore?: number | undefined
  tokensAfter?: number | undefined
  /** Of the summary: who wrote it, how long it is, and the same as data. */
  model?: string | undefined
  summaryTokens?: number | undefined
  structured?: unknown
  needsSummaryRetry?: boolean | undefined
  /**
   * The checkpoint before a compaction is made already.
   *
   * @default false: it is made first, if the session leaves checkpoints at all
   */
  isCheckpointed?: boolean | undefined
  customInstructions?: string | undefined
  keepPercent?: number | undefined
  /** The checkpoint the summary was taken from. */
  checkpointId?: string | undefined
}

export interface CompactPlace {
  readonly projection: Projection
  readonly path: string
  readonly offsetBase: number
  readonly newUuid: () => string
  /**
   * Somebody else compacted what this log may not have seen, so covering nothing is no mistake.
   *
   * @default false
   */
  readonly mayCoverNothing?: boolean | undefined
}

export interface CompactEvents {
  readonly summaryUuid: string
  readonly boundaryUuid: string
  readonly contextEpoch: number
  /** The last message that is covered, where what comes next does not say it. */
  readonly coverTo: string | undefined
  readonly events: readonly [NewEvent, NewEvent]
}

/** The two events of a compaction, checked against what is there. */
export function compactionEvents(options: CompactOptions, place: CompactPlace): CompactEvents {
  if (options.summary.trim() === '') {
    throw new SessionError('ERR_ARG', 'A summary must say something')
  }
  const entries = place.projection.entries.filter((entry): entry is SeenEntry => !isGap(entry))
  const cut = nameable(cutOf(options, entries), options, place.projection)
  if (place.mayCoverNothing !== true) refuseEmpty(cut)
  const summaryUuid = place.newUuid()
  const boundaryUuid = place.newUuid()
  const contextEpoch = place.projection.contextEpoch + 1
  let summaryOffset = 0
  const boundaryAt = (selfOffset: number): Boundary =>
    boundaryPayload(options, cut, {
      place,
      summaryUuid,
      boundaryUuid,
      contextEpoch,
      self: selfOffset - place.offsetBase,
      summary: summaryOffset - place.offsetBase,
    })
  const summaryPayload: PayloadByType['summary'] = withoutUndefined({
    text: options.summary,
    tokens: options.summaryTokens,
    model: options.model,
    structured: options.structured,
  })
  const summary: NewEvent = {
    type: 'summary',
    uuid: summaryUuid,
    payload: summaryPayload,
    payloadAt: (byteOffset) => {
      summaryOffset = byteOffset
      return summaryPayload
    },
  }
  const boundary: NewEvent = {
    type: 'compaction_boundary',
    uuid: boundaryUuid,
    payload: boundaryAt(0),
    payloadAt: boundaryAt,
  }
  const coverTo = isOpen(cut) ? cut.covered.at(-1)?.event.uuid : undefined
  return { summaryUuid, boundaryUuid, contextEpoch, coverTo, events: [summary, boundary] }
}

interface Cut {
  readonly covered: readonly SeenEntry[]
  readonly kept: readonly SeenEntry[]
  readonly isPrefixKept: boolean
  /** `undefined`: everything behind what is kept, whatever it is called. */
  readonly coveredTo?: SeenEntry | undefined
}

function cutOf(options: CompactOptions, entries: readonly SeenEntry[]): Cut {
  const { keepFrom = null, keepUpTo, coverTo } = options
  const end = coverTo === undefined ? entries.length : indexOf(entries, coverTo) + 1
  if (keepUpTo !== undefined) {
    const last = indexOf(entries, keepUpTo)
    const covered = entries.slice(last + 1, end)
    return { covered, kept: entries.slice(0, last + 1), isPrefixKept: true }
  }
  if (keepFrom === null) {
    return { covered: entries.slice(0, end), kept: [], isPrefixKept: false }
  }
  const first = indexOf(entries, keepFrom)
  const covered = entries.slice(0, first)
  return { covered, kept: entries.slice(first), isPrefixKept: false }
}

/**
 * A uuid may stand twice in what the model sees: in a file it continues, or in a repeated line. A
 * boundary that names such a message would mean the last of that name, and cover what nobody has
 * summed up, or count not at all.
 */
function nameable(cut: Cut, { coverTo }: CompactOptions, projection: Projection): Cut {
  const { kept, covered, isPrefixKept } = cut
  const isNamed = namingOf(projection)
  const last = covered.at(-1)
  const named = [
    kept[0],
    isPrefixKept ? kept.at(-1) : undefined,
    isOpen(cut) && coverTo !== undefined ? last : undefined,
  ]
  for (const entry of named) {
    if (entry === undefined || isNamed(entry)) continue
    const { uuid } = entry.event
    const what = `"${uuid}" is the name of two messages, so no boundary can mean the first; cut elsewhere`
    throw new SessionError('ERR_ARG', what, { uuid })
  }
  // A repeated line that is not shown may stand behind the last that is.
  const isToEnd = isOpen(cut) && coverTo === undefined
  const isAll = isToEnd && projection.continuation.entries.at(-1) !== last
  const coveredTo = last === undefined || isAll || !isNamed(last) ? undefined : last
  return { ...cut, coveredTo }
}

/** What is covered reaches to the end, unless somebody says where it ends. */
function isOpen({ isPrefixKept, kept }: Cut): boolean {
  return isPrefixKept || kept.length === 0
}

function refuseEmpty({ covered }: Cut): void {
  if (covered.length > 0) return
  throw new SessionError('ERR_NOTHING_TO_COMPACT', 'Nothing would be covered by this compaction')
}

function indexOf(entries: readonly SeenEntry[], uuid: string): number {
  const index = entries.findLastIndex(({ event }) => event.uuid === uuid)
  if (index !== -1) return index
  const what = `"${uuid}" is not among the messages the model sees`
  throw new SessionError('ERR_NOT_FOUND', what, { uuid })
}

const KEPT_MAX = 256

function boundaryPayload(
  options: CompactOptions,
  { covered, kept, isPrefixKept, coveredTo }: Cut,
  at: {
    readonly place: CompactPlace
    readonly summaryUuid: string
    readonly boundaryUuid: string
    readonly contextEpoch: number
    readonly self: number
    readonly summary: number
  },
): Boundary {
  const { path, offsetBase } = at.place
  // An ancestor's event stands in another file, where an offset of this one means nothing.
  const offsetOf = (entry: SeenEntry | undefined) =>
    entry === undefined || entry.file !== path ? null : entry.byte_offset - offsetBase
  const isKeptHere = kept.every(({ file }) => file === path)
  const optional = {
    tokens_after: options.tokensAfter,
    keep_percent: options.keepPercent,
    checkpoint_id: options.checkpointId,
    custom_instructions: options.customInstructions,
    kept:
      isPrefixKept && isKeptHere && kept.length <= KEPT_MAX
        ? kept.map((entry): [string, number] => [entry.event.uuid, entry.byte_offset - offsetBase])
        : undefined,
  }
  return withoutUndefined({
    headUuid: kept[0]?.event.uuid ?? null,
    anchorUuid: isPrefixKept ? at.boundaryUuid : at.summaryUuid,
    tailUuid: kept.at(-1)?.event.uuid ?? null,
    summary_event_uuid: at.summaryUuid,
    trigger: options.trigger ?? 'manual',
    strategy: options.strategy ?? 'external',
    epoch: at.contextEpoch,
    offsets: {
      self: at.self,
      head: offsetOf(kept[0]),
      tail: offsetOf(kept.at(-1)),
      summary: at.summary,
    },
    tokens_before: options.tokensBefore ?? 0,
    messages_summarized: covered.length,
    needs_summary_retry: options.needsSummaryRetry ?? false,
    coveredFromUuid: covered[0]?.event.uuid,
    coveredToUuid: coveredTo?.event.uuid,
    ...optional,
  })
}
