// The sessions of a store: loaded page by page, filtered and sorted in the browser.

import type { Api } from '../data/api.js'
import type { SessionRow } from '../data/types.js'

const PAGE_ROWS = 1000
const REFRESH_MS = 2000

export interface ListFilter {
  readonly text: string
  readonly project: string
  readonly status: string
  readonly tag: string
  readonly sort: 'updated' | 'tokens' | 'cost' | 'duration'
}

const VALUES = {
  tokens: (row: SessionRow) => row.tokens ?? -1,
  cost: (row: SessionRow) => row.costMicroUsd ?? -1,
  duration: (row: SessionRow) => row.durationMs ?? -1,
}

export class ListModel {
  filter: ListFilter = { text: '', project: '', status: '', tag: '', sort: 'updated' }
  total = 0
  isComplete = false
  error: string | undefined
  /** Grows whenever the rows change. */
  version = 0
  shown: readonly SessionRow[] = []

  readonly #api: Api
  readonly #rows = new Map<string, SessionRow>()
  readonly #listeners = new Set<() => void>()
  readonly #closing = new AbortController()
  #refreshTimer: ReturnType<typeof setTimeout> | undefined

  constructor(api: Api) {
    this.#api = api
  }

  get projects(): readonly string[] {
    return distinct([...this.#rows.values()].map(({ project }) => project))
  }

  get statuses(): readonly string[] {
    return distinct([...this.#rows.values()].map(({ status }) => status))
  }

  get tags(): readonly string[] {
    return distinct([...this.#rows.values()].flatMap(({ tags }) => tags))
  }

  titlesById(): ReadonlyMap<string, string> {
    return new Map([...this.#rows.values()].map(({ id, title }) => [id, title ?? id]))
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Loads all sessions, then follows the store until `close`. */
  async open(): Promise<void> {
    try {
      let from: string | undefined
      do {
        const page = await this.#api.listSessions({ limit: PAGE_ROWS, from, figures: 1 })
        if (this.#closing.signal.aborted) return
        this.total = page.total
        this.#add(page.sessions)
        from = page.next ?? undefined
      } while (from !== undefined)
      this.isComplete = true
      this.#changed()
      await this.#follow()
    } catch (error) {
      if (this.#closing.signal.aborted) return
      this.error = error instanceof Error ? error.message : String(error)
      this.#changed()
    }
  }

  close(): void {
    this.#closing.abort()
    clearTimeout(this.#refreshTimer)
    this.#listeners.clear()
  }

  setFilter(change: Partial<ListFilter>): void {
    this.filter = { ...this.filter, ...change }
    this.#select()
    this.#changed()
  }

  #add(rows: readonly SessionRow[]): void {
    for (const row of rows) this.#rows.set(row.id, row)
    this.version++
    this.#select()
    this.#changed()
  }

  #select(): void {
    const { text, project, status, tag, sort } = this.filter
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const isWanted = (row: SessionRow) => {
      if (project !== '' && row.project !== project) return false
      if (status !== '' && row.status !== status) return false
      if (tag !== '' && !row.tags.includes(tag)) return false
      const searched = `${row.title ?? ''} ${row.project ?? ''} ${row.id}`.toLowerCase()
      return words.every((word) => searched.includes(word))
    }
    const rows = [...this.#rows.values()].filter(isWanted)
    this.shown =
      sort === 'updated'
        ? rows.sort((a, b) => ((a.updatedAt ?? '') < (b.updatedAt ?? '') ? 1 : -1))
        : rows.sort((a, b) => VALUES[sort](b) - VALUES[sort](a))
  }

  /** The server only says which session changed; the newest ones are read again a moment later. */
  async #follow(): Promise<void> {
    const { signal } = this.#closing
    for (let retryMs = 500; !signal.aborted; retryMs = Math.min(retryMs * 2, 10_000)) {
      try {
        const onOpen = () => {
          retryMs = 250
        }
        for await (const { event } of this.#api.stream('/api/follow', {}, { signal, onOpen })) {
          if (event === 'changed') this.#refreshLater()
        }
      } catch {
        // The connection is gone, or the page is closed: the loop decides.
      }
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }

  #refreshLater(): void {
    this.#refreshTimer ??= setTimeout(() => {
      this.#refreshTimer = undefined
      this.#api.listSessions({ limit: 100, figures: 1 }).then(
        ({ sessions, total }) => {
          this.total = total
          this.#add(sessions)
        },
        () => {
          // The next change asks again.
        },
      )
    }, REFRESH_MS)
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

function distinct(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null))].sort()
}
