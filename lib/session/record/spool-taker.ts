// Appends to an open session what other processes spooled while this one held the lock (hooks, a
// rename).

import { diagnostic } from '../../format/index.js'
import type { NewEvent } from '../../log/index.js'
import type { SessionParts } from '../types.js'
import { takeSpooled } from './take-spool.js'

type Append = (events: readonly NewEvent[]) => Promise<unknown>

export class SpoolTaker {
  readonly #parts: SessionParts
  readonly #append: Append
  #taken = Promise.resolve()

  constructor(parts: SessionParts, append: Append) {
    this.#parts = parts
    this.#append = append
  }

  /** One call after the other, and none fails: what the caller appended is written already. */
  take(): Promise<void> {
    const taken = this.#taken.then(() => this.#takeAll())
    this.#taken = taken.catch(() => {})
    return taken
  }

  async #takeAll(): Promise<void> {
    const { id, log, settings, storage } = this.#parts
    if (!storage.isPersistent) return
    const append = async (events: readonly NewEvent[]) => {
      await this.#append(events)
      // A waiting event was on the disk when it was acknowledged, and must not leave it.
      await log.sync()
    }
    try {
      await takeSpooled(settings.store, { path: log.path, spoolName: id, append })
    } catch (error) {
      const message = `Events that wait for this session stay queued: ${(error as Error).message}`
      settings.store.report(diagnostic('spool_unreadable', message, { file: log.path }))
    }
  }
}
