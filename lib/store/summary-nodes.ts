// What becomes a node of the graph of summaries: a compaction that was committed, and a checkpoint
// that sums up.

import { Revisions } from '../chain/index.js'
import { isSessionError } from '../errors.js'
import type { SessionEvent } from '../format/index.js'
import { type EventEntry, type Line, readLogSync } from '../log/index.js'
import type { SessionDigest } from './session-digest.js'
import { fieldsOf, textOf } from './session-digest-events.js'
import { mayBeOneOf } from './wanted-lines.js'

const WANTED = new Set(['summary', 'compaction_boundary', 'summary_revision'])

/** How much a node is worth to whoever ranks them, by what it comes from. */
const SCORES = { compaction: 0.95, summary: 0.95, checkpoint: 0.85 } as const

export type SummarySourceType = keyof typeof SCORES

/** What the graph needs of a checkpoint record; the records are handed in. */
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

/** A node and where it stands; the rest of the library sees what `SummaryNode` shows of it. */
export interface PlacedNode {
  readonly id: string
  readonly sourceType: SummarySourceType
  readonly sessionId: string
  readonly score: number
  readonly createdAt: string
  readonly text: string
  readonly meta: object
  /** Its order among the nodes of a session. */
  readonly place: number
  /** The byte of the transcript that it reaches up to; `undefined` when nobody said. */
  readonly reach: number | undefined
  readonly compaction?: { readonly summaryUuid: string; readonly boundaryUuid: string }
}

interface Compaction {
  readonly summary: EventEntry
  readonly boundary: EventEntry
}

/** The compactions of a file whose boundary stands right behind its summary. */
export function compactionsIn({ session_id, path }: SessionDigest): PlacedNode[] {
  const found: Compaction[] = []
  const revisions = new Revisions()
  let summary: EventEntry | undefined
  for (const entry of eventsOf(path)) {
    revisions.take(entry)
    const { type } = entry.event
    if (type === 'summary') summary = entry
    const isBoundary = type === 'compaction_boundary' && summary !== undefined
    if (isBoundary && isPair(summary!, entry)) found.push({ summary: summary!, boundary: entry })
  }
  return found.map((compaction) => {
    const { byte_offset, event } = compaction.summary
    const text = revisions.textOf(byte_offset) ?? textIn(event)
    return compactionNode(session_id, compaction, text)
  })
}

function isPair({ event: summary }: EventEntry, { event: boundary }: EventEntry): boolean {
  const { summary_event_uuid } = fieldsOf(boundary.payload)
  const isItsOwn = summary_event_uuid === summary.uuid && boundary.prev_uuid === summary.uuid
  return isItsOwn && textIn(summary).trim() !== ''
}

function textIn({ payload }: SessionEvent): string {
  return textOf(fieldsOf(payload)['text']) ?? ''
}

function compactionNode(
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
    place: boundary.byte_offset,
    reach: boundary.byte_offset,
    compaction: { summaryUuid, boundaryUuid },
    ...ofType('compaction'),
  }
}

function* eventsOf(path: string): Generator<EventEntry> {
  try {
    const isWanted = (line: Line) => mayBeOneOf(WANTED, line)
    for (const entry of readLogSync(path, { isWanted })) if (entry.kind === 'event') yield entry
  } catch (error) {
    // It went away since it was listed.
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
  }
}

function ofType(sourceType: SummarySourceType) {
  return { sourceType, score: SCORES[sourceType] }
}

/** `undefined` for a checkpoint that is a note for the next start and sums up nothing. */
export function checkpointNode(
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
    place: reach ?? placeByTime(neighbours, createdAt),
    reach,
    ...ofType(type),
  }
}

/** Right behind the last node that is not younger. */
function placeByTime(nodes: readonly PlacedNode[], createdAt: string): number {
  return (nodes.findLast((node) => node.createdAt <= createdAt)?.place ?? 0) + 1
}
