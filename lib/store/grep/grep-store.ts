// Finds events by their texts, with their file and line. There is no index and nothing is written;
// files may grow meanwhile.

import { partsOf } from '../../chain/index.js'
import { isSessionError, SessionError } from '../../errors.js'
import { timeOf } from '../../format/fields.js'
import { countNewlines, type LogEntry, readLogBackwardSync, readLogSync } from '../../log/index.js'
import { checkLimit } from '../check-options.js'
import type { StoreContext } from '../context.js'
import { excerptAround, toOneLine, withoutHalves } from '../text/output-text.js'
import { FileGrep, type FoundEntry, findTexts } from './file.js'
import { listStoreFiles, type StoreFile, type StoreFilesOptions } from './files.js'
import { EventFilter, type EventFilterOptions } from './filter.js'
import { compilePattern, type PatternOptions } from './pattern.js'

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
  const { raw: isRaw = false, context = 0, signal, onSkipped } = options
  const limit = options.limitPerFile ?? Number.POSITIVE_INFINITY
  checkContext(context)
  checkLimit(limit)
  const pattern = await compilePattern(options.pattern, options)
  // An empty pattern: the snippet is of the event and not of its first string.
  const isAny = options.pattern === '' && !isRaw
  const filter = new EventFilter(options)
  const grep = new FileGrep(store, {
    pattern,
    filter,
    isRaw,
    signal,
    onUnread: (path, { line_number, length }) => {
      const reason = `line ${line_number} has ${length} bytes; only its beginning was searched`
      onSkipped?.({ path, reason })
    },
  })
  for (const file of listStoreFiles(store, options)) {
    signal?.throwIfAborted()
    try {
      const found = take(grep.run(file.path, file.end), limit)
      const shown = context === 0 ? found : withContext(store, file.path, found, context)
      for (const one of shown) yield toHit(file, one, { isAny })
    } catch (error) {
      if (!isSessionError(error) || (file.isNamed && error.code === 'ERR_NOT_FOUND')) throw error
      // A missing file was removed meanwhile.
      if (error.code !== 'ERR_NOT_FOUND') {
        onSkipped?.({ path: file.path, reason: error.message })
      }
    }
  }
}

function toHit(file: StoreFile, shown: Shown, { isAny }: { isAny: boolean }): GrepHit {
  const { entry } = shown
  const event = entry.kind === 'event' ? entry.event : undefined
  return {
    sessionId: file.readSessionId(),
    path: file.path,
    lineNumber: entry.line_number ?? 1,
    byteOffset: entry.byte_offset,
    length: entry.length,
    ts: timeOf(event?.ts),
    type: event?.type ?? null,
    uuid: event?.uuid ?? null,
    snippet: findSnippet(shown, isAny),
    ...(entry.kind === 'event' ? {} : { damage: entry.reason }),
    ...('text' in shown ? {} : { context: true as const }),
  }
}

function findSnippet(shown: Shown, isAny: boolean): string {
  const isOfEvent = isAny && shown.entry.kind === 'event'
  return 'text' in shown && !isOfEvent
    ? toSnippet(shown.text, shown.at)
    : contextSnippet(shown.entry)
}

function toSnippet(text: string, at: number): string {
  const head = withoutHalves(text.slice(Math.max(0, at - SNIPPET_CHARS), at))
  const before = toOneLine(head)
  const behind = toOneLine(withoutHalves(text.slice(at, at + SNIPPET_CHARS)))
  // `toOneLine` drops the space between them.
  const gap = before !== '' && /\s$/.test(head) ? ' ' : ''
  return excerptAround(`${before}${gap}${behind}`, before.length + gap.length)
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

function checkContext(context: number): void {
  if (typeof context !== 'number') throw new TypeError('context must be a number')
  if (Number.isSafeInteger(context) && context >= 0) return
  throw new SessionError('ERR_ARG', 'context must be a whole number from 0', { context })
}

/** A match, or an entry near one. */
export type Shown = FoundEntry | { readonly entry: LogEntry }

export function* withContext(
  store: StoreContext,
  path: string,
  found: Iterable<FoundEntry>,
  count: number,
): Generator<Shown, void, undefined> {
  // Entries before this byte were returned already.
  let shownTo = 0
  let last: LogEntry | undefined
  for (const match of found) {
    const { entry } = match
    if (last !== undefined) {
      for (const after of entriesAfter(store, path, last, count, entry.byte_offset)) {
        shownTo = endOf(after)
        yield { entry: after }
      }
    }
    for (const before of entriesBefore(store, path, entry, count, shownTo)) yield { entry: before }
    yield match
    last = entry
    shownTo = endOf(entry)
  }
  if (last === undefined) return
  for (const after of entriesAfter(store, path, last, count)) yield { entry: after }
}

function entriesBefore(
  { env }: StoreContext,
  path: string,
  entry: LogEntry,
  count: number,
  from: number,
): LogEntry[] {
  const options = { from, to: entry.byte_offset, bare: true, environment: env }
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
