// A fork: another session that begins with the bytes of this one, up to an event. The source is
// only read, so it may be live.

import { fieldsOf, offsetBaseOf, toolPolicyOf } from '../chain/index.js'
import { SessionError } from '../errors.js'
import { isHeaderType, linkOf, normalizeSessionKey, TipRule } from '../format/index.js'
import { copyLog, type LogEntry, readLogSync, UuidIndex } from '../log/index.js'
import { idOfFileName, layoutOf, loadSession, type StoreOptions } from '../store/index.js'
import { forkHeaderLine } from './fork-header.js'
import { headerPayload, inheritedFacts } from './header.js'
import { environmentOf, type SessionOptions } from './settings.js'
import { skipEmpty } from './skip-empty.js'
import { transcriptOf } from './storage.js'

export interface ForkOptions extends StoreOptions {
  /** The last event of the fork; default: the tip. */
  at?: string | undefined
  /** @default a new random uuid */
  newId?: string | undefined
  environment?: SessionOptions['environment']
}

export interface ForkedSession {
  readonly session_id: string
  readonly transcript_path: string
  readonly forked_from: { readonly session_id: string; readonly at_uuid: string }
}

export function forkSession(session: string, options: ForkOptions = {}): ForkedSession {
  const { from, at } = placeOf(session, options)
  const environment = environmentOf(options)
  const id = normalizeSessionKey(options.newId ?? environment.newUuid())
  const source = readSource(from, at)
  const to = layoutOf(options).transcriptPath(id)
  const header = source.header?.event.payload
  const { session_id } = fieldsOf(header)
  const sourceId = typeof session_id === 'string' ? session_id : idOfFileName(from)
  const ts = new Date(environment.now()).toISOString()
  const forked_from = { session_id: sourceId, at_uuid: source.at.event.uuid }
  const { kind: _, ...inherited } = inheritedFacts(header)
  const facts = { ...inherited, agentId: options.agent }
  const tool_policy = toolPolicyOf(source.header?.event)
  const opening = forkHeaderLine(environment.newUuid(), ts, (base) =>
    headerPayload(id, ts, facts, { forked_from: { ...forked_from, base }, tool_policy }),
  )
  // Without what follows it: the last line of a source may lack its newline, or hold a second record.
  const end = source.at.byte_offset + source.at.length
  copyLog({ from, to, opening, end, later: source.revisions })
  return { session_id: id, transcript_path: to, forked_from }
}

function placeOf(session: string, options: ForkOptions) {
  const from = transcriptOf(session, options)
  if (options.at !== undefined) return { from, at: options.at }
  const layout = layoutOf(options)
  const { path, log } = skipEmpty(loadSession(from, { layout, lazyPayloads: true }), layout)
  return { from: path, at: path === from ? undefined : log.path.at(-1)?.event.uuid }
}

type Found = Extract<LogEntry, { kind: 'event' }>

interface Source {
  readonly header: Found | undefined
  readonly at: Found
  /** Better texts of summaries that the fork holds, written after it. */
  readonly revisions: readonly Found[]
}

function readSource(path: string, at: string | undefined): Source {
  let header: Found | undefined
  let last: Found | undefined
  let isFound = at === undefined
  let base = 0
  const seen = new UuidIndex()
  const tips = new TipRule((uuid) => seen.find(uuid) !== undefined)
  const summaries: { readonly uuid: string; readonly byte_offset: number }[] = []
  let later: Found[] = []
  for (const entry of readLogSync(path)) {
    if (entry.kind !== 'event') continue
    const { event } = entry
    // As the reader sees it: a stray header or a line that repeats an older one is no place to end.
    const isTip = tips.take(linkOf(event, entry.byte_offset, base)) === 'tip'
    seen.add(event.uuid, entry.byte_offset)
    const isHeader = isHeaderType(event.type)
    if (isHeader) header ??= entry
    // Those of a fork are one root together, and what it goes on from stands in the last of them.
    const isRoot = isHeader && isTip
    if (isRoot) base += offsetBaseOf([entry])
    const isTarget = at !== undefined && event.uuid === at
    const isTaken = at === undefined || isTarget || !isFound || isRoot
    if (isTarget) isFound = true
    if (event.type === 'summary')
      summaries.push({ uuid: event.uuid, byte_offset: entry.byte_offset })
    if (event.type === 'summary_revision') later.push(entry)
    if (!isTip || !isTaken) continue
    last = entry
    later = []
  }
  if (last === undefined || !isFound) {
    const what = at === undefined ? `${path} holds no event` : `No event "${at}" in ${path}`
    throw new SessionError('ERR_NOT_FOUND', what, { path, at })
  }
  const end = last.byte_offset
  const held = summaries.filter(({ byte_offset }) => byte_offset <= end)
  const uuids = new Set(held.map(({ uuid }) => uuid))
  return { header, at: last, revisions: later.filter((entry) => names(entry, uuids)) }
}

function names({ event }: Found, summaries: ReadonlySet<string>): boolean {
  const { summary_event_uuid } = fieldsOf(event.payload)
  return typeof summary_event_uuid === 'string' && summaries.has(summary_event_uuid)
}
