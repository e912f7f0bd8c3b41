// What a session had recorded before this process resumed it in the same file. It is read only when
// the session ends, and only where this process recorded nothing newer.

import { fieldsOf, type PlacedEvent } from '../../chain/index.js'
import { type LogHandle, readLogBackwardSync } from '../../log/index.js'
import {
  findNewestCheckpoint,
  lastHistoryOffset,
  type StoreContext,
  type StoredCheckpoint,
} from '../../store/index.js'

export interface PreviousRun {
  /** Offset of its newest line in the last 64 KiB of the live history. */
  historyOffset(): number | null
  /** Hash of its newest checkpoint, or of files saved since, as its last 64 KiB show. */
  checkpointHash(): string | null
}

type Transcript = Pick<LogHandle, 'path' | 'size'>

const REACH_BYTES = 64 * 1024

export function previousRun(store: StoreContext, sessionId: string, log: Transcript): PreviousRun {
  return {
    historyOffset: () => orNull(() => lastHistoryOffset(store, sessionId)),
    checkpointHash: () =>
      orNull(() => {
        const { newest } = findNewestCheckpoint(store, { session: sessionId })
        const files = lastFileCheckpoint(store, log)
        if (files === undefined) return newest?.sha256 ?? null
        const { hash } = fieldsOf(files.event.payload)
        const isNewer = newest === undefined || isSavedSince(newest, files)
        return isNewer && typeof hash === 'string' ? hash : (newest?.sha256 ?? null)
      }),
  }
}

// The session has ended and its transcript is complete; a failed read here is not worth an error.
function orNull<Value>(read: () => Value | null): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}

function lastFileCheckpoint(
  { env }: StoreContext,
  { path, size }: Transcript,
): PlacedEvent | undefined {
  const from = Math.max(0, size - REACH_BYTES)
  for (const entry of readLogBackwardSync(path, { from, lazyPayloads: true, environment: env })) {
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
