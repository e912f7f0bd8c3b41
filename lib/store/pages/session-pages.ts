// The sessions of a store in pages, for a process that stays: filtered, sorted, and continued after a
// row, not at a number, so that a session that begins meanwhile moves no other.

import { SessionError } from '../../errors.js'
import { redactText } from '../../redaction/index.js'
import { projectFilter } from '../catalog/list-sessions.js'
import { LiveCatalog } from '../catalog/live-catalog.js'
import {
  isUnreadable,
  readSessionInfo,
  rejectUnreadable,
  type SessionInfo,
  type SessionKind,
  type Unreadable,
} from '../catalog/session-info.js'
import { findShownStatus, type ShownStatus } from '../claims/shown-status.js'
import type { StoreContext } from '../context.js'
import { sumTokens } from '../cost/usage.js'
import { readSessionFigures, type SessionFigures } from '../figures/session-figures.js'
import { findTranscript } from '../transcripts.js'

export const SESSION_ORDERS = ['updated', 'started', 'bytes', 'tokens', 'cost'] as const

export type SessionOrder = (typeof SESSION_ORDERS)[number]

export interface SessionPageQuery {
  /** @default 200 */
  readonly limit?: number | undefined
  /** `next` of the page before. */
  readonly from?: string | undefined
  /** Only sessions of this project, in any spelling of its path. */
  readonly project?: string | undefined
  readonly status?: ShownStatus | undefined
  readonly tag?: string | undefined
  /** Words of the title, the id or the project, in any case. */
  readonly q?: string | undefined
  /** Count turns, tokens and cost; the orders by tokens and cost do so in any case. */
  readonly figures?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  /** Also empty sessions, and those of no person. */
  readonly all?: boolean | undefined
  /** @default 'updated' */
  readonly sort?: SessionOrder | undefined
  /** @default 'desc' */
  readonly order?: 'asc' | 'desc' | undefined
}

/** What a session adds up to. `null` where it was not counted. */
export interface RowFigures {
  readonly turns: number | null
  readonly tokens: number | null
  readonly costMicroUsd: number | null
  readonly models: readonly string[]
}

const NOT_COUNTED: RowFigures = { turns: null, tokens: null, costMicroUsd: null, models: [] }

/** A session as a page shows it. */
export interface SessionRow extends RowFigures {
  readonly id: string
  readonly title: string | null
  readonly project: string | null
  readonly status: ShownStatus
  readonly kind: SessionKind
  readonly harness: string | null
  readonly startedAt: string | null
  readonly updatedAt: string | null
  readonly durationMs: number | null
  readonly bytes: number
  readonly tags: readonly string[]
  /** The session that it continues. */
  readonly parent: { readonly sessionId: string; readonly kind: 'resume' | 'fork' } | null
}

export interface SessionPage {
  readonly sessions: readonly SessionRow[]
  /** For `from`; `null` after the last page. */
  readonly next: string | null
  /** All that match, on this page and on others. */
  readonly total: number
  /** Files that could not be read. */
  readonly skipped: readonly Unreadable[]
}

const LIMIT = 200

// Looking at 20,000 files takes up to a second: then the last look counts for a while, so that
// requests cannot keep the process busy with it.
const CHEAP_MS = 50
const REST_FACTOR = 5

export class SessionPages {
  readonly #store: StoreContext
  readonly #catalog: LiveCatalog
  readonly #lists = new Map<boolean, ReturnType<LiveCatalog['list']>>()
  #lookedAt: number
  #lookMs: number

  constructor(store: StoreContext) {
    this.#store = store
    const start = store.env.monotonicNow()
    this.#catalog = new LiveCatalog(store)
    this.#lookedAt = store.env.monotonicNow()
    this.#lookMs = this.#lookedAt - start
  }

  async page(query: SessionPageQuery = {}): Promise<SessionPage> {
    const { limit = LIMIT, sort = 'updated', order = 'desc', from, figures = false } = query
    const { sessions, skipped } = this.#list(query.all === true)
    const found = sessions.filter(this.#filterOf(query))
    const compare = compareBy(sort, order)
    const isCounted = sort === 'tokens' || sort === 'cost'
    const all = isCounted ? await this.#count(found, query.signal) : undefined
    const sorted = found
      .map((info) => ({ place: placeOf(info, sort, all?.get(info.sessionId)), info }))
      .sort(compare)
    const after = from === undefined ? undefined : parseCursor(from)
    const isAfter = (row: Placed) => after === undefined || compare({ place: after }, row) < 0
    const start = sorted.findIndex(isAfter)
    const page = start === -1 ? [] : sorted.slice(start, start + limit)
    const isLast = start === -1 || start + limit >= sorted.length
    const infos = page.map(({ info }) => info)
    const counted = all ?? (figures ? await this.#count(infos, query.signal) : undefined)
    return {
      sessions: infos.map((info) => toSessionRow(this.#store, info, counted?.get(info.sessionId))),
      next: isLast ? null : toCursor(page.at(-1)!.place),
      total: found.length,
      skipped,
    }
  }

  async #count(
    sessions: readonly SessionInfo[],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, RowFigures>> {
    const { figures } = await readSessionFigures(this.#store, sessions, { signal })
    return new Map([...figures].map(([id, one]) => [id, toRowFigures(one)]))
  }

  #list(all: boolean): ReturnType<LiveCatalog['list']> {
    const { monotonicNow } = this.#store.env
    const now = monotonicNow()
    const isFresh = this.#lookMs > CHEAP_MS && now - this.#lookedAt < this.#lookMs * REST_FACTOR
    if (!isFresh) {
      if (this.#catalog.refresh().changed) this.#lists.clear()
      this.#lookedAt = monotonicNow()
      this.#lookMs = this.#lookedAt - now
    }
    const list = this.#lists.get(all) ?? this.#catalog.list({ all })
    this.#lists.set(all, list)
    return list
  }

  #filterOf(query: SessionPageQuery): (info: SessionInfo) => boolean {
    const { project, status, tag, q } = query
    const isOfProject = projectFilter(this.#store, { project })
    const words =
      q
        ?.toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== '') ?? []
    const hasWords = (info: SessionInfo, title: string | null) => {
      const text = [title, info.sessionId, info.project].join('\n').toLowerCase()
      return words.every((word) => text.includes(word))
    }
    return (info) =>
      (project === undefined || isOfProject(info)) &&
      (tag === undefined || info.tags?.includes(tag) === true) &&
      // By the redacted title, too: a secret must not be found by guessing.
      (words.length === 0 ||
        (hasWords(info, info.title) && hasWords(info, redacted(info.title)))) &&
      (status === undefined || findShownStatus(this.#store, info) === status)
  }
}

/** One session, with what it adds up to. */
export async function readSessionRow(
  store: StoreContext,
  session: string,
  signal?: AbortSignal,
): Promise<SessionRow> {
  const info = readSessionInfo(store, findTranscript(store, session))
  if (isUnreadable(info)) return rejectUnreadable(store, info)
  const { figures } = await readSessionFigures(store, [info], { signal })
  const found = figures.get(info.sessionId)
  return toSessionRow(store, info, found === undefined ? NOT_COUNTED : toRowFigures(found))
}

function redacted(text: string | null): string | null {
  return text === null ? null : redactText(text)
}

/** What a session adds up to, as a row shows it. */
export function toRowFigures({ turns, tokens, cost, models }: SessionFigures): RowFigures {
  const count = sumTokens(tokens)
  // A price that is not known is not a price of nothing.
  const isPriced = cost.microDollars > 0 || cost.unpricedTokens === 0
  return {
    turns,
    tokens: count,
    costMicroUsd: isPriced ? cost.microDollars : null,
    models: models.flatMap(({ model }) => model ?? []),
  }
}

/** A session as a page shows it; its title without secrets. */
export function toSessionRow(
  store: StoreContext,
  info: SessionInfo,
  figures: RowFigures = NOT_COUNTED,
): SessionRow {
  const {
    sessionId: id,
    title,
    project,
    kind,
    harness,
    startedAt,
    lastActivity,
    bytes,
    tags,
  } = info
  const isTimed = startedAt !== null && lastActivity !== null
  return {
    id,
    title: redacted(title),
    project,
    status: findShownStatus(store, info),
    kind,
    harness,
    startedAt,
    updatedAt: lastActivity,
    durationMs: isTimed ? Math.max(0, Date.parse(lastActivity) - Date.parse(startedAt)) : null,
    bytes,
    ...figures,
    tags: tags ?? [],
    parent: parentOf(info),
  }
}

function parentOf({ resumedFrom, forkedFrom }: SessionInfo): SessionRow['parent'] {
  if (resumedFrom !== null) return { sessionId: resumedFrom.sessionId, kind: 'resume' }
  return forkedFrom === null ? null : { sessionId: forkedFrom.sessionId, kind: 'fork' }
}

/** What a session is sorted by, and its id, because others may have the same. */
type Place = readonly [value: string | number, id: string]

interface Placed {
  readonly place: Place
}

function placeOf(info: SessionInfo, sort: SessionOrder, figures?: RowFigures): Place {
  const value = {
    updated: info.lastActivity,
    started: info.startedAt,
    bytes: info.bytes,
    tokens: figures?.tokens ?? -1,
    cost: figures?.costMicroUsd ?? -1,
  }[sort]
  return [value ?? '', info.sessionId]
}

function compareBy(sort: SessionOrder, order: 'asc' | 'desc') {
  const sign = order === 'asc' ? 1 : -1
  const isNumber = sort !== 'updated' && sort !== 'started'
  return ({ place: one }: Placed, { place: other }: Placed): number => {
    const [left, right] = isNumber ? [Number(one[0]), Number(other[0])] : [one[0], other[0]]
    if (left !== right) return left < right ? -sign : sign
    if (one[1] === other[1]) return 0
    return one[1] < other[1] ? -1 : 1
  }
}

function toCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

function parseCursor(cursor: string): Place {
  try {
    const [value, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    const isValue = typeof value === 'string' || typeof value === 'number'
    if (isValue && typeof id === 'string') return [value, id]
  } catch {
    // Not one of ours.
  }
  throw new SessionError('ERR_ARG', 'The cursor is not one of this list: begin without one')
}
