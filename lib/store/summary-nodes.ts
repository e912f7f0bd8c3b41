// What becomes a node of the graph of summaries: a compaction that was committed, and a checkpoint
// that sums up.

import { Revisions } from '../chain/index.js'
import { isSessionError } from '../errors.js'
import { type Line, readLogSync } from '../log/index.js'
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
  /** The byte of the transcript that it reaches up to: its order among the nodes of a session. */
  readonly place: number
  readonly compaction?: { readonly summaryUuid: string; readonly boundaryUuid: string }
}

/** The compactions of a file whose boundary stands right behind its summary. */
export function compactionsIn(digest: SessionDigest): PlacedNode[] {
  const found: { node: PlacedNode; summaryOffset: number }[] = []
  const revisions = new Revisions()
  let summary: { uuid: string; text: string; byte_offset: number } | undefined
  for (const { event, byte_offset } of eventsOf(digest.path)) {
    revisions.take({ event, byte_offset })
    const fields = fieldsOf(event.payload)
    if (event.type === 'summary') {
      summary = { uuid: event.uuid, text: textOf(fields['text']) ?? '', byte_offset }
    } else if (event.type === 'compaction_boundary' && summary !== undefined) {
      const { uuid, text, byte_offset: summaryOffset } = summary
      const isItsOwn = event.prev_uuid === uuid && fields['summary_event_uuid'] === uuid
      if (!isItsOwn || text.trim() === '') continue
      const { strategy, trigger, epoch } = fields
      const place = { summaryUuid: uuid, boundaryUuid: event.uuid }
      const meta = { source: 'compaction', ...names(place), strategy, trigger, epoch }
      const id = `${digest.session_id}:${uuid}`
      const about = { id, sessionId: digest.session_id, createdAt: event.ts, text, meta }
      const node = { ...about, place: byte_offset, compaction: place, ...ofType('compaction') }
      found.push({ node, summaryOffset })
    }
  }
  return found.map(({ node, summaryOffset }) => {
    return { ...node, text: revisions.textOf(summaryOffset) ?? node.text }
  })
}

function names({ summaryUuid, boundaryUuid }: { summaryUuid: string; boundaryUuid: string }) {
  return { boundary_uuid: boundaryUuid, summary_uuid: summaryUuid }
}

function* eventsOf(path: string) {
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

/** The node of a checkpoint; `undefined` for one that is a note for the next start and sums up nothing. */
export function checkpointNode(
  checkpoint: SummaryCheckpoint,
  neighbours: readonly PlacedNode[],
): PlacedNode | undefined {
  const { id, session_key: sessionId, created_at: createdAt, trigger } = checkpoint
  const summary = textOf(checkpoint.session_summary)
  const state = textOf(fieldsOf(checkpoint.structured)['summary'])
  if (summary === null && state === null && trigger !== 'periodic') return undefined
  const type = summary === null ? 'checkpoint' : 'summary'
  return {
    id,
    sessionId,
    createdAt,
    text: summary ?? state ?? checkpoint.digest,
    meta: { source: type, checkpoint_id: id, trigger },
    place: checkpoint.transcript_offset ?? placeByTime(neighbours, createdAt),
    ...ofType(type),
  }
}

/** Right behind the last node that is not younger. */
function placeByTime(nodes: readonly PlacedNode[], createdAt: string): number {
  return (nodes.findLast((node) => node.createdAt <= createdAt)?.place ?? 0) + 1
}
