// The hits of a search: which of them are kept, and how they are handed out.

import type { SearchQuery } from './search-query.js'
import type { TranscriptSearch } from './search-transcript.js'
import type { SessionDigest } from './session-digest.js'

/** The seed's shape. */
export interface SearchHit {
  readonly sessionKey: string
  readonly project: string | null
  readonly updatedAt: string | null
  readonly excerpt: string
  /** 0 for the session of that very key, else negative; the lower the better. */
  readonly rank: number
}

export interface SearchResult {
  readonly query: string
  readonly hits: readonly SearchHit[]
  readonly count: number
  /** The hits as a text, ready to be shown. */
  readonly message: string
  /** There was no time to look at everything. */
  readonly partial?: true
}

interface Found {
  readonly digest: SessionDigest
  readonly search: TranscriptSearch
}

/** Keeps as many as are wanted, and knows when older sessions cannot be among them. */
export class BestHits {
  readonly #limit: number
  readonly #rankMin: number
  readonly #found: Found[] = []

  constructor(limit: number, { terms }: SearchQuery) {
    this.#limit = limit
    this.#rankMin = -(terms.length + 1)
  }

  get isSettled(): boolean {
    return this.#found.length === this.#limit && this.#found.at(-1)!.search.rank === this.#rankMin
  }

  /** To be called for newer sessions first: of equal ranks, the first stays in front. */
  add(found: Found): void {
    if (!found.search.hasHit) return
    const { rank } = found.search
    const place = this.#found.findIndex(({ search }) => search.rank > rank)
    this.#found.splice(place === -1 ? this.#found.length : place, 0, found)
    if (this.#found.length > this.#limit) this.#found.pop()
  }

  hits(redact: (text: string) => string): SearchHit[] {
    return this.#found.map(({ digest, search }) =>
      hitOf(digest, search.excerpt(redact), search.rank),
    )
  }
}

export function hitOf(digest: SessionDigest, excerpt: string, rank: number): SearchHit {
  const { session_id, project, lastActivity } = digest
  return { sessionKey: session_id, project, updatedAt: lastActivity, excerpt, rank }
}

export function resultOf(
  { text }: SearchQuery,
  hits: readonly SearchHit[],
  isPartial = false,
): SearchResult {
  const result = { query: text, hits, count: hits.length, message: messageOf(text, hits) }
  return isPartial ? { ...result, partial: true } : result
}

function messageOf(query: string, hits: readonly SearchHit[]): string {
  if (hits.length === 0) return `Nothing was found for "${query}".`
  const lines = hits.map(({ sessionKey, project, updatedAt, excerpt }) => {
    const about = [project, updatedAt].filter((part) => part !== null).join(', ')
    return `- ${sessionKey}${about === '' ? '' : ` (${about})`}: ${excerpt}`
  })
  return [`Found for "${query}":`, ...lines].join('\n')
}
