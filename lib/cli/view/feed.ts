// What a view shows, entry by entry, in the order of reading. It is asked for what is around a place,
// so a log of any size is opened by reading a few of its bytes.

import { isGap, type ProjectionEntry } from '../../chain/index.js'
import type { SessionEvent } from '../../format/index.js'
import { type Line, type LogEntry, readLogBackwardSync, readLogSync } from '../../log/index.js'
import { findLineStart, type StoreContext } from '../../store/index.js'
import { toPlainText } from '../output/plain-text.js'

/** An event, or what is in the place of one. */
export interface FeedEntry {
  /** Its place in the feed: it grows from top to bottom. */
  readonly key: number
  readonly event?: SessionEvent | undefined
  /** Why there is no event here. */
  readonly problem?: string | undefined
  readonly path: string
  readonly byteOffset: number | undefined
  readonly length: number
}

export type Direction = 'forward' | 'backward'

export interface Feed {
  /** The entries after a place, or before it, nearest first. `null`: from the end that this walks away from. */
  walk(
    from: number | null,
    direction: Direction,
    isWanted?: (line: Line) => boolean,
  ): Iterable<FeedEntry>
  /** The place of an event; `undefined` if it is not in this feed. */
  find(uuid: string, byteOffset: number | undefined): number | undefined
  /** How far a place is, from 0 to 1. */
  progress(key: number): number
}

/** Every line of one file. A place is the offset of a record. */
export class WrittenFeed implements Feed {
  readonly #store: StoreContext
  readonly #path: string

  constructor(store: StoreContext, path: string) {
    this.#store = store
    this.#path = path
  }

  get size(): number {
    return this.#store.env.fs.statSync(this.#path).size
  }

  *walk(
    from: number | null,
    direction: Direction,
    isWanted?: (line: Line) => boolean,
  ): Generator<FeedEntry> {
    const common = { isWanted, environment: this.#store.env }
    if (direction === 'backward') {
      const range = from === null ? {} : { to: from }
      for (const entry of readLogBackwardSync(this.#path, { ...common, ...range })) {
        yield this.#toEntry(entry)
      }
      return
    }
    // A line may hold several records, and one after the first has no line of its own to begin at.
    const start = from === null ? 0 : findLineStart(this.#store, this.#path, from + 1)
    for (const entry of readLogSync(this.#path, { ...common, from: start })) {
      if (from === null || entry.byte_offset > from) yield this.#toEntry(entry)
    }
  }

  #toEntry(entry: LogEntry): FeedEntry {
    const { byte_offset: key, length } = entry
    const place = { key, path: this.#path, byteOffset: key, length }
    if (entry.kind === 'event') return { ...place, event: entry.event }
    const [first] = entry.diagnostics
    return { ...place, problem: toPlainText(first?.message ?? entry.reason) }
  }

  find(_: string, byteOffset: number | undefined): number | undefined {
    return byteOffset
  }

  progress(key: number): number {
    return key / Math.max(1, this.size)
  }
}

const GAPS = {
  lost: 'the session that this one continues is missing',
  missing: 'an event is missing here',
  opaque: 'older messages were not read',
}

/** What the model sees. A place is the index of a message. */
export class SeenFeed implements Feed {
  readonly #entries: readonly ProjectionEntry[]

  constructor(entries: readonly ProjectionEntry[]) {
    this.#entries = entries
  }

  *walk(from: number | null, direction: Direction): Generator<FeedEntry> {
    const { length } = this.#entries
    const step = direction === 'forward' ? 1 : -1
    const start = from ?? (direction === 'forward' ? -1 : length)
    for (let key = start + step; key >= 0 && key < length; key += step) yield this.#toEntry(key)
  }

  #toEntry(key: number): FeedEntry {
    const entry = this.#entries[key]!
    const { file: path } = entry
    if (isGap(entry)) {
      return { key, path, byteOffset: undefined, length: 0, problem: GAPS[entry.kind] }
    }
    const { event, byte_offset: byteOffset } = entry
    const shown = entry.kind === 'summary' ? { ...event, payload: { text: entry.text } } : event
    return { key, path, byteOffset, length: 0, event: shown }
  }

  find(uuid: string): number | undefined {
    const at = this.#entries.findLastIndex((entry) => !isGap(entry) && entry.event.uuid === uuid)
    return at === -1 ? undefined : at
  }

  progress(key: number): number {
    return (key + 1) / Math.max(1, this.#entries.length)
  }
}
