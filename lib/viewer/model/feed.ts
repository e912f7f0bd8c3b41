// The lines that a lens shows, in order: all of them as rows, and the bodies of those near the screen.

import type { Entry, Row } from '../data/types.js'

/** So many rows are loaded with one request. */
const WINDOW_ROWS = 40
/** Bodies that are kept; those that were used least recently are forgotten. */
const BODIES_MAX = 1200

export type ReadBodies = (
  rows: readonly Row[],
  from: number,
  limit: number,
) => Promise<readonly Entry[]>

export class Feed {
  readonly rows: Row[]
  readonly #read: ReadBodies
  readonly #onChange: () => void
  readonly #bodies = new Map<number, Entry>()
  readonly #loading = new Set<number>()
  readonly #failed = new Map<number, string>()

  constructor(rows: Row[], read: ReadBodies, onChange: () => void) {
    this.rows = rows
    this.#read = read
    this.#onChange = onChange
  }

  /** The body of a row; `undefined` while it is loaded. */
  body(index: number): Entry | undefined {
    const entry = this.#bodies.get(index)
    if (entry !== undefined) {
      this.#bodies.delete(index)
      this.#bodies.set(index, entry)
    }
    return entry
  }

  /** Why the body of a row could not be loaded. */
  failure(index: number): string | undefined {
    return this.#failed.get(Math.floor(index / WINDOW_ROWS))
  }

  setBody(index: number, entry: Entry): void {
    this.#bodies.set(index, entry)
    for (const old of this.#bodies.keys()) {
      if (this.#bodies.size <= BODIES_MAX) break
      this.#bodies.delete(old)
    }
  }

  /** Loads the bodies of these rows that are not in memory. */
  request(indexes: Iterable<number>): void {
    for (const index of indexes) {
      if (index < 0 || index >= this.rows.length || this.#bodies.has(index)) continue
      const window = Math.floor(index / WINDOW_ROWS)
      if (!this.#loading.has(window) && !this.#failed.has(window)) void this.#load(window)
    }
  }

  /** Tries once more what failed. */
  retry(): void {
    this.#failed.clear()
    this.#onChange()
  }

  async #load(window: number): Promise<void> {
    this.#loading.add(window)
    try {
      let from = window * WINDOW_ROWS
      const end = Math.min(from + WINDOW_ROWS, this.rows.length)
      // An answer may be shorter than what was asked for: pages are limited in bytes, too.
      while (from < end) {
        const entries = await this.#read(this.rows, from, end - from)
        if (entries.length === 0) break
        for (const entry of entries) this.setBody(from++, entry)
        this.#onChange()
      }
    } catch (error) {
      this.#failed.set(window, error instanceof Error ? error.message : String(error))
    }
    this.#loading.delete(window)
    this.#onChange()
  }
}
