// A fork: another session that begins with the bytes of this one, up to an event. The source is
// only read, so another process may write to it meanwhile.

import { fieldsOf, offsetBaseOf, toolPolicyOf } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import {
  diagnostic,
  isHeaderType,
  linkOf,
  normalizeSessionKey,
  TipRule,
} from '../../format/index.js'
import { copyLog, type LogEntry, readLogSync, UuidIndex } from '../../log/index.js'
import type { ByteRange } from '../../log/internal.js'
import { idOfFileName, loadSession, type StoreContext } from '../../store/index.js'
import { forkHeaderLine } from '../header.js'
import { resolveEmptySession, transcriptOf } from '../storage.js'
import { eventLine, withoutPermissions } from '../without-permissions.js'

/** Options of a fork. */
export interface ForkOptions {
  /**
   * The last event that the fork has.
   *
   * @default the newest event
   */
  at?: string | undefined
  /**
   * The id of the fork.
   *
   * @default a new random uuid
   */
  newId?: string | undefined
}

/** The result of a fork. */
export interface ForkedSession {
  readonly sessionId: string
  readonly transcriptPath: string
  readonly forkedFrom: { readonly sessionId: string; readonly atUuid: string }
}

/** Creates a session that begins with the events of another one. Throws ERR_EXISTS. */
export function forkSession(
  store: StoreContext,
  session: string,
  options: ForkOptions = {},
): ForkedSession {
  const { env } = store
  const { from, at } = findSource(store, session, options)
  const id = normalizeSessionKey(options.newId ?? env.newUuid())
  const source = readSource(store, from, at)
  const to = store.layout.transcriptPath(id)
  const header = source.header?.event.payload
  const { session_id } = fieldsOf(header)
  const sourceId = typeof session_id === 'string' ? session_id : idOfFileName(from)
  const atUuid = source.at.event.uuid
  const opening = forkHeaderLine(store, id, header, {
    forked_from: { session_id: sourceId, at_uuid: atUuid },
    tool_policy: toolPolicyOf(source.header?.event),
  })
  // Exactly to its end: the last line of the source may lack its newline, or hold a second record.
  const end = source.at.byte_offset + source.at.length
  const replaced = source.replaced.filter(({ byte_offset }) => byte_offset < end)
  copyLog({ from, to, opening, end, replaced, later: source.revisions }, env)
  for (const { byte_offset, length } of replaced) {
    const what = 'Permission state is never written; the fork was made without it'
    store.report(diagnostic('permission_state_left_out', what, { file: from, byte_offset, length }))
  }
  return { sessionId: id, transcriptPath: to, forkedFrom: { sessionId: sourceId, atUuid } }
}

function findSource(store: StoreContext, session: string, options: ForkOptions) {
  const from = transcriptOf(store, session)
  if (options.at !== undefined) return { from, at: options.at }
  const loaded = loadSession(store, from, { lazyPayloads: true })
  const { path, log } = resolveEmptySession(store, loaded)
  return { from: path, at: path === from ? undefined : log.path.at(-1)?.event.uuid }
}

type Found = Extract<LogEntry, { kind: 'event' }>

interface Source {
  readonly header: Found | undefined
  readonly at: Found
  /** Later revisions of summaries and edits of messages that the fork holds. */
  readonly revisions: readonly Found[]
  /** Lines with permission state, and what is written in their place. */
  readonly replaced: readonly (ByteRange & { readonly bytes: Buffer })[]
}

function readSource(
  { env: environment }: StoreContext,
  path: string,
  at: string | undefined,
): Source {
  let header: Found | undefined
  let last: Found | undefined
  let isFound = at === undefined
  let base = 0
  const seen = new UuidIndex()
  const tips = new TipRule((uuid) => seen.find(uuid) !== undefined)
  const summaries: { readonly uuid: string; readonly byte_offset: number }[] = []
  let later: Found[] = []
  const replaced: (ByteRange & { readonly bytes: Buffer })[] = []
  for (const entry of readLogSync(path, { environment })) {
    if (entry.kind !== 'event') continue
    const { event, byte_offset, length } = entry
    const clean = withoutPermissions(event)
    if (clean !== event) replaced.push({ byte_offset, length, bytes: eventLine(clean, length) })
    // As readers see it: a stray header or a repeated line is never the tip.
    const isTip = tips.take(linkOf(event, entry.byte_offset, base)) === 'tip'
    seen.add(event.uuid, entry.byte_offset)
    const isHeader = isHeaderType(event.type)
    if (isHeader) header ??= entry
    // The headers of a fork of a fork are one root; the last of them names the source.
    const isRoot = isHeader && isTip
    if (isRoot) base += offsetBaseOf([entry])
    const isTarget = at !== undefined && event.uuid === at
    const isTaken = at === undefined || isTarget || !isFound || isRoot
    if (isTarget) isFound = true
    if (event.type === 'summary')
      summaries.push({ uuid: event.uuid, byte_offset: entry.byte_offset })
    const isChange = event.type === 'summary_revision' || event.type === 'message_edit'
    if (isChange && clean === event) later.push(entry)
    if (!isTip || !isTaken) continue
    last = entry
    later = []
  }
  if (last === undefined || !isFound) {
    const what = at === undefined ? `${path} contains no events` : `No event "${at}" in ${path}`
    throw new SessionError('ERR_NOT_FOUND', what, { path, at })
  }
  const end = last.byte_offset
  const held = summaries.filter(({ byte_offset }) => byte_offset <= end)
  const uuids = new Set(held.map(({ uuid }) => uuid))
  const isHeld = (uuid: string) => (seen.find(uuid) ?? Number.POSITIVE_INFINITY) <= end
  const revisions = later.filter((entry) => names(entry, uuids) || edits(entry, isHeld))
  return { header, at: last, revisions, replaced }
}

function names({ event }: Found, summaries: ReadonlySet<string>): boolean {
  const { summary_event_uuid } = fieldsOf(event.payload)
  return typeof summary_event_uuid === 'string' && summaries.has(summary_event_uuid)
}

function edits({ event }: Found, isHeld: (uuid: string) => boolean): boolean {
  const { target_uuid } = fieldsOf(event.payload)
  return event.type === 'message_edit' && typeof target_uuid === 'string' && isHeld(target_uuid)
}
