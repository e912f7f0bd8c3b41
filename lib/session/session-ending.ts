// How a session ends: its subagents first, then what waits for it, what it leaves for the next one,
// the terminator, and its file is free.

import type { NewEvent } from '../log/index.js'
import type { SessionEnd, SessionParts } from './session-parts.js'
import type { Subagents } from './subagents.js'

export class SessionEnding {
  readonly #parts: SessionParts
  readonly #subagents: Subagents
  readonly #takeQueued: () => Promise<void>

  constructor(parts: SessionParts, subagents: Subagents, takeQueued: () => Promise<void>) {
    this.#parts = parts
    this.#subagents = subagents
    this.#takeQueued = takeQueued
  }

  async close(reason: string): Promise<SessionEnd> {
    const { log, continuity, history, settings } = this.#parts
    try {
      await this.#subagents.endAll('parent_closed')
      await this.#takeQueued()
      await continuity?.end(reason)
      const receipts = await log.appendAll(this.#lastEvents(reason))
      await log.close()
      await history?.settled()
      return this.#closedBy(receipts.at(-1)!.uuid)
    } finally {
      // A second call does nothing more; after a failure it still gives the file free.
      await log.close().catch(() => {})
      settings.onClosed()
    }
  }

  closeSync(reason: string): SessionEnd {
    const { log, continuity, settings } = this.#parts
    log.flush()
    this.#subagents.endAllSync(reason === 'signal' ? reason : 'parent_closed')
    continuity?.endSync(reason)
    const receipts = this.#lastEvents(reason).map((event) => log.appendSync(event))
    const end = this.#closedBy(receipts.at(-1)!.uuid)
    log.closeSync()
    settings.onClosed()
    return end
  }

  /** The file is given free, and the session goes on whenever somebody likes. */
  async release(): Promise<SessionEnd> {
    const { log, continuity, history, settings } = this.#parts
    try {
      await this.#subagents.endAll('parent_closed')
      await continuity?.flush()
      await log.close()
      await history?.settled()
      return this.#endOf(null)
    } finally {
      settings.onClosed()
    }
  }

  #lastEvents(reason: string): NewEvent[] {
    const { log, view, settings } = this.#parts
    const title = this.#parts.title.line()
    const end_ts = new Date(settings.environment.now()).toISOString()
    const { eventCount } = view
    const extra = title === undefined ? 1 : 2
    const terminator: NewEvent = {
      type: 'session_terminator',
      payload: {
        end_ts,
        reason,
        last_uuid: log.tip,
        events: eventCount === undefined ? null : eventCount + extra,
        bytes: log.size,
      },
    }
    return title === undefined ? [terminator] : [title, terminator]
  }

  #closedBy(terminatorUuid: string): SessionEnd {
    const { earlier } = this.#parts
    const end = this.#endOf(terminatorUuid)
    return {
      ...end,
      history_offset: end.history_offset ?? earlier?.historyOffset() ?? null,
      checkpoint_hash: end.checkpoint_hash ?? earlier?.checkpointHash() ?? null,
    }
  }

  #endOf(terminatorUuid: string | null): SessionEnd {
    const { log, history, storage } = this.#parts
    return {
      transcript_path: log.path,
      history_offset: history?.offset ?? null,
      checkpoint_hash: this.#newestHash(),
      transcript_flushed: storage.isPersistent,
      history_appended: history?.isAppended ?? false,
      terminator_uuid: terminatorUuid,
    }
  }

  /** Of the checkpoint or the manifest of files, whichever was stored last. */
  #newestHash(): string | null {
    const { continuity, files } = this.#parts
    const ofText = continuity?.hash ?? null
    return files.textHashThen === ofText ? (files.hash ?? ofText) : ofText
  }
}
