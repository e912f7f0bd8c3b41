// Finds events by their texts, with their file and line. There is no index and nothing is written;
// files may grow meanwhile.

import { partsOf } from '../../chain/index.js'
import { isSessionError, SessionError } from '../../errors.js'
import { timeOf } from '../../format/fields.js'
import { withinDepth } from '../../format/index.js'
import { countNewlines, type LogEntry, readLogBackwardSync, readLogSync } from '../../log/index.js'
import { type Redactor, redactEvent } from '../../redaction/index.js'
import { checkLimit } from '../check-options.js'
import type { StoreContext } from '../context.js'
import { Pauses } from '../pauses.js'
import { sortByChange } from '../sort-by-change.js'
import { cutAround, excerptAround, toOneLine, withoutHalves } from '../text/output-text.js'
import { FileGrep, type FoundEntry, findTexts } from './file.js'
import { listStoreFiles, type StoreFile, type StoreFilesOptions } from './files.js'
import { EventFilter, type EventFilterOptions } from './filter.js'
import { compilePattern, type Pattern, type PatternOptions, type TextSpan } from './pattern.js'

export interface GrepOptions extends StoreFilesOptions, EventFilterOptions, PatternOptions {
  /** What to find in the strings of payloads; an empty pattern matches every event. */
  pattern: string

  /**
   * Match lines as they are on disk, including envelope, names of fields and escapes.
   *
   * @default false
   */
  raw?: boolean | undefined

  /**
   * Number of entries to return before and after each match.
   *
   * @default 0
   */
  context?: number | undefined

  /**
   * Number of entries to return before each match.
   *
   * @default context
   */
  before?: number | undefined

  /**
   * Number of entries to return after each match.
   *
   * @default context
   */
  after?: number | undefined

  /**
   * Find the events that do not match the pattern. The other options still select.
   *
   * @default false
   */
  invert?: boolean | undefined

  /**
   * Replaces the secrets of what is returned. What is searched has them still.
   *
   * @default none: snippets are as they are stored
   */
  redactor?: Redactor | undefined

  /**
   * Search the files that were written last first, instead of in the order of their names.
   *
   * @default false
   */
  newestFirst?: boolean | undefined

  /**
   * Maximum number of matches per file.
   *
   * @default no limit
   */
  limitPerFile?: number | undefined

  /**
   * Aborts the call.
   *
   * @default none
   */
  signal?: AbortSignal | undefined
}

/** A line that matches. */
export interface GrepHit {
  /** Of a subagent's log, the session it worked for. */
  readonly sessionId: string
  readonly path: string
  /** From 1. */
  readonly lineNumber: number
  readonly byteOffset: number
  /** In bytes, without the newline. */
  readonly length: number
  /** `null` if the line is damaged. */
  readonly ts: string | null
  readonly type: string | null
  readonly uuid: string | null
  /** The text around the match, on one line. */
  readonly snippet: string
  /** Where the snippet matches. */
  readonly matches?: readonly TextSpan[]
  /** Why the line could not be read; its bytes were searched as they are. */
  readonly damage?: string
  /** Not a match, but near one. */
  readonly context?: true
}

// Enough for an excerpt, also if much of it is white space.
const SNIPPET_CHARS = 1000

/** File by file, in the order of their lines. Leaving the loop stops the search. */
export async function* grepStore(
  store: StoreContext,
  options: GrepOptions,
): AsyncGenerator<GrepHit, void, undefined> {
  const { raw: isRaw = false, invert: isInverted = false, signal, onSkipped } = options
  const { context = 0, before = context, after = context } = options
  const limit = options.limitPerFile ?? Number.POSITIVE_INFINITY
  for (const [name, count] of Object.entries({ context, before, after })) checkCount(name, count)
  checkLimit(limit)
  const pattern = await compilePattern(options.pattern, options)
  // An empty pattern: the snippet is of the event and not of its first string.
  const isAny = options.pattern === '' && !isRaw
  const filter = new EventFilter(options)
  const grep = new FileGrep(store, {
    pattern,
    filter,
    isRaw,
    isInverted,
    signal,
    onUnread: (path, { line_number, length }) => {
      const reason = `line ${line_number} has ${length} bytes; only its beginning was searched`
      onSkipped?.({ path, reason })
    },
  })
  const files = listStoreFiles(store, options)
  const pauses = new Pauses(store.env)
  for (const file of options.newestFirst === true ? sortNewestFirst(store, files) : files) {
    await pauses.pause()
    signal?.throwIfAborted()
    try {
      const found = take(grep.run(file.path, file.end), limit)
      const isAlone = before === 0 && after === 0
      const shown = isAlone ? found : withContext(store, file.path, found, { before, after })
      for (const one of shown)
        yield toHit(file, withoutSecrets(one, pattern, options), { pattern, isAny })
    } catch (error) {
      if (!isSessionError(error) || (file.isNamed && error.code === 'ERR_NOT_FOUND')) throw error
      // A missing file was removed meanwhile.
      if (error.code !== 'ERR_NOT_FOUND') {
        onSkipped?.({ path: file.path, reason: error.message })
      }
    }
  }
}

function toHit(
  file: StoreFile,
  { entry, match, isNear }: Shown,
  { pattern, isAny }: { pattern: Pattern; isAny: boolean },
): GrepHit {
  const event = entry.kind === 'event' ? entry.event : undefined
  const isOfEvent = match === undefined || (isAny && event !== undefined)
  return {
    sessionId: file.readSessionId(),
    path: file.path,
    lineNumber: entry.line_number ?? 1,
    byteOffset: entry.byte_offset,
    length: entry.length,
    ts: timeOf(event?.ts),
    type: event?.type ?? null,
    uuid: event?.uuid ?? null,
    ...(isOfEvent ? { snippet: contextSnippet(entry) } : toSnippet(match, pattern)),
    ...(entry.kind === 'event' ? {} : { damage: entry.reason }),
    ...(isNear && { context: true as const }),
  }
}

/** The same entry and match, as they are without secrets. */
function withoutSecrets(
  shown: Shown,
  pattern: Pattern,
  { redactor, raw = false }: GrepOptions,
): Shown {
  const { entry, match } = shown
  if (redactor === undefined) return shown
  const event = entry.kind === 'event' ? redactEvent(withinDepth(entry.event), redactor) : undefined
  const safe = event === undefined ? entry : { ...entry, event }
  if (match === undefined) return { ...shown, entry: safe as LogEntry }
  // Of a field, its name may say that it is a secret.
  const isOfField = event !== undefined && event.payload !== null && !raw
  const text = isOfField ? (findTexts(event)[match.index] ?? '') : redactor.text(match.text)
  const at = Math.max(0, pattern.find(text))
  return { ...shown, entry: safe as LogEntry, match: { ...match, text, at } }
}

function sortNewestFirst(store: StoreContext, files: readonly StoreFile[]): StoreFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  return sortByChange(store, byPath.keys()).map(({ path }) => byPath.get(path)!)
}

/** The text around a match, and where it matches. */
function toSnippet(
  { text, at }: NonNullable<FoundEntry['match']>,
  pattern: Pattern,
): Pick<GrepHit, 'snippet' | 'matches'> {
  const head = withoutHalves(text.slice(Math.max(0, at - SNIPPET_CHARS), at))
  const before = toOneLine(head)
  const behind = toOneLine(withoutHalves(text.slice(at, at + SNIPPET_CHARS)))
  // `toOneLine` drops the space between them.
  const gap = before !== '' && /\s$/.test(head) ? ' ' : ''
  const start = before.length + gap.length
  const { excerpt: snippet, first } = cutAround(`${before}${gap}${behind}`, start)
  const found = pattern.locate(text, at)
  const length = found === undefined ? 0 : toOneLine(text.slice(at, found.end)).length
  const here = { start: start - first, end: Math.min(start - first + length, snippet.length) }
  const matches = findMatches(snippet, pattern, here)
  return matches.length === 0 ? { snippet } : { snippet, matches }
}

/** `here` is the match that was found: on one line it may not be one any more, as with `^Error`. */
function findMatches(snippet: string, pattern: Pattern, here: TextSpan): TextSpan[] {
  const matches: TextSpan[] = []
  for (let from = 0; from < snippet.length; ) {
    const span = pattern.locate(snippet, from)
    if (span === undefined) break
    if (span.end > span.start) matches.push(span)
    from = Math.max(span.end, span.start + 1)
  }
  const isKnown = matches.some(({ start, end }) => start < here.end && here.start < end)
  if (isKnown || here.end <= here.start) return matches
  return [...matches, here].sort((one, other) => one.start - other.start)
}

function contextSnippet(entry: LogEntry): string {
  if (entry.kind !== 'event') return ''
  const { event } = entry
  const texts =
    event.payload === undefined ? findTexts(event) : partsOf(event).map(({ text }) => text)
  return excerptAround(toOneLine(withoutHalves(texts.join(' ').slice(0, SNIPPET_CHARS))), 0)
}

function* take<Item>(items: Iterable<Item>, limit: number): Generator<Item, void, undefined> {
  let count = 0
  if (limit === 0) return
  for (const item of items) {
    yield item
    if (++count >= limit) return
  }
}

function checkCount(name: string, count: number): void {
  if (typeof count !== 'number') throw new TypeError(`${name} must be a number`)
  if (Number.isSafeInteger(count) && count >= 0) return
  throw new SessionError('ERR_ARG', `${name} must be a non-negative integer`, { [name]: count })
}

/** A match, or an entry near one. */
export type Shown = FoundEntry & { readonly isNear?: true }

export function* withContext(
  store: StoreContext,
  path: string,
  found: Iterable<FoundEntry>,
  counts: { readonly before: number; readonly after: number },
): Generator<Shown, void, undefined> {
  // Entries before this byte were returned already.
  let shownTo = 0
  let last: LogEntry | undefined
  for (const match of found) {
    const { entry } = match
    if (last !== undefined) {
      for (const after of entriesAfter(store, path, last, counts.after, entry.byte_offset)) {
        shownTo = endOf(after)
        yield { entry: after, isNear: true }
      }
    }
    for (const before of entriesBefore(store, path, entry, counts.before, shownTo)) {
      yield { entry: before, isNear: true }
    }
    yield match
    last = entry
    shownTo = endOf(entry)
  }
  if (last === undefined) return
  for (const after of entriesAfter(store, path, last, counts.after))
    yield { entry: after, isNear: true }
}

function entriesBefore(
  { env }: StoreContext,
  path: string,
  entry: LogEntry,
  count: number,
  from: number,
): LogEntry[] {
  const options = { from, to: entry.byte_offset, bare: true, environment: env }
  if (count === 0) return []
  const entries: LogEntry[] = []
  for (const one of readLogBackwardSync(path, options)) {
    const line_number =
      (entry.line_number ?? 1) - countNewlines(path, env, one.byte_offset, entry.byte_offset)
    entries.unshift({ ...one, line_number })
    if (entries.length === count) break
  }
  return entries
}

function entriesAfter(
  { env }: StoreContext,
  path: string,
  entry: LogEntry,
  count: number,
  to?: number,
): LogEntry[] {
  if (count === 0) return []
  const entries: LogEntry[] = []
  const from = endOf(entry)
  for (const one of readLogSync(path, { from, to, bare: true, environment: env })) {
    const line_number =
      (entry.line_number ?? 1) + countNewlines(path, env, entry.byte_offset, one.byte_offset)
    entries.push({ ...one, line_number })
    if (entries.length === count) break
  }
  return entries
}

function endOf({ byte_offset, length }: LogEntry): number {
  return byte_offset + length
}
