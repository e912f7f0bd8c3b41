// The conversation as it happened: the active branch of a session, uncompacted, over all the files
// it was continued through.
//
// Every file is read twice: once backward along the links, to know which parts of it are on the
// branch, and once forward. Only the offsets of those parts are kept, so memory depends neither on
// the size of the files nor on the number of their events.

import { fieldsOf, offsetBaseOf, type PlacedEvent, projectLog } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import { textOf } from '../../format/fields.js'
import {
  diagnostic,
  type EventOf,
  type EventType,
  isHeaderType,
  isOnChain,
  linkOf,
  type SessionEvent,
  TipRule,
} from '../../format/index.js'
import {
  type LogEntry,
  type MemoryLog,
  readLog,
  readLogBackward,
  UuidIndex,
} from '../../log/index.js'
import { findTipAtEnd, lineStartBefore, openForReading, readOffsets } from '../../log/internal.js'
import { idOfFileName } from '../catalog/header-fields.js'
import type { StoreContext } from '../context.js'
import {
  type Branch,
  type BranchStart,
  BranchWalk,
  type LastEvents,
  type Part,
} from './branch-walk.js'
import { findParent, parentOf, readHeaders } from './load-session.js'

/** An event of a known type with its payload, or one of a type with a namespace. */
export type ConversationEvent =
  | { [Type in EventType]: EventOf<Type> }[EventType]
  | SessionEvent<`${string}:${string}`>

/** One event of a conversation, and the file that holds it. */
export interface ConversationItem {
  readonly event: ConversationEvent
  /** The session of that file: of a resumed session, an ancestor or the session itself. */
  readonly sessionId: string
  readonly path: string
  readonly byteOffset: number
}

export interface ConversationOptions {
  /**
   * The last event.
   *
   * @default the newest event
   */
  at?: string | undefined
  /**
   * Aborts the call.
   *
   * @default none
   */
  signal?: AbortSignal | undefined
}

export interface BranchOptions extends ConversationOptions {
  /** Only the newest events, with what is between them: then only the end of the files is read. */
  last?: LastEvents | undefined
}

/** A line of a file, on the branch. */
export interface BranchEntry {
  readonly entry: LogEntry
  readonly sessionId: string
  readonly path: string
}

/** Yields the on-chain events of the active branch, oldest first, without the headers. */
export async function* readConversation(
  store: StoreContext,
  log: string | MemoryLog,
  options: ConversationOptions = {},
): AsyncGenerator<ConversationItem, void, undefined> {
  for await (const { entry, sessionId, path } of readBranch(store, log, options)) {
    if (entry.kind !== 'event' || !isOnChain(entry.event) || isHeaderType(entry.event.type))
      continue
    const event = entry.event as ConversationEvent
    yield { event, sessionId, path, byteOffset: entry.byte_offset }
  }
}

/** Yields every line of the branch: also headers, off-chain events and damage between its events. */
export async function* readBranch(
  store: StoreContext,
  log: string | MemoryLog,
  { at, signal, last }: BranchOptions = {},
): AsyncGenerator<BranchEntry, void, undefined> {
  for (const chapter of await findChapters(store, log, { at, last }, signal)) {
    const { source, sessionId, parts } = chapter
    for await (const entry of source.forward(parts, signal)) {
      const isIncluded = parts.some(
        ({ from, to }) => entry.byte_offset >= from && entry.byte_offset < to,
      )
      if (isIncluded) yield { entry, sessionId, path: source.path }
    }
  }
}

interface Chapter {
  readonly source: Source
  readonly sessionId: string
  readonly parts: readonly Part[]
}

/** A log, on the disk or in memory. */
interface Source {
  readonly path: string
  readonly headers: readonly PlacedEvent[]
  /** The events, newest first. */
  backward(signal: AbortSignal | undefined): AsyncIterable<LogEntry> | Iterable<LogEntry>
  /** Without parts: all of it. */
  forward(
    parts: readonly Part[] | undefined,
    signal: AbortSignal | undefined,
  ): AsyncIterable<LogEntry> | Iterable<LogEntry>
  /** The newest event of the chain; `undefined` if the end of the file does not decide it. */
  tipAtEnd(): string | undefined
  /** All events, where following the links is not enough. */
  all(): readonly PlacedEvent[]
}

/** Oldest first. */
async function findChapters(
  store: StoreContext,
  log: string | MemoryLog,
  { at, last }: BranchOptions,
  signal: AbortSignal | undefined,
): Promise<Chapter[]> {
  const chapters: Chapter[] = []
  const visited = new Set<string>()
  let next: { source: Source; at: string | undefined } | undefined = {
    source: typeof log === 'string' ? sourceOnDisk(store, log) : sourceInMemory(log),
    at,
  }
  const isNamed = at !== undefined
  let cut: string | undefined
  let left = last
  while (next !== undefined) {
    const { source } = next
    visited.add(source.path)
    const tip = next.at ?? source.tipAtEnd() ?? (await findTip(source, signal))
    const endsAtTip = isNamed && chapters.length === 0
    // A log without a chain, for example of checkpoints, has no branches.
    const branch: Branch =
      tip === undefined
        ? { parts: ALL, isFound: true, cut, count: 0 }
        : await followBranch(source, { tip, cut, endsAtTip, last: left }, signal)
    if (!branch.isFound && next.at !== undefined) {
      const { at } = next
      const what = `No event "${at}" on the chain of ${source.path}`
      if (chapters.length === 0) {
        throw new SessionError('ERR_NOT_FOUND', what, { at, path: source.path })
      }
      store.report(diagnostic('parent_session_missing', what, { file: source.path }))
    }
    cut = branch.cut
    const [header] = source.headers
    const sessionId = textOf(fieldsOf(header?.event.payload)['session_id'])
    chapters.unshift({
      source,
      sessionId: sessionId ?? idOfFileName(source.path),
      parts: branch.parts,
    })
    if (left !== undefined) left = { ...left, count: left.count - branch.count }
    if (left?.count === 0) break
    next = findNext(store, source, visited)
  }
  return chapters
}

function findNext(store: StoreContext, { path, headers }: Source, visited: ReadonlySet<string>) {
  const parent = parentOf(headers)
  if (parent === undefined || parent.tipUuid === null) return undefined
  const found = findParent(store, parent)
  const file = path
  if (found === undefined) {
    const what = `The session ${parent.sessionId}, which this one continues, is not there`
    store.report(diagnostic('parent_session_missing', what, { file }))
    return undefined
  }
  if (visited.has(found)) {
    store.report(diagnostic('lineage_cycle', `${found} continues itself`, { file }))
    return undefined
  }
  return { source: sourceOnDisk(store, found), at: parent.tipUuid }
}

async function followBranch(
  source: Source,
  start: BranchStart,
  signal: AbortSignal | undefined,
): Promise<Branch> {
  const linked = new BranchWalk(source, start)
  for await (const entry of source.backward(signal)) if (linked.add(entry)) break
  if (!linked.isLost) return linked
  // A link to a missing event: what it follows is only known from all links of the file.
  const events = source.all()
  const { path } = projectLog(events, { file: source.path, at: start.tip })
  const exact = new BranchWalk(source, start, new Set(path.map((it) => it.byte_offset)))
  for await (const entry of source.backward(signal)) if (exact.add(entry)) break
  return exact
}

const ALL: readonly Part[] = [{ from: 0, to: Number.MAX_SAFE_INTEGER }]

function sourceOnDisk(store: StoreContext, path: string): Source {
  const { env } = store
  const reading = { environment: env }
  return {
    path,
    headers: readHeaders(store, path),
    backward: (signal) => readLogBackward(path, { ...reading, lazyPayloads: true, signal }),
    forward: (parts = ALL, signal) => {
      const first = parts[0]
      if (first === undefined) return []
      const from = lineStartBefore(path, first.from + 1, env)
      const { to } = parts.at(-1)!
      return readLog(path, { ...reading, from, to, signal })
    },
    tipAtEnd: () => readTipAtEnd(store, path),
    all: () => onlyEvents(readOffsets(path, { to: Number.MAX_SAFE_INTEGER }, env)),
  }
}

// As the writers of a session, so that a reader finds the event that they would continue.
const TIP_WINDOW_BYTES = 256 * 1024

function readTipAtEnd({ env }: StoreContext, path: string): string | undefined {
  const log = openForReading(path, env)
  try {
    return findTipAtEnd(log, TIP_WINDOW_BYTES, env)
  } finally {
    env.fs.closeSync(log.fd)
  }
}

function sourceInMemory({ path, entries }: MemoryLog): Source {
  return {
    path,
    headers: entries.slice(0, 1),
    backward: () => entries.toReversed(),
    forward: () => entries,
    tipAtEnd: () => undefined,
    all: () => entries,
  }
}

function onlyEvents(entries: readonly LogEntry[]): PlacedEvent[] {
  return entries.filter((entry) => entry.kind === 'event')
}

/** The newest event of the chain, where the caller does not name one. */
async function findTip(
  source: Source,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const seen = new UuidIndex()
  const tips = new TipRule((uuid) => seen.find(uuid) !== undefined)
  const base = offsetBaseOf(source.headers)
  for await (const entry of source.forward(undefined, signal)) {
    if (entry.kind !== 'event') continue
    tips.take(linkOf(entry.event, entry.byte_offset, base))
    seen.add(entry.event.uuid, entry.byte_offset)
  }
  return tips.tip ?? undefined
}
