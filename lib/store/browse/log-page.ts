// A log page by page. A page is read from its place in the file to its last entry and no further, so its
// cost depends on the page and not on the file.

import { SessionError } from '../../errors.js'
import { type DamageEntry, type EventEntry, type Line, readLogBackward } from '../../log/index.js'
import {
  cursorAt,
  endOfLines,
  Follower,
  lineStartBefore,
  openForReading,
  parseCursor,
} from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { damageOf, type EntryDamage, type OutlineEntry, toOutline } from './outline.js'
import { type ServeOptions, toServedEvent } from './served-event.js'

/** Where a page starts: one of `from`, `offset` and `at`; else at `before`, or the beginning of the log. */
export interface PageStart {
  /** The `next` of another page, or the cursor of a followed entry. */
  from?: string | undefined

  /** A byte of the log. Inside a line, the next line is the first. */
  offset?: number | undefined

  /** The uuid of an event. */
  at?: string | undefined

  /** So many entries before the event `at`; without `at`, before the end of the log. */
  before?: number | undefined
}

export interface PageOptions extends PageStart, ServeOptions {
  /** Maximum number of entries. */
  limit: number

  /** Aborts the call. */
  signal?: AbortSignal | undefined
}

export interface LogPage<Entry> {
  readonly entries: readonly Entry[]
  /** Where the next page starts, also if nothing is there yet. */
  readonly next: string
  /** The log had nothing more when the page was read. */
  readonly atEnd: boolean
  /** Bytes of the log. */
  readonly size: number
}

/** An entry as it is stored, or why it cannot be read. */
export type FullEntry =
  | {
      readonly offset: number
      readonly length: number
      readonly event: EventEntry['event']
      /** Strings of the payload were cut. */
      readonly clipped?: true
    }
  | { readonly offset: number; readonly length: number; readonly damage: EntryDamage }

const MEBIBYTE = 1024 * 1024
/** A page of events ends when it has so many bytes. */
const PAGE_BYTES_MAX = 4 * MEBIBYTE
/** Any page ends when so much of the log was read for it. */
const READ_BYTES_MAX = 32 * MEBIBYTE

/** Reads events with their payloads. */
export function readEventPage(
  store: StoreContext,
  path: string,
  options: PageOptions,
): Promise<LogPage<FullEntry>> {
  return readPage(store, path, options, (entry) => toFullEntry(entry, options))
}

/** Reads a few words of each event. */
export function readOutlinePage(
  store: StoreContext,
  path: string,
  options: Omit<PageOptions, 'clip'>,
): Promise<LogPage<OutlineEntry>> {
  const { redactor } = options
  return readPage(store, path, options, (entry) => ({
    item: toOutline(entry, redactor),
    bytes: 0,
  }))
}

/** The entry, and about how many bytes of JSON it takes. */
export function toFullEntry(
  entry: EventEntry | DamageEntry,
  options: ServeOptions,
): { readonly item: FullEntry; readonly bytes: number } {
  const { byte_offset: offset, length } = entry
  if (entry.kind === 'damage')
    return { item: { offset, length, damage: damageOf(entry) }, bytes: 0 }
  const { event, cutChars } = toServedEvent(entry.event, options)
  const clipped = cutChars > 0 && { clipped: true as const }
  return { item: { offset, length, event, ...clipped }, bytes: Math.max(0, length - cutChars) }
}

/** The cursor for what is appended from now on. */
export function findEndCursor({ env }: StoreContext, path: string): string {
  const log = openForReading(path, env)
  try {
    return cursorAt(log, endOfLines(log.fd, env))
  } finally {
    env.fs.closeSync(log.fd)
  }
}

async function readPage<Item>(
  store: StoreContext,
  path: string,
  options: PageOptions,
  toItem: (entry: EventEntry | DamageEntry) => { readonly item: Item; readonly bytes: number },
): Promise<LogPage<Item>> {
  const { env } = store
  const end = endOfLines(path, env)
  const start = await findStart(store, path, end, options)
  const entries: Item[] = []
  let next: string | undefined
  let bytes = 0
  // Until the page is full: what is left may be empty lines, which have no entries.
  let hasRest = false
  const follower = new Follower(path, { start, bare: false, env })
  for await (const entry of follower.readNew()) {
    options.signal?.throwIfAborted()
    if (entry.kind === 'replaced') throw replacedError(path)
    const made = toItem(entry)
    entries.push(made.item)
    next = entry.cursor
    bytes += made.bytes
    const readBytes = entry.byte_offset + entry.length - start.byte_offset
    hasRest =
      entries.length >= options.limit || bytes >= PAGE_BYTES_MAX || readBytes >= READ_BYTES_MAX
    if (hasRest) break
  }
  const log = openForReading(path, env)
  try {
    next ??= options.from ?? cursorAt(log, start.byte_offset)
    const atEnd = !hasRest || parseCursor(next).byte_offset >= end
    return { entries, next, atEnd, size: log.size }
  } finally {
    env.fs.closeSync(log.fd)
  }
}

async function findStart(
  store: StoreContext,
  path: string,
  end: number,
  { from, offset, at, before, signal }: PageOptions,
): Promise<ReturnType<typeof parseCursor> | { readonly byte_offset: number }> {
  if ([from, offset, at].filter((it) => it !== undefined).length > 1) {
    throw new SessionError('ERR_ARG', 'A page starts at one of from, offset and at')
  }
  if (from !== undefined) return parseCursor(from)
  if (offset !== undefined) {
    if (offset <= end) return { byte_offset: offset }
    throw new SessionError('ERR_ARG', `The log ends at byte ${end}`, { offset, end })
  }
  if (at === undefined && before === undefined) return { byte_offset: 0 }
  const place = at === undefined ? end : await findOffset(store, path, at, signal)
  return { byte_offset: await stepBack(store, path, place, before ?? 0) }
}

// Every writer spells these as they are; others may be escaped in more than one way.
const PLAIN = /^[\w .:-]+$/

/** Where the line of the newest event of that uuid starts. Only lines that contain it are parsed. */
async function findOffset(
  { env }: StoreContext,
  path: string,
  uuid: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const wanted = Buffer.from(`"${uuid}"`)
  const isWanted = ({ bytes, start, end }: Line) => bytes.subarray(start, end).includes(wanted)
  const options = {
    ...(PLAIN.test(uuid) && { isWanted }),
    lazyPayloads: true,
    signal,
    environment: env,
  }
  for await (const { kind, byte_offset, ...entry } of readLogBackward(path, options)) {
    if (kind !== 'event' || !('event' in entry) || entry.event.uuid !== uuid) continue
    // A line may hold several events.
    return lineStartBefore(path, byte_offset + 1, env)
  }
  throw new SessionError('ERR_NOT_FOUND', `No event "${uuid}" in ${path}`, { at: uuid, path })
}

async function stepBack(
  { env }: StoreContext,
  path: string,
  place: number,
  count: number,
): Promise<number> {
  if (count === 0) return place
  let offset = place
  let passed = 0
  const options = { to: place, lazyPayloads: true, environment: env }
  for await (const { byte_offset } of readLogBackward(path, options)) {
    offset = byte_offset
    if (++passed === count) break
  }
  return lineStartBefore(path, offset + 1, env)
}

function replacedError(path: string): SessionError {
  const what = 'The cursor does not fit the log, which was replaced or truncated'
  return new SessionError('ERR_FILE_REPLACED', what, { path })
}
