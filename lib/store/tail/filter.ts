// Which entries of a log are returned: all of them, or those that a model sees. Entries from before
// the start are returned if they are still in the context; later ones as they are written.

import { isGap } from '../../chain/index.js'
import { MESSAGE_TYPES } from '../../format/index.js'
import type { FollowEntry, LogEntry } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { loadSession } from '../load/load-session.js'

/** What a model sees, and the two events that change what it saw before. */
const VISIBLE = new Set([...MESSAGE_TYPES, 'compaction_boundary', 'rewind'])

interface Past {
  readonly end: number
  readonly offsets: ReadonlySet<number>
}

export class TailFilter {
  readonly #isProjected: boolean
  readonly #store: StoreContext
  readonly #pasts = new Map<string, Past>()

  constructor(store: StoreContext, isProjected: boolean) {
    this.#isProjected = isProjected
    this.#store = store
  }

  /** Everything in the file before this byte was written before the start. */
  begin(path: string, end: number): void {
    if (!this.#isProjected) return
    const { log } = loadSession(this.#store, path, { lazyPayloads: true })
    const offsets = log.projection.entries.flatMap((entry) =>
      isGap(entry) || entry.file !== path ? [] : [entry.byte_offset],
    )
    this.#pasts.set(path, { end, offsets: new Set(offsets) })
  }

  matches({ path, ...entry }: (LogEntry | FollowEntry) & { readonly path: string }): boolean {
    if (!this.#isProjected) return true
    if (entry.kind !== 'event') return false
    const past = this.#pasts.get(path)
    const isPast = past !== undefined && entry.byte_offset < past.end
    return isPast ? past.offsets.has(entry.byte_offset) : VISIBLE.has(entry.event.type)
  }
}
