// The nodes of the graph of summaries: committed compactions, and checkpoints that summarize.

import { Revisions } from '../../chain/index.js'
import { isSessionError } from '../../errors.js'
import { fieldsOf, textOf } from '../../format/fields.js'
import type { SessionEvent } from '../../format/index.js'
import { type EventEntry, type Line, readLogSync } from '../../log/index.js'
import type { SessionInfo } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { mayHaveType } from '../prefilter/type-prefilter.js'

const WANTED = new Set(['summary', 'compaction_boundary', 'summary_revision'])

/** The rank of a node, by its source. */
const SCORES = { compaction: 0.95, summary: 0.95, checkpoint: 0.85 } as const

export type SummarySourceType = keyof typeof SCORES

/** What the graph needs of a checkpoint record; the caller passes the records. */
export interface SummaryCheckpoint {
  readonly id: string
  readonly session_key: string
  readonly created_at: string
  readonly trigger: string
  readonly digest: string
  readonly structured?: unknown
  readonly session_summary?: string | undefined
  readonly transcript_offset?: number | null | undefined
}

/** A node and its position; `SummaryNode` is what callers see of it. */
export interface PlacedNode {
  readonly id: string
  readonly sourceType: SummarySourceType
  readonly sessionId: string
  readonly score: number
  readonly createdAt: string
  readonly text: string
  readonly meta: object
  /** Its order among the nodes of a session. */
  readonly order: number
  /** The byte of the transcript that it covers up to; `undefined` if unknown. */
  readonly reach: number | undefined
  readonly compaction?: { readonly summaryUuid: string; readonly boundaryUuid: string }
}

interface Compaction {
  readonly summary: EventEntry
  readonly boundary: EventEntry
}

/** The compactions of a file whose boundary directly follows its summary. */
export function readCompactions(
  store: StoreContext,
  { sessionId, path }: SessionInfo,
): PlacedNode[] {
  const found: Compaction[] = []
  const revisions = new Revisions()
  let summary: EventEntry | undefined
  for (const entry of readEvents(store, path)) {
    revisions.add(entry)
    const { type } = entry.event
    if (type === 'summary') summary = entry
    const isBoundary = type === 'compaction_boundary' && summary !== undefined
    if (isBoundary && isPair(summary!, entry)) found.push({ summary: summary!, boundary: entry })
  }
  return found.map((compaction) => {
    const { byte_offset, event } = compaction.summary
    const text = revisions.textOf(byte_offset) ?? summaryText(event)
    return toCompactionNode(sessionId, compaction, text)
  })
}

function isPair({ event: summary }: EventEntry, { event: boundary }: EventEntry): boolean {
  const { summary_event_uuid } = fieldsOf(boundary.payload)
  const isItsOwn = summary_event_uuid === summary.uuid && boundary.prev_uuid === summary.uuid
  return isItsOwn && summaryText(summary).trim() !== ''
}

function summaryText({ payload }: SessionEvent): string {
  return textOf(fieldsOf(payload)['text']) ?? ''
}

function toCompactionNode(
  sessionId: string,
  { summary, boundary }: Compaction,
  text: string,
): PlacedNode {
  const summaryUuid = summary.event.uuid
  const boundaryUuid = boundary.event.uuid
  const { strategy, trigger, epoch } = fieldsOf(boundary.event.payload)
  const names = { boundary_uuid: boundaryUuid, summary_uuid: summaryUuid }
  return {
    id: `${sessionId}:${summaryUuid}`,
    sessionId,
    createdAt: boundary.event.ts,
    text,
    meta: { source: 'compaction', ...names, strategy, trigger, epoch },
    order: boundary.byte_offset,
    reach: boundary.byte_offset,
    compaction: { summaryUuid, boundaryUuid },
    ...ofType('compaction'),
  }
}

function* readEvents({ env }: StoreContext, path: string): Generator<EventEntry> {
  try {
    const isWanted = (line: Line) => mayHaveType(WANTED, line)
    for (const entry of readLogSync(path, { isWanted, environment: env }))
      if (entry.kind === 'event') yield entry
  } catch (error) {
    // It was removed since it was listed.
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
  }
}

function ofType(sourceType: SummarySourceType) {
  return { sourceType, score: SCORES[sourceType] }
}

/** `undefined` for a checkpoint that is a note for the next start and summarizes nothing. */
export function toCheckpointNode(
  checkpoint: SummaryCheckpoint,
  neighbours: readonly PlacedNode[],
): PlacedNode | undefined {
  const { id, session_key: sessionId, created_at: createdAt, trigger } = checkpoint
  const summary = textOf(checkpoint.session_summary)
  const state = textOf(fieldsOf(checkpoint.structured)['summary'])
  if (summary === null && state === null && trigger !== 'periodic') return undefined
  const type = summary === null ? 'checkpoint' : 'summary'
  const reach = checkpoint.transcript_offset ?? undefined
  return {
    id,
    sessionId,
    createdAt,
    text: summary ?? state ?? checkpoint.digest,
    meta: { source: type, checkpoint_id: id, trigger },
    order: reach ?? orderByTime(neighbours, createdAt),
    reach,
    ...ofType(type),
  }
}

/** Directly after the last node that is not newer. */
function orderByTime(nodes: readonly PlacedNode[], createdAt: string): number {
  return (nodes.findLast((node) => node.createdAt <= createdAt)?.order ?? 0) + 1
}
