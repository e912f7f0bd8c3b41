// A harness compacts: before it a checkpoint is stored, and the harness gets instructions for its
// summary; afterwards the summary is recorded, and the harness gets the number of its new context.

import { fieldsOf } from '../../chain/index.js'
import { compactionInstructions } from '../../compaction/index.js'
import { findNewestCheckpoint, loadSession, type StoreContext } from '../../store/index.js'
import { recordBeforeCompaction, recordCompaction } from '../compaction/record-compaction.js'
import type { HookRecordOptions } from '../record/hook-events.js'
import {
  type HarnessAnswer,
  type HarnessRequest,
  isText,
  openCall,
  requireText,
} from './requests.js'

export interface PreCompactionRequest extends HarnessRequest {
  /** What the harness knows of the work, in its own words. */
  readonly sessionContext?: string | undefined
  /** What the user asked the summary to keep. */
  readonly instructions?: string | undefined
}

export interface PreCompactionResponse extends HarnessAnswer {
  /** For the prompt of the summarizer. */
  readonly instructions: string
  /** The checkpoint that holds what the compaction removes. */
  readonly checkpointId: string | null
}

/** Stores a checkpoint. The context epoch does not change yet. */
export async function announceCompaction(
  given: StoreContext,
  request: PreCompactionRequest,
  recordOptions: HookRecordOptions = {},
): Promise<PreCompactionResponse> {
  const { store, sessionId, options } = openCall(given, request, recordOptions)
  const custom = isText(request.instructions) ? request.instructions : undefined
  const instructions = compactionInstructions({ custom })
  if (sessionId === undefined) return { sessionId: null, instructions, checkpointId: null }
  const sessionContext = isText(request.sessionContext) ? request.sessionContext : undefined
  const before = { sessionId, instructions: custom, sessionContext }
  await recordBeforeCompaction(store, before, options)
  const { newest } = findNewestCheckpoint(store, { session: sessionId })
  const isOwn = newest?.checkpoint.trigger === 'pre_compaction'
  return { sessionId, instructions, checkpointId: isOwn ? newest.checkpoint.id : null }
}

export interface CompactionRequest extends HarnessRequest {
  readonly summary: string
  /** @default 'external' */
  readonly trigger?: string | undefined
  /** The harness's own id of the compaction. */
  readonly promptId?: string | undefined
}

export interface CompactionResponse extends HarnessAnswer {
  readonly success: true
  readonly summaryUuid: string | null
  readonly boundaryUuid: string | null
  /** Hosts that avoid repeating themselves begin anew when it changes. */
  readonly contextEpoch: number
}

/** Records the summary of a compaction. A session that is not known begins with it. */
export async function completeCompaction(
  given: StoreContext,
  request: CompactionRequest,
  recordOptions: HookRecordOptions = {},
): Promise<CompactionResponse> {
  const { summary, trigger: cause, promptId: nativeId } = request
  requireText(summary, 'summary')
  const { store, sessionId, options } = openCall(given, request, recordOptions)
  requireText(sessionId, 'sessionKey')
  const trigger = cause === 'manual' || cause === 'auto' ? cause : 'external'
  const event = { sessionId, source: 'PostCompact', nativeId, summary, trigger } as const
  const { status } = await recordCompaction(store, event, options)
  const path = store.layout.transcriptPath(sessionId)
  const { log, events } = loadSession(store, path, { lazyPayloads: true })
  const { lastBoundary, contextEpoch } = log.projection
  const boundary = events.findLast(({ event: { uuid } }) => uuid === lastBoundary?.uuid)
  const { summary_event_uuid } = fieldsOf(boundary?.event.payload)
  return {
    sessionId,
    status,
    success: true,
    summaryUuid: typeof summary_event_uuid === 'string' ? summary_event_uuid : null,
    boundaryUuid: lastBoundary?.uuid ?? null,
    contextEpoch,
  }
}
