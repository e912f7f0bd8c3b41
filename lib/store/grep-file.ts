// One file, looked through from its start to the end it had when it was opened. Most lines are
// passed over by their bytes; those that may match are parsed, and their texts decide.

import { closeSync } from 'node:fs'
import { readEnvelope, spellText } from '../format/index.js'
import type { LogEntry } from '../log/index.js'
import {
  type Line,
  type LineFinder,
  type OpenLog,
  openForReading,
  searchBuffer,
  searchLines,
} from '../log/inside.js'
import type { EventFilter } from './grep-filter.js'
import type { Pattern } from './grep-pattern.js'
import { LineProbe } from './line-probe.js'
import { damagedTexts, textsOf } from './line-texts.js'
import { Needle } from './needle.js'
import { ToolNames } from './tool-names.js'

export interface FoundEntry {
  readonly entry: LogEntry
  /** The text that matches, and where in it the match begins. */
  readonly text: string
  readonly at: number
}

export interface GrepQuery {
  readonly pattern: Pattern
  readonly filter: EventFilter
  /** Looks at lines as they lie on the disk, not at what they say. */
  readonly isRaw: boolean
  readonly signal?: AbortSignal | undefined
  /** Is told of every line that is too long to be looked through. */
  readonly onUnread: (path: string, line: Line) => void
}

export class FileGrep {
  readonly #query: GrepQuery
  readonly #finder: LineFinder
  readonly #buffer = searchBuffer()

  /** One for all files of a search. */
  constructor(query: GrepQuery) {
    this.#query = query
    this.#finder = finderOf(query)
  }

  *run(path: string): Generator<FoundEntry, void, undefined> {
    const log = openForReading(path)
    try {
      yield* this.#search(log)
    } finally {
      closeSync(log.fd)
    }
  }

  *#search(log: OpenLog): Generator<FoundEntry, void, undefined> {
    const { filter, signal, onUnread } = this.#query
    const calls = new ToolNames(log)
    for (const { line, decode } of searchLines(log, this.#finder, {
      signal,
      buffer: this.#buffer,
    })) {
      const envelope = readEnvelope(line.bytes, line.start, line.end)
      if (envelope !== undefined && line.isEnded && !filter.mayTake(envelope)) continue
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
      if (!filter.mayTakeDamaged(text)) return undefined
      return this.#firstIn(entry, isRaw ? [text] : damagedTexts(text))
    }
    const found = this.#firstIn(entry, isRaw ? [raw()] : textsOf(entry.event))
    const nameOf = (id: string) => calls.nameOf(id, entry.byte_offset)
    return found !== undefined && filter.takes(entry.event, nameOf) ? found : undefined
  }

  #firstIn(entry: LogEntry, texts: readonly string[]): FoundEntry | undefined {
    const { pattern } = this.#query
    for (const text of texts) {
      const at = pattern.find(text)
      if (at !== -1) return { entry, text, at }
    }
    return undefined
  }
}

/** The part of the line that the entry is. */
function rawTextOf({ byte_offset, length }: LogEntry, line: Line): string {
  const start = line.start + (byte_offset - line.byte_offset)
  return line.bytes.toString('utf8', start, Math.min(start + length, line.end))
}

function finderOf({ pattern, isRaw }: GrepQuery): LineFinder {
  const { literal, ignoreCase } = pattern
  if (literal === '') return { mayHold: () => true }
  if (ignoreCase) {
    const probe = new LineProbe([literal])
    return { mayHold: (line) => probe.termsIn(line) !== 0 }
  }
  const spelled = isRaw ? literal : spellText(literal)
  const needle = new Needle(Buffer.from(spelled))
  const find = (bytes: Buffer, from: number) => needle.find(bytes, from)
  if (isRaw) return { find, mayHold: () => false }
  // A text with quotes stands in a damaged line as it is, or as JSON spells it.
  return { find, mayHold: spelled === literal ? hasOtherSpelling : () => true }
}

const ESCAPED_CODE = Buffer.from('\\u', 'latin1')
const ESCAPED_SLASH = Buffer.from('\\/', 'latin1')

/** What our writer never spells: any character by its number, and the slash. */
function hasOtherSpelling({ bytes, start, end }: Line): boolean {
  const line = bytes.subarray(start, end)
  return line.includes(ESCAPED_CODE) || line.includes(ESCAPED_SLASH)
}
