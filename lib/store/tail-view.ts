// Which entries of a log are shown: all of them, or those that a model is shown. What was said before
// somebody looked is shown if it is still in the context; what comes later, as it comes.

import { isGap } from '../chain/index.js'
import type { SessionEvent } from '../format/index.js'
import type { FollowEntry, LogEntry } from '../log/index.js'
import { layoutOf, type StoreOptions } from './layout.js'
import { loadSession } from './load-session.js'

/** What a model is shown, and the two events that change what it was shown before. */
const SEEN = new Set([
  'user',
  'assistant',
  'tool_call',
  'tool_result',
  'system',
  'summary',
  'subagent_result',
  'compaction_boundary',
  'rewind',
])

interface Past {
  readonly end: number
  readonly offsets: ReadonlySet<number>
}

export class TailView {
  readonly #isProjected: boolean
  readonly #store: StoreOptions
  readonly #pasts = new Map<string, Past>()

  constructor({ isProjected, store }: { isProjected: boolean; store: StoreOptions }) {
    this.#isProjected = isProjected
    this.#store = store
  }

  /** Everything in the file before this byte is past. */
  begin(path: string, end: number): void {
    if (!this.#isProjected) return
    const { log } = loadSession(path, { layout: layoutOf(this.#store), lazyPayloads: true })
    const offsets = log.projection.entries.flatMap((entry) =>
      isGap(entry) || entry.file !== path ? [] : [entry.byte_offset],
    )
    this.#pasts.set(path, { end, offsets: new Set(offsets) })
  }

  isShown({ path, ...entry }: (LogEntry | FollowEntry) & { readonly path: string }): boolean {
    if (!this.#isProjected) return true
    if (entry.kind !== 'event') return false
    const past = this.#pasts.get(path)
    const isPast = past !== undefined && entry.byte_offset < past.end
    return isPast ? past.offsets.has(entry.byte_offset) : isSeen(entry.event)
  }
}

function isSeen({ type }: SessionEvent): boolean {
  return SEEN.has(type)
}
