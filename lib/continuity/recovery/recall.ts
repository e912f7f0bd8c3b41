// Finds what was learnt and remembered: the memories that agents stored with their checkpoints, and
// the texts that sessions remembered. By words, without an index; transcripts are for `searchSessions`.

import { createHash } from 'node:crypto'
import { SessionError } from '../../errors.js'
import { oneLine, shorten } from '../../format/index.js'
import {
  type CheckpointPayload,
  listCheckpoints,
  type ProjectScope,
  type StoreContext,
} from '../../store/index.js'
import type { Memory } from '../checkpoints/context-input.js'
import { checkpointItemId } from '../checkpoints/items.js'
import { type RedactText, redactWords } from '../redact-words.js'

/** What to recall. */
export interface RecallOptions {
  /** A few words; one of them must occur. */
  query: string
  /**
   * Words and quoted phrases in place of `query`, which is then only shown: `"dark mode" OR theme`.
   *
   * @default `query`
   */
  keywordQuery?: string | undefined
  /**
   * Only of this project, in any spelling.
   *
   * @default every project
   */
  project?: string | undefined
  /**
   * How far that reaches: this folder, all working trees of its repository, or everything.
   *
   * @default 'exact'
   */
  scope?: ProjectScope | undefined
  /**
   * From 1 to 50.
   *
   * @default 10
   */
  limit?: number | undefined
  /**
   * Only memories of this type, for example `preference`; `remember` for remembered texts.
   *
   * @default every type
   */
  type?: string | undefined
  /**
   * Only memories about one of these names, separated by commas.
   *
   * @default any
   */
  tags?: string | undefined
  /**
   * Only of this harness.
   *
   * @default any
   */
  who?: string | undefined
  /**
   * Only what was stored at this time or later, ISO 8601.
   *
   * @default any time
   */
  since?: string | undefined
  /**
   * Only what was stored before this time, ISO 8601.
   *
   * @default any time
   */
  until?: string | undefined
  /**
   * Redacts the texts.
   *
   * @default the default redaction rules
   */
  redact?: RedactText | undefined
}

/** A memory that matches. */
export interface RecalledMemory {
  /** The same for memories of the same words. */
  readonly key: string
  /** For `readItem`; absent for a remembered text, which is shown in full. */
  readonly id?: string | undefined
  readonly text: string
  readonly memoryType: string
  readonly importance: number
  readonly entities: readonly string[]
  readonly sessionId: string
  readonly project: string | null
  readonly harness: string
  readonly ts: string
  /** Lower is better. */
  readonly rank: number
}

/** The result of a recall. */
export interface RecallResult {
  readonly query: string
  readonly results: readonly RecalledMemory[]
  readonly count: number
  readonly method: 'keyword'
  readonly meta: {
    readonly totalReturned: number
    /** All that match, also those beyond the limit. */
    readonly totalFound: number
    readonly noHits: boolean
    /** How many match and were left out, because the session was given them in this context. */
    readonly leftOut: number
  }
  /** The results as a text, ready to be shown. */
  readonly message: string
}

const LIMIT = { least: 1, most: 50, usual: 10 }
const CHECKPOINTS_MAX = 5000
const IMPORTANCE_USUAL = 3
const SHOWN_CODE_POINTS = 300

/** The best match first: more words of the query, then more important, then newer. */
export function recall(store: StoreContext, options: RecallOptions): RecallResult {
  return toRecallResult(options, findMemories(store, options))
}

/** All memories that match, in the order of `recall`. */
export function findMemories(store: StoreContext, options: RecallOptions): RecalledMemory[] {
  const { query, keywordQuery, project, scope, redact } = options
  const terms = parseTerms(keywordQuery ?? query)
  const isWanted = filterOf(options)
  const { checkpoints } = listCheckpoints(store, { project, scope, limit: CHECKPOINTS_MAX })
  const seen = new Set<string>()
  return checkpoints
    .flatMap(({ checkpoint }) => itemsOf(redactWords(checkpoint, redact)))
    .filter(isWanted)
    .flatMap((item) => {
      const words = fold(item.text)
      const isRepeated = seen.has(words)
      seen.add(words)
      const matched = terms.filter((term) => words.includes(term)).length
      return matched === 0 || isRepeated ? [] : [{ ...item, key: keyOf(words), rank: -matched }]
    })
    .sort(
      (one, other) =>
        one.rank - other.rank || other.importance - one.importance || compareTimes(other, one),
    )
}

/** Up to the limit, without the memories of these keys. */
export function toRecallResult(
  { query, limit }: Pick<RecallOptions, 'query' | 'limit'>,
  matching: readonly RecalledMemory[],
  leaveOut: ReadonlySet<string> = new Set(),
): RecallResult {
  const found = matching.filter(({ key }) => !leaveOut.has(key))
  const results = found.slice(0, clampLimit(limit))
  const leftOut = matching.length - found.length
  return {
    query,
    results,
    count: results.length,
    method: 'keyword',
    meta: {
      totalReturned: results.length,
      totalFound: found.length,
      noHits: results.length === 0,
      leftOut,
    },
    message: toMessage(results, leftOut),
  }
}

type Unranked = Omit<RecalledMemory, 'rank' | 'key'>

const KEY_HEX = 16

/** Not the id: a memory that is stored again gets another one. */
function keyOf(words: string): string {
  return createHash('sha256').update(words).digest('hex').slice(0, KEY_HEX)
}

/** The checkpoints come newest first, so of repeated texts the newest stays. */
function itemsOf(checkpoint: CheckpointPayload): Unranked[] {
  const { id, session_key, project, harness, created_at, memories, recent_remembers } = checkpoint
  const of = { sessionId: session_key, project: project ?? null, harness, ts: created_at }
  const learnt = listOf<Memory | null>(memories).flatMap((memory, index) => {
    if (typeof memory?.content !== 'string') return []
    const { content, memoryType = 'fact', importance = IMPORTANCE_USUAL, entities } = memory
    const item = checkpointItemId(id, 'memory', String(index))
    return [
      {
        id: item,
        text: content,
        memoryType,
        importance,
        entities: listOf<string>(entities),
        ...of,
      },
    ]
  })
  const remembered = listOf<unknown>(recent_remembers).flatMap((text) =>
    typeof text === 'string'
      ? [{ text, memoryType: 'remember', importance: IMPORTANCE_USUAL, entities: [], ...of }]
      : [],
  )
  return [...learnt, ...remembered]
}

function listOf<Item>(value: unknown): readonly Item[] {
  return Array.isArray(value) ? (value as Item[]) : []
}

/** Quoted phrases as they are, and the other words; `OR` only separates them. */
function parseTerms(query: unknown): readonly string[] {
  if (typeof query !== 'string') throw new TypeError('The query must be a string')
  const terms = [...query.matchAll(/"([^"]+)"|[\p{L}\p{N}_.-]+/gu)]
    .filter(([word]) => word !== 'OR' && word !== 'AND')
    .map(([word, phrase]) => fold(phrase ?? word))
    .filter((term) => term !== '')
  if (terms.length > 0) return [...new Set(terms)]
  throw new SessionError('ERR_ARG', 'The query contains no word to search for', { query })
}

function fold(text: string): string {
  return oneLine(text).normalize('NFKC').toLowerCase()
}

function filterOf({ type, tags, who, since, until }: RecallOptions): (item: Unranked) => boolean {
  const [from, to] = [timeOf('since', since), timeOf('until', until)]
  const names =
    tags
      ?.split(',')
      .map(fold)
      .filter((name) => name !== '') ?? []
  return ({ memoryType, entities, harness, ts }) =>
    (type === undefined || memoryType === type) &&
    (who === undefined || harness === who) &&
    (from === undefined || Date.parse(ts) >= from) &&
    (to === undefined || Date.parse(ts) < to) &&
    (names.length === 0 || entities.some((entity) => names.includes(fold(String(entity)))))
}

function timeOf(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const time = Date.parse(value)
  if (!Number.isNaN(time)) return time
  throw new SessionError(
    'ERR_ARG',
    `${name} must be a time such as 2026-01-31T12:00:00Z, not "${value}"`,
  )
}

function clampLimit(limit: number = LIMIT.usual): number {
  if (typeof limit !== 'number' || Number.isNaN(limit)) return LIMIT.usual
  return Math.min(LIMIT.most, Math.max(LIMIT.least, Math.trunc(limit)))
}

function compareTimes(one: Unranked, other: Unranked): number {
  return Date.parse(one.ts) - Date.parse(other.ts)
}

function toMessage(results: readonly RecalledMemory[], leftOut: number): string {
  if (results.length === 0) {
    return leftOut === 0
      ? 'No matching memories found.'
      : 'No other memories match; those that do were recalled before in this context.'
  }
  return results
    .map(({ text, memoryType, ts }) => {
      const day = ts.slice(0, 'yyyy-mm-dd'.length)
      return `- ${shorten(oneLine(text), SHOWN_CODE_POINTS)} (${memoryType}, ${day})`
    })
    .join('\n')
}
