// A compaction as two lines: the summary, then the boundary that commits it. What is covered stays
// in the log; only what the model sees changes.

import { isGap, type Projection, type ProjectionEntry } from '../chain/index.js'
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
   * @default the newest
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
  readonly events: readonly [NewEvent, NewEvent]
}

type Kept = Exclude<ProjectionEntry, { kind: 'lost' | 'missing' | 'opaque' }>

/** The two events of a compaction, checked against what is there. */
export function compactionEvents(options: CompactOptions, place: CompactPlace): CompactEvents {
  if (options.summary.trim() === '') {
    throw new SessionError('ERR_ARG', 'A summary must say something')
  }
  const entries = place.projection.entries.filter((entry): entry is Kept => !isGap(entry))
  const cut = cutOf(options, entries)
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
  return { summaryUuid, boundaryUuid, contextEpoch, events: [summary, boundary] }
}

interface Cut {
  readonly covered: readonly Kept[]
  readonly kept: readonly Kept[]
  readonly isPrefixKept: boolean
}

function cutOf(options: CompactOptions, entries: readonly Kept[]): Cut {
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

function refuseEmpty({ covered }: Cut): void {
  if (covered.length > 0) return
  throw new SessionError('ERR_NOTHING_TO_COMPACT', 'Nothing would be covered by this compaction')
}

function indexOf(entries: readonly Kept[], uuid: string): number {
  const index = entries.findLastIndex(({ event }) => event.uuid === uuid)
  if (index !== -1) return index
  const what = `"${uuid}" is not among the messages the model sees`
  throw new SessionError('ERR_NOT_FOUND', what, { uuid })
}

const KEPT_MAX = 256

function boundaryPayload(
  options: CompactOptions,
  { covered, kept, isPrefixKept }: Cut,
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
  const offsetOf = (entry: Kept | undefined) =>
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
    coveredToUuid: covered.at(-1)?.event.uuid,
    ...optional,
  })
}
