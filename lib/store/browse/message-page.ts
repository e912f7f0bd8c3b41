// What the model sees of a session, or saw at one of its events, page by page, each entry with the file
// and the byte it comes from.

import { isGap, type ProjectionEntry } from '../../chain/index.js'
import { isSessionError } from '../../errors.js'
import { isOnChain, type SessionEvent } from '../../format/index.js'
import { readLogBackwardSync } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { findEvent } from '../load/find-event.js'
import { type LoadedSession, loadSession, readLineage } from '../load/load-session.js'
import { type OutlineEntry, toOutline } from './outline.js'
import { type ServeOptions, toServedEvent, toServedText } from './served-event.js'

export interface MessagePageOptions extends ServeOptions {
  /**
   * As of this event; of one that is not part of the conversation, of the one before it.
   *
   * @default the newest
   */
  at?: string | undefined

  /**
   * The index of the first entry.
   *
   * @default 0
   */
  from?: number | undefined

  /** Maximum number of entries. */
  limit: number
}

/** Why something is missing: its file is gone, the event is, or it was too much to be read. */
type GapReason = 'lost' | 'missing' | 'opaque'

interface Gap {
  readonly kind: 'gap'
  readonly reason: GapReason
}

export type FullMessage =
  | {
      readonly kind: 'event'
      readonly sessionId: string
      readonly offset: number
      readonly event: SessionEvent
      readonly clipped?: true
    }
  | {
      readonly kind: 'summary'
      readonly sessionId: string
      readonly offset: number
      readonly event: SessionEvent
      /** As last revised. */
      readonly text: string
      readonly clipped?: true
    }
  | Gap

export type MessageOutline =
  | (OutlineEntry & { readonly kind: 'event' | 'summary'; readonly sessionId: string })
  | Gap

export interface MessagePage<Entry> {
  /** Entries of all pages. */
  readonly total: number
  readonly entries: readonly Entry[]
  /** The index of the first entry of the next page; `null` after the last. */
  readonly next: number | null
  readonly lastBoundary: string | null
  readonly contextEpoch: number
  /** Something is missing in what the model sees. */
  readonly degraded: boolean
}

const PAGE_BYTES_MAX = 4 * 1024 * 1024

/** More of a context is not read: no model takes it, and memory and time stay bounded. */
const CONTEXT_BYTES_MAX = 16 * 1024 * 1024

/** Reads the entries with their payloads. */
export function readMessagePage(
  store: StoreContext,
  path: string,
  options: MessagePageOptions,
): MessagePage<FullMessage> {
  return readPage(store, path, options, (entry, sessionId) => {
    const { event, cutChars } = toServedEvent(entry.event, options)
    const summary = entry.kind === 'summary' ? toServedText(entry.text, options) : undefined
    const isCut = cutChars + (summary?.cutChars ?? 0) > 0
    const clipped = isCut && { clipped: true as const }
    const shown = { sessionId, offset: entry.byte_offset, event, ...clipped }
    const made: FullMessage =
      summary === undefined
        ? { kind: 'event', ...shown }
        : { kind: 'summary', ...shown, text: summary.text }
    return { made, bytes: JSON.stringify(made).length }
  })
}

/** Reads which events they are, each in a few words. Their lengths are unknown: 0. */
export function readMessageOutline(
  store: StoreContext,
  path: string,
  options: Omit<MessagePageOptions, 'clip'>,
): MessagePage<MessageOutline> {
  return readPage(store, path, options, ({ kind, byte_offset, event }, sessionId) => {
    const place = { kind: 'event', byte_offset, length: 0, event } as const
    return { made: { ...toOutline(place, options.redactor), kind, sessionId }, bytes: 0 }
  })
}

type Seen = Exclude<ProjectionEntry, { kind: GapReason }>

function readPage<Entry>(
  store: StoreContext,
  path: string,
  { at, from = 0, limit }: MessagePageOptions,
  toEntry: (entry: Seen, sessionId: string) => { readonly made: Entry; readonly bytes: number },
): MessagePage<Entry | Gap> {
  const { projection } = loadAt(store, path, at).log
  const { entries, lastBoundary, contextEpoch, degraded } = projection
  const ids = new Map<string, string>()
  const idOf = (file: string) => {
    const known = ids.get(file) ?? readLineage(store, file).sessionId
    ids.set(file, known)
    return known
  }
  const shown: (Entry | Gap)[] = []
  let bytes = 0
  for (const entry of entries.slice(from, from + limit)) {
    if (bytes >= PAGE_BYTES_MAX) break
    if (isGap(entry)) {
      shown.push({ kind: 'gap', reason: entry.kind })
      continue
    }
    const one = toEntry(entry, idOf(entry.file))
    shown.push(one.made)
    bytes += one.bytes
  }
  const next = from + shown.length
  return {
    total: entries.length,
    entries: shown,
    next: next < entries.length ? next : null,
    lastBoundary: lastBoundary?.uuid ?? null,
    contextEpoch,
    degraded,
  }
}

function loadAt(store: StoreContext, path: string, at: string | undefined): LoadedSession {
  // The model of that time had not seen a summary that was revised since.
  const revisions = at === undefined ? 'newest' : 'then'
  const load = (last: string | undefined) =>
    loadSession(store, path, { at: last, revisions, bytesMax: CONTEXT_BYTES_MAX })
  try {
    return load(at)
  } catch (error) {
    if (at === undefined || !isSessionError(error, 'ERR_NOT_FOUND')) throw error
    // Only a file that is read as a whole says what an off-chain event follows.
    const before = findOnChainBefore(store, path, at)
    if (before === undefined) throw error
    return load(before)
  }
}

function findOnChainBefore(store: StoreContext, path: string, uuid: string): string | undefined {
  const found = findEvent(store, path, uuid)
  if (found === undefined || isOnChain(found.event)) return undefined
  const options = { to: found.byte_offset, lazyPayloads: true, environment: store.env }
  for (const entry of readLogBackwardSync(path, options)) {
    if (entry.kind === 'event' && isOnChain(entry.event)) return entry.event.uuid
  }
  return undefined
}
