// The part of a feed that is in memory. It is extended at either end and shortened at the other one, so a
// log of any size takes the same memory.

import type { Direction, Feed, FeedEntry } from './feed.js'
import { type Item, toItems } from './items.js'

const CHUNK_ENTRIES = 64
const CHUNK_BYTES = 2 * 1024 * 1024
const WINDOW_ENTRIES_MAX = 1024
const WINDOW_BYTES_MAX = 16 * 1024 * 1024

export class FeedWindow {
  readonly feed: Feed
  #entries: FeedEntry[] = []
  #items: Item[] = []
  #isAtStart: boolean
  #isAtEnd: boolean

  /** Empty, at one end of the feed or in the middle of it. */
  constructor(feed: Feed, at: 'start' | 'end' | 'middle') {
    this.feed = feed
    this.#isAtStart = at === 'start'
    this.#isAtEnd = at === 'end'
  }

  get items(): readonly Item[] {
    return this.#items
  }

  /** Whether nothing of the feed is before the window. */
  get isAtStart(): boolean {
    return this.#isAtStart
  }

  /** Whether nothing of the feed is after the window. */
  get isAtEnd(): boolean {
    return this.#isAtEnd
  }

  /** How many entries are in memory. */
  get size(): number {
    return this.#entries.length
  }

  /** Whether the entry at this place is in memory. */
  has(key: number): boolean {
    return this.#entries.some((entry) => entry.key === key)
  }

  /** The item that shows the entry at this place. */
  ownerOf(key: number): Item | undefined {
    return this.#items.find((item) => item.key === key || item.merged.includes(key))
  }

  /** The index of the item at this place, or of the one before it. */
  indexOf(key: number): number {
    return Math.max(
      0,
      this.#items.findLastIndex((item) => item.key <= key),
    )
  }

  /** Reads one more part of the feed, and forgets what is far away on the other side of `keep`. */
  extend(direction: Direction, { keep, from }: { keep: number; from?: number }): void {
    const read: FeedEntry[] = []
    let bytes = 0
    let isMore = false
    for (const entry of this.feed.walk(from ?? this.#edge(direction), direction)) {
      if (read.length >= CHUNK_ENTRIES || (bytes > CHUNK_BYTES && read.length > 0)) {
        isMore = true
        break
      }
      read.push(entry)
      bytes += entry.length
    }
    if (direction === 'forward') {
      this.#entries.push(...read)
      this.#isAtEnd = !isMore
    } else {
      this.#entries.unshift(...read.reverse())
      this.#isAtStart = !isMore
    }
    this.#shorten(direction, keep)
    this.#items = toItems(this.#entries)
  }

  #edge(direction: Direction): number | null {
    const entry = direction === 'forward' ? this.#entries.at(-1) : this.#entries[0]
    return entry?.key ?? null
  }

  #shorten(direction: Direction, keep: number): void {
    const isForward = direction === 'forward'
    let bytes = this.#entries.reduce((sum, { length }) => sum + length, 0)
    const isTooMuch = () =>
      this.#entries.length > CHUNK_ENTRIES &&
      (this.#entries.length > WINDOW_ENTRIES_MAX || bytes > WINDOW_BYTES_MAX)
    while (isTooMuch()) {
      const last = isForward ? this.#entries[0]! : this.#entries.at(-1)!
      if (isForward ? last.key >= keep : last.key <= keep) return
      if (isForward) this.#entries.shift()
      else this.#entries.pop()
      bytes -= last.length
      if (isForward) this.#isAtStart = false
      else this.#isAtEnd = false
    }
  }
}
