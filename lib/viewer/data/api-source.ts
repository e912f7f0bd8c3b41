// A session on a server.

import type { Api } from './api.js'
import {
  EMPTY_ROW,
  type Entry,
  type EventsRange,
  type FollowHandlers,
  type Match,
  type MessagesRange,
  type Page,
  type Row,
  type SessionRow,
  type SessionSource,
  type Tree,
} from './types.js'

const OUTLINE_ROWS = 2000
const SEEN_ROWS_MAX = 100_000
const MATCHES_MAX = 500
const RETRY_MIN_MS = 250
const RETRY_MAX_MS = 10_000

export class ApiSource implements SessionSource {
  readonly sessionId: string
  readonly isLive = true
  readonly #api: Api
  readonly #path: string

  constructor(api: Api, sessionId: string) {
    this.#api = api
    this.sessionId = sessionId
    this.#path = `/api/sessions/${encodeURIComponent(sessionId)}`
  }

  async readSession(): Promise<SessionRow> {
    const { session } = await this.#api.get<{ session: SessionRow }>(`${this.#path}/stats`)
    return session
  }

  readTree(): Promise<Tree> {
    return this.#api.get(`${this.#path}/tree`)
  }

  async readOutline(from: string | undefined, log?: string): Promise<Page<Row>> {
    const query = { view: 'outline', limit: OUTLINE_ROWS, from, log }
    const page = await this.#api.get<Page<ServedRow>>(`${this.#path}/events`, query)
    return { ...page, entries: page.entries.map(toRow) }
  }

  async readEvents({ offset, limit, log, clip }: EventsRange): Promise<readonly Entry[]> {
    const query = { offset, limit, log, clip }
    const { entries } = await this.#api.get<Page<Entry>>(`${this.#path}/events`, query)
    return entries
  }

  async readSeen(at: string | undefined): Promise<readonly Row[]> {
    const query = { view: 'outline', limit: SEEN_ROWS_MAX, at }
    const { entries } = await this.#api.get<{ entries: ServedRow[] }>(
      `${this.#path}/messages`,
      query,
    )
    return entries.map(toRow)
  }

  async readMessages({ at, from, limit, clip }: MessagesRange): Promise<readonly Entry[]> {
    const query = { at, from, limit, clip }
    const { entries } = await this.#api.get<{ entries: Entry[] }>(`${this.#path}/messages`, query)
    return entries
  }

  search(query: string, signal: AbortSignal): Promise<readonly Match[]> {
    return this.#api.grep(query, { session: this.sessionId, limit: MATCHES_MAX }, signal)
  }

  /** Connects again when the connection ends, and continues after the last event that arrived. */
  async follow(from: string, handlers: FollowHandlers, signal: AbortSignal): Promise<void> {
    let cursor = from
    let retryMs = RETRY_MIN_MS
    while (!signal.aborted) {
      try {
        const onOpen = () => {
          retryMs = RETRY_MIN_MS
          handlers.onConnection(true)
        }
        const options = { signal, lastEventId: cursor, onOpen }
        for await (const { event, id, data } of this.#api.stream(
          `${this.#path}/follow`,
          { from: cursor, clip: CLIP },
          options,
        )) {
          if (event === 'replaced') return handlers.onReplaced()
          if (event !== 'entry') continue
          const { outline, ...entry } = JSON.parse(data) as Entry & { outline: ServedRow }
          cursor = id
          handlers.onEntry(toRow(outline), entry, id)
        }
      } catch {
        // The connection is gone, or the page is closed: the loop decides.
      }
      if (signal.aborted) return
      handlers.onConnection(false)
      await pause(retryMs, signal)
      retryMs = Math.min(retryMs * 2, RETRY_MAX_MS)
    }
  }
}

/** As the server sends it: a damaged line has no type, a gap only its reason. */
type ServedRow = Partial<Omit<Row, 'type'>> & { type?: string | null; reason?: string }

function toRow({ type, reason, ...row }: ServedRow): Row {
  return { ...EMPTY_ROW, title: reason ?? '', ...row, type: type ?? '' }
}

/** Texts are cut after so many characters until a person asks for the rest. */
export const CLIP = 20_000

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
