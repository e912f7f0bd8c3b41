// The state of one session on the screen: its lens, its lines, what is selected, folded and searched for.

import { CLIP } from '../data/api-source.js'
import type { Entry, Match, Row, SessionRow, SessionSource, Tree } from '../data/types.js'
import { Feed } from './feed.js'
import { findItem, type Item, ItemList } from './items.js'
import { readLastSeen, writeLastSeen } from './last-seen.js'

/** `written`: every line. `seen`: what the model sees now. `as-of`: what it saw at an event. */
export type Lens = 'written' | 'seen' | 'as-of'

interface View {
  readonly feed: Feed
  readonly list: ItemList
}

/** What a boundary removed and what it kept, of what the model saw before it. */
export interface Cut {
  readonly covered: readonly Row[]
  readonly kept: readonly Row[]
}

export class SessionModel {
  readonly source: SessionSource
  session: SessionRow | undefined
  tree: Tree | undefined
  error: string | undefined
  lens: Lens = 'written'
  /** The event of the lens `as-of`, as a place in the written rows. */
  asOf = 0
  /** The place of the selected item. */
  active = 0
  isConnected = false
  isComplete = false
  /** How many events arrived since the page was opened. */
  arrived = 0
  query = ''
  matches: readonly Match[] | undefined
  match = -1
  /** The event that was last on the screen when the session was last open. */
  readonly lastSeen: string | undefined
  /** Called to bring an item onto the screen. */
  onReveal: (place: number, align: 'start' | 'center' | 'auto') => void = () => {}

  readonly #listeners = new Set<() => void>()
  readonly #closing = new AbortController()
  readonly #open = new Map<string, boolean>()
  readonly #whole = new Map<string, Entry>()
  readonly #cuts = new Map<string, Cut | 'loading'>()
  readonly #written: View
  #shown: View
  #wanted: string | undefined
  #seenPlace = -1
  #searching = new AbortController()
  #viewRequest = 0
  #treeTimer: ReturnType<typeof setTimeout> | undefined
  #isQueued = false

  constructor(source: SessionSource) {
    this.source = source
    this.lastSeen = readLastSeen(source.sessionId)
    const feed = new Feed([], this.#readWritten, this.#changed)
    this.#written = { feed, list: new ItemList() }
    this.#shown = this.#written
  }

  get items(): readonly Item[] {
    return this.#shown.list.items
  }

  get feed(): Feed {
    return this.#shown.feed
  }

  /** Every line of the log, whatever the lens shows. */
  get writtenRows(): readonly Row[] {
    return this.#written.feed.rows
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Loads the session and follows it until `close`. `wanted`: the event to start at. */
  async open(wanted: string | undefined): Promise<void> {
    this.#wanted = wanted
    void this.#readTree()
    this.source.readSession().then((session) => {
      this.session = session
      this.#changed()
    }, this.#fail)
    let cursor: string | undefined
    try {
      for (;;) {
        const page = await this.source.readOutline(cursor)
        if (this.#closing.signal.aborted) return
        cursor = page.next
        this.#addRows(page.entries)
        if (page.atEnd || page.entries.length === 0) break
      }
    } catch (error) {
      return this.#fail(error)
    }
    this.isComplete = true
    this.#changed()
    const handlers = {
      onEntry: (row: Row, entry: Entry) => {
        this.#written.feed.setBody(this.writtenRows.length, entry)
        this.arrived++
        this.#addRows([row])
        this.#refreshLater()
      },
      onConnection: (isConnected: boolean) => {
        this.isConnected = isConnected
        this.#changed()
      },
      onReplaced: () => this.#fail(new Error('The log was replaced. Reload the page.')),
    }
    await this.source.follow(cursor, handlers, this.#closing.signal)
  }

  close(): void {
    this.#closing.abort()
    this.#searching.abort()
    clearTimeout(this.#treeTimer)
    this.#listeners.clear()
  }

  /** Shows another lens; the event that is selected stays selected if it is there. */
  async setLens(lens: Lens, asOf = this.asOf): Promise<void> {
    const uuid = this.items[this.active]?.row.uuid
    const request = ++this.#viewRequest
    this.lens = lens
    this.asOf = Math.max(0, Math.min(asOf, this.writtenRows.length - 1))
    this.#changed()
    try {
      const view = lens === 'written' ? this.#written : await this.#readSeen(lens)
      // Another lens was asked for in the meantime.
      if (request !== this.#viewRequest) return
      this.#shown = view
      this.error = undefined
    } catch (error) {
      return this.#fail(error)
    }
    const place = uuid ? this.#shown.list.find(uuid) : -1
    this.select(place === -1 ? this.items.length - 1 : place, 'center')
  }

  select(place: number, align: 'start' | 'center' | 'auto' = 'auto'): void {
    this.active = Math.max(0, Math.min(place, this.items.length - 1))
    this.#changed()
    if (this.items.length > 0) this.onReveal(this.active, align)
  }

  /** Selects the event; in another lens, if this one does not show it. */
  async reveal(uuid: string): Promise<boolean> {
    let place = this.#shown.list.find(uuid)
    if (place === -1 && this.#written.list.find(uuid) !== -1) {
      await this.setLens('written')
      place = this.#shown.list.find(uuid)
    }
    if (place === -1) return false
    this.select(place, 'start')
    return true
  }

  /** Selects the next item that matches; `false`: there is none. */
  jump(step: 1 | -1, isWanted: (item: Item) => boolean): boolean {
    const place = findItem(this.items, this.active, step, isWanted)
    if (place !== -1) this.select(place, 'start')
    return place !== -1
  }

  isOpen(item: Item): boolean {
    return this.#open.get(item.key) ?? (item.kind !== 'tool' && item.kind !== 'note')
  }

  toggle(item: Item): void {
    this.#open.set(item.key, !this.isOpen(item))
    this.#changed()
  }

  /** The body of a row, whole if `loadWhole` was called for it. */
  bodyOf(index: number): Entry | undefined {
    const row = this.feed.rows[index]
    return (row && this.#whole.get(wholeKey(row))) ?? this.feed.body(index)
  }

  /** Loads a body whose texts were cut. */
  async loadWhole(index: number): Promise<void> {
    const row = this.feed.rows[index]!
    const at = this.lens === 'as-of' ? this.#asOfUuid() : undefined
    const [entry] =
      this.lens === 'written'
        ? await this.source.readEvents({ offset: row.offset, limit: 1 })
        : await this.source.readMessages({ at, from: index, limit: 1 })
    if (entry !== undefined) this.#whole.set(wholeKey(row), { ...entry, clipped: false })
    this.#changed()
  }

  /** What a boundary covered; `undefined` while it is loaded. */
  cutOf(boundary: Row): Cut | undefined {
    const { uuid, prev } = boundary
    if (uuid === null) return undefined
    const known = this.#cuts.get(uuid)
    if (known === undefined) {
      this.#cuts.set(uuid, 'loading')
      void this.#readCut(uuid, prev)
    }
    return known === 'loading' ? undefined : known
  }

  async search(query: string): Promise<void> {
    this.#searching.abort()
    this.#searching = new AbortController()
    const { signal } = this.#searching
    this.query = query
    this.matches = undefined
    this.match = -1
    this.#changed()
    if (query === '') return
    try {
      const matches = await this.source.search(query, signal)
      if (signal.aborted) return
      this.matches = matches
      this.#changed()
      if (matches.length > 0) await this.goToMatch(0)
    } catch (error) {
      if (!signal.aborted) this.#fail(error)
    }
  }

  async goToMatch(match: number): Promise<void> {
    const count = this.matches?.length ?? 0
    if (count === 0) return
    this.match = (match + count) % count
    await this.reveal(this.matches![this.match]!.uuid)
    const item = this.items[this.active]
    if (item !== undefined && !this.isOpen(item)) this.toggle(item)
  }

  /** Remembers how far the session was read. */
  markSeen(place: number): void {
    const uuid = this.items[place]?.row.uuid
    if (this.lens !== 'written' || !uuid || place <= this.#seenPlace) return
    // Who begins at the top once more has still seen the end.
    const earlier = this.lastSeen === undefined ? -1 : this.#written.list.find(this.lastSeen)
    this.#seenPlace = Math.max(place, earlier)
    if (place > earlier) writeLastSeen(this.source.sessionId, uuid)
  }

  /** Tries again what failed. */
  retry(): void {
    this.error = undefined
    this.feed.retry()
  }

  #addRows(rows: readonly Row[]): void {
    this.#written.feed.rows.push(...rows)
    this.#written.list.extend(this.writtenRows)
    this.#changed()
    if (this.#wanted !== undefined && this.#written.list.find(this.#wanted) !== -1) {
      const wanted = this.#wanted
      this.#wanted = undefined
      void this.reveal(wanted)
    }
  }

  /** What depends on the end of the log, a moment after it has grown. */
  #refreshLater(): void {
    if (this.#treeTimer !== undefined) return
    this.#treeTimer = setTimeout(() => {
      this.#treeTimer = undefined
      void this.#readTree()
      this.source.readSession().then((session) => {
        this.session = session
        this.#changed()
      }, ignore)
      if (this.lens === 'seen') void this.#refreshSeen()
    }, 1000)
  }

  async #refreshSeen(): Promise<void> {
    const request = this.#viewRequest
    const view = await this.#readSeen('seen').catch(() => undefined)
    if (view === undefined || request !== this.#viewRequest) return
    this.#shown = view
    this.#changed()
  }

  async #readTree(): Promise<void> {
    try {
      this.tree = await this.source.readTree()
      this.#changed()
    } catch (error) {
      this.#fail(error)
    }
  }

  #asOfUuid(): string | undefined {
    for (let at = this.asOf; at >= 0; at--) {
      const row = this.writtenRows[at]
      if (row?.chain === true && row.uuid !== null) return row.uuid
    }
    return undefined
  }

  async #readSeen(lens: Lens): Promise<View> {
    const at = lens === 'as-of' ? this.#asOfUuid() : undefined
    const rows = [...(await this.source.readSeen(at))]
    const read = (_: unknown, from: number, limit: number) =>
      this.source.readMessages({ at, from, limit, clip: CLIP })
    const list = new ItemList()
    list.extend(rows)
    return { feed: new Feed(rows, read, this.#changed), list }
  }

  async #readCut(uuid: string, prev: string | null): Promise<void> {
    try {
      const before = prev === null ? [] : await this.source.readSeen(prev)
      const after = await this.source.readSeen(uuid)
      const left = new Set(after.map((row) => row.uuid))
      const said = before.filter((row) => row.type !== 'summary' || left.has(row.uuid) === false)
      this.#cuts.set(uuid, {
        covered: said.filter((row) => !left.has(row.uuid)),
        kept: before.filter((row) => left.has(row.uuid)),
      })
    } catch {
      // The boundary is shown without it; another look asks again.
      this.#cuts.delete(uuid)
    }
    this.#changed()
  }

  readonly #readWritten = (rows: readonly Row[], from: number, limit: number) =>
    this.source.readEvents({ offset: rows[from]!.offset, limit, clip: CLIP })

  readonly #fail = (error: unknown): void => {
    if (this.#closing.signal.aborted) return
    this.error = error instanceof Error ? error.message : String(error)
    this.#changed()
  }

  /** Calls the listeners once for all changes of one moment. */
  readonly #changed = (): void => {
    if (this.#isQueued) return
    this.#isQueued = true
    queueMicrotask(() => {
      this.#isQueued = false
      for (const listener of this.#listeners) listener()
    })
  }
}

function wholeKey(row: Row): string {
  return `${row.sessionId ?? ''}:${row.offset}`
}

function ignore(): void {
  // The next event asks again.
}
