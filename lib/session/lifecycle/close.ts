// How a session ends: its subagents first, then spooled events, its last checkpoint and the
// terminator; then its file is unlocked.

import { fieldsOf, type PlacedEvent } from '../../chain/index.js'
import { type NewEvent, readLogBackwardSync } from '../../log/index.js'
import {
  findNewestCheckpoint,
  lastHistoryOffset,
  readSessionProject,
  type StoredCheckpoint,
} from '../../store/index.js'
import { terminatorEvent } from '../header.js'
import type { Lazy } from '../lazy.js'
import type { SpoolTaker } from '../record/spool-taker.js'
import type { Subagents } from '../subagents/subagents.js'
import type { SessionEnd, SessionParts } from '../types.js'

export interface ClosingParts extends SessionParts {
  /** `undefined`: the session never had one. */
  readonly subagents: Subagents | undefined
  readonly spool: Lazy<SpoolTaker>
}

export async function closeSession(parts: ClosingParts, reason: string): Promise<SessionEnd> {
  const { log, continuity, history, settings, subagents } = parts
  try {
    await subagents?.endAll('parent_closed')
    await parts.spool.value.take()
    await continuity?.made?.end(reason)
    const receipts = await log.appendAll(lastEvents(parts, reason))
    await log.close()
    await history?.made?.settled()
    return closedEnd(parts, receipts.at(-1)!.uuid)
  } finally {
    // Idempotent; after a failure it still unlocks the file.
    await log.close().catch(() => {})
    settings.onClosed()
  }
}

export function closeSessionSync(parts: ClosingParts, reason: string): SessionEnd {
  const { log, continuity, settings, subagents } = parts
  log.flush()
  subagents?.endAllSync(reason === 'signal' ? reason : 'parent_closed')
  continuity?.made?.endSync(reason)
  const receipts = lastEvents(parts, reason).map((event) => log.appendSync(event))
  const end = closedEnd(parts, receipts.at(-1)!.uuid)
  log.closeSync()
  settings.onClosed()
  return end
}

/** Unlocks the file without ending the session. */
export async function releaseSession(parts: ClosingParts): Promise<SessionEnd> {
  const { log, continuity, history, settings, subagents } = parts
  try {
    await subagents?.endAll('parent_closed')
    await continuity?.made?.flush()
    await log.close()
    await history?.made?.settled()
    return endOf(parts, null)
  } finally {
    settings.onClosed()
  }
}

function lastEvents({ log, view, settings, meta }: SessionParts, reason: string): NewEvent[] {
  const metaLine = meta.line()
  const { eventCount } = view
  const added = metaLine === undefined ? 1 : 2
  const events = eventCount === undefined ? null : eventCount + added
  const end = { reason, last_uuid: log.tip, events, bytes: log.size }
  const terminator: NewEvent = terminatorEvent(end, settings.store.env.now())
  return metaLine === undefined ? [terminator] : [metaLine, terminator]
}

/** With what the session had recorded before this process resumed it in the same file. */
function closedEnd(parts: SessionParts, terminatorUuid: string): SessionEnd {
  const { id, isNew, settings } = parts
  const end = endOf(parts, terminatorUuid)
  if (isNew) return end
  const { history_offset, checkpoint_hash } = end
  return {
    ...end,
    history_offset: history_offset ?? orNull(() => lastHistoryOffset(settings.store, id)),
    checkpoint_hash: checkpoint_hash ?? orNull(() => previousHash(parts)),
  }
}

function endOf(parts: SessionParts, terminatorUuid: string | null): SessionEnd {
  const { log, history, storage } = parts
  return {
    transcript_path: log.path,
    history_offset: history?.made?.offset ?? null,
    checkpoint_hash: newestHash(parts),
    transcript_flushed: storage.isPersistent,
    history_appended: history?.made?.isAppended ?? false,
    terminator_uuid: terminatorUuid,
  }
}

/** The hash of the checkpoint or of the manifest of files, whichever was stored last. */
function newestHash({ continuity, files }: SessionParts): string | null {
  const checkpointHash = continuity?.made?.hash ?? null
  if (files.made === undefined || files.made.textHashThen !== checkpointHash) return checkpointHash
  return files.made.hash ?? checkpointHash
}

// The session has ended and its transcript is complete; a failed read here is not worth an error.
function orNull<Value>(read: () => Value | null): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** Hash of its newest checkpoint, or of files saved since, as its last 64 KiB show. */
function previousHash(parts: SessionParts): string | null {
  const { id: session, settings } = parts
  // Without the shards that the transcript refers to: a close must not read all of it.
  const sessionProject = readSessionProject(settings.store, session)
  const { newest } = findNewestCheckpoint(settings.store, { session, sessionProject })
  const files = lastFileCheckpoint(parts)
  if (files === undefined) return newest?.sha256 ?? null
  const { hash } = fieldsOf(files.event.payload)
  const isNewer = newest === undefined || isSavedSince(newest, files)
  return isNewer && typeof hash === 'string' ? hash : (newest?.sha256 ?? null)
}

const REACH_BYTES = 64 * 1024

function lastFileCheckpoint({ log, settings }: SessionParts): PlacedEvent | undefined {
  const from = Math.max(0, log.size - REACH_BYTES)
  const options = { from, lazyPayloads: true, environment: settings.store.env }
  for (const entry of readLogBackwardSync(log.path, options)) {
    if (entry.kind === 'event' && entry.event.type === 'file_checkpoint') return entry
  }
  return undefined
}

/** By offset, where the checkpoint says how much of the transcript it covers; else by time. */
function isSavedSince({ checkpoint }: StoredCheckpoint, files: PlacedEvent): boolean {
  const { transcript_offset, created_at } = checkpoint
  if (typeof transcript_offset === 'number') return files.byte_offset >= transcript_offset
  return Date.parse(files.event.ts) > Date.parse(created_at)
}
