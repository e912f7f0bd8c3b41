// Events by what they say, with the place where they stand: for a person with a folder of
// transcripts and an hour. Nothing is indexed and nothing is written; files may grow meanwhile.

import { partsOf } from '../chain/index.js'
import { isSessionError, SessionError } from '../errors.js'
import type { LogEntry } from '../log/index.js'
import { excerptAround, wholeCharacters } from './excerpt.js'
import { type Shown, withContext } from './grep-context.js'
import { FileGrep } from './grep-file.js'
import { listStoreFiles, type StoreFile, type StoreFilesOptions } from './grep-files.js'
import { EventFilter, type EventFilterOptions } from './grep-filter.js'
import { compilePattern, type PatternOptions } from './grep-pattern.js'
import { checkLimit } from './limit.js'
import { textsOf } from './line-texts.js'
import { onOneLine } from './served-text.js'
import { timeOf } from './session-digest-events.js'

export interface GrepOptions extends StoreFilesOptions, EventFilterOptions, PatternOptions {
  /** What to look for in the strings of payloads; an empty one matches every event. */
  pattern: string

  /**
   * Match lines as they lie on the disk: envelope, names of fields and escapes included.
   *
   * @default false
   */
  raw?: boolean | undefined

  /**
   * Also so many entries before and after each.
   *
   * @default 0
   */
  context?: number | undefined

  /** At most so many of each file. */
  limitPerFile?: number | undefined

  signal?: AbortSignal | undefined
}

export interface GrepHit {
  /** Of a subagent's log, the session it worked for. */
  readonly session_id: string
  readonly path: string
  /** From 1, as editors and sed count. */
  readonly line_number: number
  readonly byte_offset: number
  /** Bytes from there on, without the newline. */
  readonly length: number
  /** `null` for what a damaged line does not tell. */
  readonly ts: string | null
  readonly type: string | null
  readonly uuid: string | null
  /** The text around the match, on one line. */
  readonly snippet: string
  /** Why the line could not be read; its bytes were matched as they are. */
  readonly damage?: string
  /** It does not match itself, but stands beside one that does. */
  readonly context?: true
}

// Enough for an excerpt, also when much of it is space that collapses.
const CHARS_LOOKED_AT = 1000

/** File by file, in the order of their lines. Whoever leaves the loop stops the search. */
export async function* grepStore(options: GrepOptions): AsyncGenerator<GrepHit, void, undefined> {
  const { raw: isRaw = false, context = 0, signal, onSkipped } = options
  const limit = options.limitPerFile ?? Number.POSITIVE_INFINITY
  checkContext(context)
  checkLimit(limit)
  const pattern = await compilePattern(options.pattern, options)
  // Nothing in particular was looked for, so the event itself is shown and not its first string.
  const isAny = options.pattern === '' && !isRaw
  const filter = new EventFilter(options)
  const grep = new FileGrep({
    pattern,
    filter,
    isRaw,
    signal,
    onUnread: (path, { line_number, length }) => {
      const reason = `line ${line_number} has ${length} bytes; only its beginning was looked at`
      onSkipped?.({ path, reason })
    },
  })
  for (const file of listStoreFiles(options)) {
    signal?.throwIfAborted()
    try {
      const found = take(grep.run(file.path), limit)
      const shown = context === 0 ? found : withContext(file.path, found, context)
      for (const one of shown) yield hitOf(file, one, { isAny })
    } catch (error) {
      if (!isSessionError(error) || (file.isNamed && error.code === 'ERR_NOT_FOUND')) throw error
      // A session that went away meanwhile is none.
      if (error.code !== 'ERR_NOT_FOUND') {
        onSkipped?.({ path: file.path, reason: error.message })
      }
    }
  }
}

function hitOf(file: StoreFile, shown: Shown, { isAny }: { isAny: boolean }): GrepHit {
  const { entry } = shown
  const event = entry.kind === 'event' ? entry.event : undefined
  return {
    session_id: file.session_id(),
    path: file.path,
    line_number: entry.line_number ?? 1,
    byte_offset: entry.byte_offset,
    length: entry.length,
    ts: timeOf(event?.ts),
    type: event?.type ?? null,
    uuid: event?.uuid ?? null,
    snippet: snippetIn(shown, isAny),
    ...(entry.kind === 'event' ? {} : { damage: entry.reason }),
    ...('text' in shown ? {} : { context: true as const }),
  }
}

function snippetIn(shown: Shown, isAny: boolean): string {
  const isOfEvent = isAny && shown.entry.kind === 'event'
  return 'text' in shown && !isOfEvent
    ? snippetOf(shown.text, shown.at)
    : contextSnippet(shown.entry)
}

function snippetOf(text: string, at: number): string {
  const head = wholeCharacters(text.slice(Math.max(0, at - CHARS_LOOKED_AT), at))
  const before = onOneLine(head)
  const behind = onOneLine(wholeCharacters(text.slice(at, at + CHARS_LOOKED_AT)))
  // The space between them is lost by making each one line.
  const gap = before !== '' && /\s$/.test(head) ? ' ' : ''
  return excerptAround(`${before}${gap}${behind}`, before.length + gap.length)
}

function contextSnippet(entry: LogEntry): string {
  if (entry.kind !== 'event') return ''
  const { event } = entry
  const texts =
    event.payload === undefined ? textsOf(event) : partsOf(event).map(({ text }) => text)
  return excerptAround(onOneLine(wholeCharacters(texts.join(' ').slice(0, CHARS_LOOKED_AT))), 0)
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
