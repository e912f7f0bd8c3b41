// Searches one file to the end it had when it was opened. Most lines are skipped by their bytes;
// those that may match are parsed.

import { readEnvelope, type SessionEvent, spellText } from '../../format/index.js'
import type { LogEntry } from '../../log/index.js'
import {
  type Line,
  type LineFinder,
  type OpenLog,
  openForReading,
  prefilteredLines,
  searchBuffer,
} from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { BytesFinder } from '../prefilter/find-bytes.js'
import { LinePrefilter } from '../prefilter/line-prefilter.js'
import { ToolNames } from '../text/tool-parts.js'
import type { EventFilter } from './filter.js'
import type { Pattern } from './pattern.js'

/** A text that matches, the index of the match, and which of the texts of its event it is. */
export interface FoundText {
  readonly text: string
  readonly at: number
  readonly index: number
}

export interface FoundEntry {
  readonly entry: LogEntry
  /** None where nothing may match. */
  readonly match?: FoundText
}

export interface GrepQuery {
  readonly pattern: Pattern
  readonly filter: EventFilter
  /** Matches lines as they are on disk instead of their decoded texts. */
  readonly isRaw: boolean
  /** Finds the events of the filter that do not match. */
  readonly isInverted: boolean
  readonly signal?: AbortSignal | undefined
  /** Called for every line that is too long to be searched completely. */
  readonly onUnread: (path: string, line: Line) => void
}

export class FileGrep {
  readonly #store: StoreContext
  readonly #query: GrepQuery
  readonly #finder: LineFinder
  readonly #buffer = searchBuffer()

  /** One for all files of a search. */
  constructor(store: StoreContext, query: GrepQuery) {
    this.#store = store
    this.#query = query
    // What does not match has no bytes by which it could be found.
    this.#finder = query.isInverted ? { mayHold: () => true } : toFinder(query)
  }

  *run(path: string, end: number): Generator<FoundEntry, void, undefined> {
    const log = openForReading(path, this.#store.env)
    try {
      for (const found of this.#search(log)) {
        if (found.entry.byte_offset >= end) return
        yield found
      }
    } finally {
      this.#store.env.fs.closeSync(log.fd)
    }
  }

  *#search(log: OpenLog): Generator<FoundEntry, void, undefined> {
    const { filter, signal, onUnread } = this.#query
    const calls = new ToolNames(log)
    for (const { line, decode } of prefilteredLines(log, this.#finder, {
      signal,
      buffer: this.#buffer,
    })) {
      const envelope = readEnvelope(line.bytes, line.start, line.end)
      if (envelope !== undefined && line.isEnded && !filter.mayMatch(envelope)) continue
      if (line.isOversize) onUnread(log.path, line)
      for (const entry of decode()) {
        const found = this.#match(entry, line, calls)
        if (found !== undefined) yield found
      }
    }
  }

  #match(entry: LogEntry, line: Line, calls: ToolNames): FoundEntry | undefined {
    const { filter, isRaw } = this.#query
    const raw = () => rawTextOf(entry, line)
    if (entry.kind !== 'event' || entry.event.payload === null) {
      const text = raw()
      if (!filter.mayMatchDamaged(text)) return undefined
      return this.#firstIn(entry, isRaw ? [text] : findDamagedTexts(text))
    }
    const found = this.#firstIn(entry, isRaw ? [raw()] : findTexts(entry.event))
    const nameOf = (id: string) => calls.findName(id, entry.byte_offset)
    return found !== undefined && filter.matches(entry.event, nameOf) ? found : undefined
  }

  #firstIn(entry: LogEntry, texts: readonly string[]): FoundEntry | undefined {
    const { pattern, isInverted } = this.#query
    for (const [index, text] of texts.entries()) {
      const at = pattern.find(text)
      if (at !== -1) return isInverted ? undefined : { entry, match: { text, at, index } }
    }
    return isInverted ? { entry } : undefined
  }
}

/** The bytes of the entry as text. */
function rawTextOf({ byte_offset, length }: LogEntry, line: Line): string {
  const start = line.start + (byte_offset - line.byte_offset)
  return line.bytes.toString('utf8', start, Math.min(start + length, line.end))
}

function toFinder({ pattern, isRaw }: GrepQuery): LineFinder {
  const { literal, ignoreCase } = pattern
  if (literal === '') return { mayHold: () => true }
  if (ignoreCase) {
    const prefilter = new LinePrefilter([literal])
    return { mayHold: (line) => prefilter.termsIn(line) !== 0 }
  }
  const spelled = isRaw ? literal : spellText(literal)
  const needle = new BytesFinder(Buffer.from(spelled))
  const find = (bytes: Buffer, from: number) => needle.find(bytes, from)
  if (isRaw) return { find, mayHold: () => false }
  // A damaged line may contain a text with quotes as it is, or as JSON spells it.
  return { find, mayHold: spelled === literal ? hasOtherSpelling : () => true }
}

const ESCAPED_CODE = Buffer.from('\\u', 'latin1')
const ESCAPED_SLASH = Buffer.from('\\/', 'latin1')

/** Spellings that our writer never uses: a character by its number, and an escaped slash. */
function hasOtherSpelling({ bytes, start, end }: Line): boolean {
  const line = bytes.subarray(start, end)
  return line.includes(ESCAPED_CODE) || line.includes(ESCAPED_SLASH)
}

/**
 * The strings of an event's payload, in order. A line without an envelope is all payload. Names of
 * fields, numbers and the envelope are not texts.
 */
export function findTexts(event: SessionEvent): string[] {
  const texts: string[] = []
  // Without recursion: valid JSON may nest deeper than the stack.
  const { crc: _, ...bare } = event as { crc?: unknown }
  const open: unknown[] = [event.payload === undefined ? bare : event.payload]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'object' && value !== null) {
      const parts: unknown[] = Array.isArray(value) ? value : Object.values(value)
      for (let index = parts.length - 1; index >= 0; index--) open.push(parts[index])
    }
  }
  return texts
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/g
const MEANINGS: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

export function findDamagedTexts(raw: string): string[] {
  const plain = raw.replace(ESCAPE, (_, code: string | undefined, letter: string) =>
    code === undefined
      ? (MEANINGS[letter] ?? letter)
      : String.fromCharCode(Number.parseInt(code, 16)),
  )
  return plain === raw ? [raw] : [plain, raw]
}
