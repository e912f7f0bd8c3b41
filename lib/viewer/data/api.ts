// Requests to `jsonl-session serve`. The token travels in a header: nothing of it is in an address,
// a cookie or a log of requests.

import { EventParser, type ServerEvent } from './event-parser.js'
import type { Match, SessionList } from './types.js'

/** An answer that is not the one that was asked for. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

type Query = Readonly<Record<string, string | number | undefined>>

export class Api {
  readonly #base: string
  readonly #token: string
  /** Asks for texts with their secrets, where the server allows it. */
  showsSecrets = false

  constructor(base: string, token: string) {
    this.#base = base
    this.#token = token
  }

  async get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    const response = await this.#request(path, query, { signal: signal ?? null })
    return (await response.json()) as T
  }

  listSessions(query: Query): Promise<SessionList> {
    return this.get('/api/store/sessions', query)
  }

  /** Finds a text in all sessions, or in one. */
  async grep(q: string, query: Query, signal: AbortSignal): Promise<readonly Match[]> {
    const answer = await this.get<{ matches: readonly Match[] }>(
      '/api/grep',
      { q, ignoreCase: 1, ...query },
      signal,
    )
    return answer.matches
  }

  /** The events of a stream until it ends. `lastEventId` names the last one that arrived before. */
  async *stream(path: string, query: Query, options: StreamOptions): AsyncGenerator<ServerEvent> {
    const { signal, lastEventId, onOpen } = options
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const response = await this.#request(path, query, { signal, headers })
    onOpen()
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    const parser = new EventParser()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      yield* parser.push(value)
    }
  }

  async #request(path: string, query: Query, init: RequestInit): Promise<Response> {
    const url = new URL(this.#base + path, document.baseURI)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== '') url.searchParams.set(name, String(value))
    }
    if (this.showsSecrets) url.searchParams.set('secrets', '1')
    const headers = { ...init.headers, authorization: `Bearer ${this.#token}` }
    let response: Response
    try {
      response = await fetch(url, { ...init, headers, credentials: 'omit', cache: 'no-store' })
    } catch (error) {
      if (init.signal?.aborted) throw error
      throw new ApiError(0, 'The server does not answer. Is `jsonl-session serve` still running?')
    }
    if (!response.ok) throw new ApiError(response.status, await messageOf(response))
    return response
  }
}

interface StreamOptions {
  readonly signal: AbortSignal
  readonly lastEventId?: string | undefined
  onOpen(): void
}

async function messageOf(response: Response): Promise<string> {
  if (response.status === 401) {
    return 'The server does not accept this token. Open the address that `jsonl-session serve` printed.'
  }
  try {
    const { error } = (await response.json()) as { error?: { message?: string } }
    return error?.message ?? response.statusText
  } catch {
    // Not an answer of our server: a proxy, for example.
    return `${response.status} ${response.statusText}`
  }
}
