// A compaction as two lines: the summary, then the boundary that commits it. Covered messages stay
// in the log; only what the model sees changes.

import { isGap, type Projection } from '../../chain/index.js'
import { contextOf, measure, namingOf, type SeenEntry } from '../../compaction/index.js'
import { SessionError } from '../../errors.js'
import { type PayloadByType, withoutUndefined } from '../../format/index.js'
import type { NewEvent } from '../../log/index.js'

type Boundary = PayloadByType['compaction_boundary']

/** A summary, and what is kept. */
export interface CompactOptions {
  /** The text that replaces the covered messages. */
  summary: string
  /**
   * The first message that stays (everything from it on is kept), or `null` to keep nothing.
   *
   * @default null
   */
  keepFrom?: string | null | undefined
  /**
   * Instead: the last message that stays (everything up to it is kept, the rest is covered).
   *
   * @default none
   */
  keepUpTo?: string | undefined
  /**
   * Why the session was compacted.
   *
   * @default 'manual'
   */
  trigger?: Boundary['trigger'] | undefined
  /**
   * How the summary was made.
   *
   * @default none
   */
  strategy?: Boundary['strategy'] | undefined
  /**
   * Tokens of the context before the compaction.
   *
   * @default as the provider counted its last reply, the rest estimated
   */
  tokensBefore?: number | undefined
  /**
   * Tokens of the context after the compaction.
   *
   * @default none
   */
  tokensAfter?: number | undefined
  /**
   * Of the summary: its model, its length, and the same as data.
   *
   * @default none
   */
  model?: string | undefined
  /**
   * Tokens of the summary.
   *
   * @default none
   */
  summaryTokens?: number | undefined
  /**
   * The summary as data.
   *
   * @default none
   */
  structured?: unknown
  /**
   * The summary is a stub that should be replaced later.
   *
   * @default false
   */
  needsSummaryRetry?: boolean | undefined
  /**
   * The instructions that the user gave for the summary.
   *
   * @default none
   */
  customInstructions?: string | undefined
  /**
   * The share of the messages that was kept.
   *
   * @default none
   */
  keepPercent?: number | undefined
  /**
   * The checkpoint that the summary comes from.
   *
   * @default none
   */
  checkpointId?: string | undefined
}

/** What only this module sets. */
export interface CompactInternals {
  /** The last covered message, where no later one is kept; default: the newest message. */
  readonly coverTo?: string | undefined
  /** The checkpoint before the compaction is stored already. */
  readonly checkpointed?: boolean | undefined
}

export interface CompactContext {
  readonly projection: Projection
  readonly path: string
  readonly offsetBase: number
  readonly newUuid: () => string
  /** Another program compacted messages that this log may not hold. */
  readonly mayCoverNothing?: boolean | undefined
}

export interface CompactEvents {
  readonly summaryUuid: string
  readonly boundaryUuid: string
  readonly contextEpoch: number
  readonly tokensBefore: number
  /** The last covered message, where no kept message follows it. */
  readonly coverTo: string | undefined
  readonly events: readonly [NewEvent, NewEvent]
}

/** The two events of a compaction, checked against what the model sees. */
export function compactionEvents(
  options: CompactOptions & CompactInternals,
  context: CompactContext,
): CompactEvents {
  if (options.summary.trim() === '') {
    throw new SessionError('ERR_ARG', 'A summary must not be empty')
  }
  const entries = context.projection.entries.filter((entry): entry is SeenEntry => !isGap(entry))
  const cut = nameCovered(toCut(options, entries), options, context.projection)
  if (context.mayCoverNothing !== true && cut.covered.length === 0) {
    throw new SessionError('ERR_NOTHING_TO_COMPACT', 'This compaction would cover nothing')
  }
  const summaryUuid = context.newUuid()
  const boundaryUuid = context.newUuid()
  const contextEpoch = context.projection.contextEpoch + 1
  const { tokensBefore = measure(contextOf(context.projection)).usage.tokens } = options
  let summaryOffset = 0
  const boundaryAt = (selfOffset: number): Boundary =>
    toBoundary({ ...options, tokensBefore }, cut, {
      context,
      summaryUuid,
      boundaryUuid,
      contextEpoch,
      self: selfOffset - context.offsetBase,
      summary: summaryOffset - context.offsetBase,
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
  const uuids = { summaryUuid, boundaryUuid }
  return { ...uuids, contextEpoch, tokensBefore, coverTo, events: [summary, boundary] }
}

interface Cut {
  readonly covered: readonly SeenEntry[]
  readonly kept: readonly SeenEntry[]
  readonly isPrefixKept: boolean
  /** `undefined`: everything after what is kept. */
  readonly coveredTo?: SeenEntry | undefined
}

function toCut(options: CompactOptions & CompactInternals, entries: readonly SeenEntry[]): Cut {
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
 * A uuid may occur twice in what the model sees: in a file that this one continues, or in a repeated
 * line. A boundary that names such a message would mean the last one, and cover messages that were
 * not summarized, or be invalid.
 */
function nameCovered(cut: Cut, { coverTo }: CompactInternals, projection: Projection): Cut {
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
    const what = `"${uuid}" names two messages, so a boundary cannot name the first; cut elsewhere`
    throw new SessionError('ERR_ARG', what, { uuid })
  }
  // A repeated line that is not shown may follow the last one that is.
  const isToEnd = isOpen(cut) && coverTo === undefined
  const isAll = isToEnd && projection.continuation.entries.at(-1) !== last
  const coveredTo = last === undefined || isAll || !isNamed(last) ? undefined : last
  return { ...cut, coveredTo }
}

/** The covered messages reach to the end, unless `coverTo` names the last one. */
function isOpen({ isPrefixKept, kept }: Cut): boolean {
  return isPrefixKept || kept.length === 0
}

function indexOf(entries: readonly SeenEntry[], uuid: string): number {
  const index = entries.findLastIndex(({ event }) => event.uuid === uuid)
  if (index !== -1) return index
  const what = `"${uuid}" is not among the messages the model sees`
  throw new SessionError('ERR_NOT_FOUND', what, { uuid })
}

const KEPT_MAX = 256

function toBoundary(
  options: CompactOptions,
  { covered, kept, isPrefixKept, coveredTo }: Cut,
  at: {
    readonly context: CompactContext
    readonly summaryUuid: string
    readonly boundaryUuid: string
    readonly contextEpoch: number
    readonly self: number
    readonly summary: number
  },
): Boundary {
  const { path, offsetBase } = at.context
  // An ancestor's event is in another file, to which offsets of this one do not apply.
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
