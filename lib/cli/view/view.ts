// A view of a session without a terminal: what is on the screen, and what a key does to it.

import type { Direction, Feed, FeedEntry } from './feed.js'
import { FeedWindow } from './feed-window.js'
import { type Item, toItems } from './items.js'
import { renderItem } from './render-item.js'
import type { StyledLine } from './styled-line.js'
import type { Target } from './targets.js'

// A search lets the terminal react between parts of this size.
const SEARCH_ENTRIES = 256
const SUBAGENT_ENTRIES_MAX = 200

/** Whether a jump found something, and whether it had to begin at the other end. */
export type JumpOutcome = 'found' | 'wrapped' | 'none'

export interface ViewSize {
  readonly columns: number
  /** Of the text, without the status line. */
  readonly rows: number
}

export interface ViewOptions {
  readonly feed: Feed
  readonly size: ViewSize
  /** The log of a subagent. */
  readonly openTask: (task: string) => Feed | undefined
}

export class SessionView {
  #window: FeedWindow
  #size: ViewSize
  readonly #openTask: ViewOptions['openTask']
  #top = { key: 0, line: 0 }
  #selectedKey = 0
  readonly #open = new Set<number>()
  readonly #raw = new Set<number>()
  #isAllOpen = false
  readonly #rendered = new Map<Item, StyledLine[]>()

  constructor({ feed, size, openTask }: ViewOptions) {
    this.#window = new FeedWindow(feed, 'middle')
    this.#size = size
    this.#openTask = openTask
  }

  get #selected(): number {
    return this.#selectedKey
  }

  /** The selected item is drawn with a mark. */
  set #selected(key: number) {
    this.#selectedKey = key
    this.#rendered.clear()
  }

  get selected(): Item | undefined {
    return this.#window.items.find(({ key }) => key === this.#selected)
  }

  /** How many entries are in memory. */
  get heldEntries(): number {
    return this.#window.size
  }

  /** How many lines a page has: one stays, so that the reader knows where they were. */
  get page(): number {
    return Math.max(1, this.#size.rows - 1)
  }

  get progress(): number {
    return this.#window.isAtEnd && this.#isLastLineShown
      ? 1
      : this.#window.feed.progress(this.#top.key)
  }

  /** Shows another feed, at this place of it, or at its end. */
  show(feed: Feed, key: number | undefined): void {
    this.#start('middle', feed)
    this.#open.clear()
    this.#raw.clear()
    if (key === undefined) this.goToEnd()
    else this.goTo(key)
  }

  resize(size: ViewSize): void {
    this.#size = size
    this.#rendered.clear()
    this.#clampTop()
  }

  goToEnd(): void {
    this.#start('end')
    this.#extend('backward')
    const last = this.#window.items.at(-1)
    this.#selected = last?.key ?? 0
    this.#top = { key: this.#selected, line: last === undefined ? 0 : this.#linesOf(last).length }
    this.#clampTop()
  }

  goToStart(): void {
    this.#start('start')
    this.#extend('forward')
    this.#selected = this.#window.items[0]?.key ?? 0
    this.#top = { key: this.#selected, line: 0 }
    this.#clampTop()
  }

  /** The item at a place, or the next one, comes to the top. */
  goTo(key: number): void {
    if (!this.#window.has(key)) {
      this.#start('middle')
      // The place itself is the first after the one before it.
      this.#extend('forward', key - 1)
      this.#extend('backward')
    }
    const item = this.#window.ownerOf(key) ?? this.#window.items[this.#window.indexOf(key)]
    if (item === undefined) {
      this.goToEnd()
      return
    }
    this.#selected = item.key
    this.#top = { key: item.key, line: 0 }
    this.#clampTop()
  }

  scroll(lines: number): void {
    if (lines > 0) this.#scrollDown(lines)
    else this.#scrollUp(-lines)
    this.#clampTop()
    this.#keepSelectionVisible()
  }

  /** Selects the next item, or the one before, and shows it. */
  select(direction: Direction): void {
    const step = direction === 'forward' ? 1 : -1
    const at = this.#window.indexOf(this.#selected)
    if (this.#window.items[at + step] === undefined) this.#extend(direction)
    const next = this.#window.items[this.#window.indexOf(this.#selected) + step]
    if (next === undefined) return
    this.#selected = next.key
    this.#showSelected()
  }

  /** Opens or closes the selected item. */
  toggle(): void {
    flip(this.#open, this.#selected)
    this.#rendered.clear()
    this.#clampTop()
  }

  toggleAll(): void {
    this.#isAllOpen = !this.#isAllOpen
    this.#open.clear()
    this.#rendered.clear()
    this.#clampTop()
  }

  toggleRaw(): void {
    flip(this.#raw, this.#selected)
    this.#rendered.clear()
    this.#clampTop()
  }

  /**
   * Goes to the next item that is wanted. Yields how far it has searched, so that the caller can draw and
   * stop it. A text is also searched from the other end of the session; then it returns `wrapped`.
   */
  *jump(target: Target, direction: Direction): Generator<number, JumpOutcome, undefined> {
    const start = this.#selected
    if (yield* this.#search(target, direction, { from: start, limit: null })) return 'found'
    if (!target.wraps) return 'none'
    const isFound = yield* this.#search(target, direction, { from: null, limit: start })
    return isFound ? 'wrapped' : 'none'
  }

  *#search(
    { matches, isWanted }: Target,
    direction: Direction,
    { from, limit }: { from: number | null; limit: number | null },
  ): Generator<number, boolean, undefined> {
    const isBeyond = (key: number, other: number) =>
      direction === 'forward' ? key > other : key < other
    let count = 0
    for (const entry of this.#window.feed.walk(from, direction, isWanted)) {
      if (++count % SEARCH_ENTRIES === 0) yield this.#window.feed.progress(entry.key)
      if (limit !== null && isBeyond(entry.key, limit)) return false
      const [item] = toItems([entry])
      if (item === undefined || !matches(item)) continue
      // A result is shown with its call, which may be the selected one or before it.
      const shown = this.#window.ownerOf(entry.key)?.key ?? entry.key
      if (from !== null && !isBeyond(shown, from)) continue
      this.goTo(entry.key)
      return true
    }
    return false
  }

  /** Reads what was added to the log; stays at the end if it was there. */
  follow(): void {
    const wasAtEnd = this.#window.isAtEnd && this.#isLastLineShown
    this.#extend('forward')
    if (wasAtEnd) {
      this.#selected = this.#window.items.at(-1)?.key ?? 0
      this.#scrollDown(Number.MAX_SAFE_INTEGER)
      this.#clampTop()
    }
  }

  /** The lines of the screen, from the top. */
  lines(): StyledLine[] {
    const { rows } = this.#size
    const lines: StyledLine[] = []
    let skipped = this.#top.line
    for (let at = this.#window.indexOf(this.#top.key); lines.length < rows; at++) {
      if (this.#window.items[at] === undefined && !this.#window.isAtEnd) this.#extend('forward')
      const item = this.#window.items[at]
      if (item === undefined) break
      lines.push(...this.#linesOf(item).slice(skipped))
      skipped = 0
    }
    return lines.slice(0, rows)
  }

  #start(at: 'start' | 'end' | 'middle', feed = this.#window.feed): void {
    this.#window = new FeedWindow(feed, at)
    this.#rendered.clear()
  }

  #extend(direction: Direction, from?: number): void {
    this.#window.extend(direction, { keep: this.#top.key, ...(from !== undefined && { from }) })
    this.#rendered.clear()
  }

  #linesOf(item: Item): StyledLine[] {
    const known = this.#rendered.get(item)
    if (known !== undefined) return known
    const isOpen = this.#isOpen(item)
    const lines = renderItem(item, {
      columns: this.#size.columns,
      isOpen,
      isRaw: this.#raw.has(item.key),
      isSelected: item.key === this.#selected,
      nested: isOpen && item.task !== undefined ? this.#linesOfTask(item.task) : [],
    })
    this.#rendered.set(item, lines)
    return lines
  }

  #isOpen({ key }: Item): boolean {
    return this.#open.has(key) !== this.#isAllOpen
  }

  /** The beginning of a subagent's log, below its item. */
  #linesOfTask(task: string): StyledLine[] {
    const feed = this.#openTask(task)
    if (feed === undefined) return [[{ text: 'its log is not in this store', style: 'dim' }]]
    const entries: FeedEntry[] = []
    let isMore = false
    for (const entry of feed.walk(null, 'forward')) {
      isMore = entries.length === SUBAGENT_ENTRIES_MAX
      if (isMore) break
      entries.push(entry)
    }
    const options = {
      columns: this.#size.columns - 4,
      isOpen: false,
      isRaw: false,
      isSelected: false,
    }
    const lines = toItems(entries).flatMap((item) => renderItem(item, options))
    if (isMore)
      lines.push([{ text: `… the rest: jsonl-session sidechain show ${task}`, style: 'dim' }])
    return lines.map((line): StyledLine => [{ text: '│ ', style: 'dim' }, ...line])
  }

  #scrollDown(lines: number): void {
    let left = lines
    for (;;) {
      const at = this.#window.indexOf(this.#top.key)
      const item = this.#window.items[at]
      if (item === undefined) return
      const height = this.#linesOf(item).length
      if (this.#top.line + left < height) {
        this.#top.line += left
        return
      }
      if (this.#window.items[at + 1] === undefined && !this.#window.isAtEnd) this.#extend('forward')
      const next = this.#window.items[this.#window.indexOf(this.#top.key) + 1]
      if (next === undefined) {
        this.#top.line = Math.max(0, height - 1)
        return
      }
      left -= height - this.#top.line
      this.#top = { key: next.key, line: 0 }
    }
  }

  #scrollUp(lines: number): void {
    let left = lines
    for (;;) {
      if (this.#top.line >= left) {
        this.#top.line -= left
        return
      }
      left -= this.#top.line
      if (this.#window.indexOf(this.#top.key) === 0 && !this.#window.isAtStart)
        this.#extend('backward')
      const before = this.#window.items[this.#window.indexOf(this.#top.key) - 1]
      if (before === undefined) {
        this.#top.line = 0
        return
      }
      this.#top = { key: before.key, line: this.#linesOf(before).length }
    }
  }

  /** The last page is full, where there is enough for one. */
  #clampTop(): void {
    if (this.#window.items.length === 0) return
    const { rows } = this.#size
    let below = -this.#top.line
    for (let at = this.#window.indexOf(this.#top.key); below < rows; at++) {
      if (this.#window.items[at] === undefined && !this.#window.isAtEnd) this.#extend('forward')
      const item = this.#window.items[at]
      if (item === undefined) break
      below += this.#linesOf(item).length
    }
    if (below < rows) this.#scrollUp(rows - below)
  }

  get #isLastLineShown(): boolean {
    const last = this.#window.items.at(-1)
    if (last === undefined) return true
    let below = -this.#top.line
    for (const item of this.#window.items.slice(this.#window.indexOf(this.#top.key))) {
      below += this.#linesOf(item).length
    }
    return below <= this.#size.rows
  }

  /** The selection follows the screen. */
  #keepSelectionVisible(): void {
    const first = this.#window.indexOf(this.#top.key)
    let height = -this.#top.line
    const visible: Item[] = []
    for (const item of this.#window.items.slice(first)) {
      if (height >= this.#size.rows) break
      height += this.#linesOf(item).length
      visible.push(item)
    }
    if (visible.some(({ key }) => key === this.#selected)) return
    const isAbove = this.#selected < (visible[0]?.key ?? 0)
    const chosen = isAbove ? visible[0] : visible.at(-1)
    if (chosen === undefined) return
    this.#selected = chosen.key
  }

  /** The screen follows the selection. */
  #showSelected(): void {
    if (this.#selected <= this.#top.key) {
      this.#top = { key: this.#selected, line: 0 }
      return
    }
    const heightTo = () => {
      let height = -this.#top.line
      for (const item of this.#window.items.slice(this.#window.indexOf(this.#top.key))) {
        height += this.#linesOf(item).length
        if (item.key === this.#selected) break
      }
      return height
    }
    const tooLow = heightTo() - this.#size.rows
    if (tooLow <= 0) return
    this.#scrollDown(tooLow)
    // Of an item higher than the screen its beginning is shown.
    if (
      this.#top.key > this.#selected ||
      (this.#top.key === this.#selected && this.#top.line > 0)
    ) {
      this.#top = { key: this.#selected, line: 0 }
    }
  }
}

function flip(set: Set<number>, key: number): void {
  if (!set.delete(key)) set.add(key)
}
