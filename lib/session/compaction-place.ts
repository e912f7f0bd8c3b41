// What a compaction needs of a session: to see it, and to add to it. There are two ways to have
// that: a handle that is open anyway, or a session that lies in the store and is locked only for
// the moment in which something is written.

import type { Projection } from '../chain/index.js'
import type { ChosenSummary } from '../compaction/index.js'
import type { RollingSummarizer } from '../continuity/index.js'
import type { NewEvent } from '../log/index.js'
import {
  type CheckpointPayload,
  findTranscript,
  layoutOf,
  listCheckpoints,
  loadSession,
} from '../store/index.js'
import { append_transcript } from './append-transcript.js'
import { checkpointBeforeCompaction } from './checkpoint-once.js'
import { type CommitOptions, commitCompaction } from './compact-commit.js'
import { resumeSession } from './resume.js'
import { sessionIdOf } from './resumed-session.js'
import type { Session } from './session.js'
import type { ContextFill } from './session-continuity.js'
import type { CompactResult } from './session-parts.js'
import type { SessionOptions } from './settings.js'

export interface CompactionPlace {
  /** What only one compaction at a time may work on. */
  readonly handle: object
  readonly id: string
  readonly path: string
  /** The newest event of the chain. */
  readonly tip: string | null
  readonly projection: Projection
  projectionAt(uuid: string): Projection
  /** What is known of it already, newest first. */
  checkpoints(): readonly CheckpointPayload[]
  /** Leaves a checkpoint of what is about to go. */
  checkpointBefore(): Promise<void>
  /** Is told how full the context is: checkpoints fall due by that, too. */
  setContextFill(fill: ContextFill): void
  /** Is told who sums up what checkpoints tell. */
  summarizeCheckpoints(summarize: RollingSummarizer): void
  /** Adds an event beside the chain. */
  append(event: NewEvent): Promise<unknown>
  commit(chosen: ChosenSummary, options: CommitOptions): Promise<CompactResult>
}

/** A session that this process keeps open. */
export function openPlace(session: Session): CompactionPlace {
  return {
    handle: session,
    id: session.id,
    path: session.path,
    get tip() {
      return session.tip
    },
    get projection() {
      return session.projection
    },
    projectionAt: (uuid) => session.projectionAt(uuid),
    checkpoints: () => session.checkpoints(),
    checkpointBefore: () => session.checkpointBeforeCompaction(),
    setContextFill: (fill) => session.setContextFill(fill),
    summarizeCheckpoints: (summarize) => session.summarizeCheckpoints(summarize),
    append: (event) => session.append(event),
    commit: (chosen, options) => commitCompaction(session, chosen, options),
  }
}

/** Which session of the store is meant, by its id or the beginning of it. */
export interface StoredSession extends SessionOptions {
  readonly id: string
}

/** A session that nobody needs to keep open: others may append to it meanwhile. */
export function storedPlace(stored: StoredSession): CompactionPlace {
  const path = findTranscript(stored.id, stored)
  const layout = layoutOf(stored)
  const load = (at?: string) => loadSession(path, { layout, at, lazyPayloads: true })
  const id = sessionIdOf(load())
  const place: CompactionPlace = {
    get handle() {
      return place
    },
    id,
    path,
    get tip() {
      return load().log.path.at(-1)?.event.uuid ?? null
    },
    get projection() {
      return load().log.projection
    },
    projectionAt: (uuid) => load(uuid).log.projection,
    checkpoints: () => {
      const { checkpoints } = listCheckpoints({ ...stored, session: id })
      return checkpoints.map(({ checkpoint }) => checkpoint)
    },
    checkpointBefore: () => {
      const { log, events } = load()
      const facts = {
        transcript_offset: (events.at(-1)?.byte_offset ?? 0) + 1,
        last_uuid: log.path.at(-1)?.event.uuid ?? null,
      }
      return checkpointBeforeCompaction({ id, path, facts }, stored)
    },
    // Whoever writes the session knows its turns; nobody does here.
    setContextFill: () => {},
    summarizeCheckpoints: () => {},
    append: (event) => append_transcript({ session_id: id, event }, stored),
    commit: async (chosen, options) => {
      const { session } = await resumeSession({ ...stored, id, mode: 'append', isQuiet: true })
      try {
        return await commitCompaction(session!, chosen, options)
      } finally {
        await session!.release()
      }
    },
  }
  return place
}
