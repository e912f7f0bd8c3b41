// What a session had left before this process went on with it in the same file. It is looked up at
// the end only, and only where this process left nothing newer.

import { fieldsOf, type PlacedEvent } from '../chain/index.js'
import { type LogHandle, type LogOptions, readLogBackwardSync } from '../log/index.js'
import {
  findNewestCheckpoint,
  lastHistoryOffset,
  type StoredCheckpoint,
  type StoreOptions,
} from '../store/index.js'

export interface EarlierEnd {
  /** Of its newest line in the last 64 KiB of the live history. */
  historyOffset(): number | null
  /** Of its newest checkpoint, or of files saved since, as its last 64 KiB tell. */
  checkpointHash(): string | null
}

export interface EarlierPlace extends Pick<StoreOptions, 'root' | 'home' | 'agent'> {
  readonly environment?: LogOptions['environment']
}

type Transcript = Pick<LogHandle, 'path' | 'size'>

const REACH_BYTES = 64 * 1024

export function earlierEnd(sessionId: string, log: Transcript, place: EarlierPlace): EarlierEnd {
  return {
    historyOffset: () => orNull(() => lastHistoryOffset(sessionId, place)),
    checkpointHash: () =>
      orNull(() => {
        const { newest } = findNewestCheckpoint({ ...place, session: sessionId })
        const files = lastFileCheckpoint(log)
        if (files === undefined) return newest?.sha256 ?? null
        const { hash } = fieldsOf(files.event.payload)
        const isNewer = newest === undefined || isSavedSince(newest, files)
        return isNewer && typeof hash === 'string' ? hash : (newest?.sha256 ?? null)
      }),
  }
}

// The session has ended, and its transcript is whole: what cannot be looked up now is not told.
function orNull<Value>(look: () => Value | null): Value | null {
  try {
    return look()
  } catch {
    return null
  }
}

function lastFileCheckpoint({ path, size }: Transcript): PlacedEvent | undefined {
  const from = Math.max(0, size - REACH_BYTES)
  for (const entry of readLogBackwardSync(path, { from, lazyPayloads: true })) {
    if (entry.kind === 'event' && entry.event.type === 'file_checkpoint') return entry
  }
  return undefined
}

/** By its place, where the checkpoint says up to where it has seen the transcript. */
function isSavedSince({ checkpoint }: StoredCheckpoint, files: PlacedEvent): boolean {
  const { transcript_offset, created_at } = checkpoint
  if (typeof transcript_offset === 'number') return files.byte_offset >= transcript_offset
  return Date.parse(files.event.ts) > Date.parse(created_at)
}
