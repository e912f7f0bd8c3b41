// Undoes the newest compaction of a session: a rewind to the event before its summary, and then what
// was said since the compaction, appended again. The lines on the disk stay as they are.

import { EMPTY_START, fieldsOf, isGap, type PathEvent } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import type { NewEvent } from '../../log/index.js'
import {
  idOfFileName,
  type LoadedSession,
  loadSession,
  type StoreContext,
} from '../../store/index.js'
import type { Inherited } from '../lifecycle/rewind.js'

/** What undoing a compaction wrote. */
export interface UncompactResult {
  /** The boundary that has no effect any more. */
  readonly boundaryUuid: string
  /** Another rewind, to the `from_uuid` of this one, brings the compaction back. */
  readonly rewindUuid: string
  /** The event before the summary. */
  readonly targetUuid: string
  /** How many events were appended again. */
  readonly copied: number
}

export interface UncompactEvents extends UncompactResult {
  /** The rewind, and then the copies. */
  readonly events: readonly NewEvent[]
}

/** Events that say nothing to the model. */
const SILENT: ReadonlySet<string> = new Set(['session_header', 'summary', 'compaction_boundary'])

export function uncompactEvents(
  { log, path }: Pick<LoadedSession, 'log' | 'path'>,
  { newUuid, inherited }: { newUuid: () => string; inherited: () => Inherited },
): UncompactEvents {
  const boundaryUuid = log.projection.lastBoundary?.uuid
  if (boundaryUuid === undefined) throw nothingToUndo(path, inherited())
  const at = log.path.findLastIndex(({ event }) => event.uuid === boundaryUuid)
  const summary = log.path[at - 1]?.event
  const targetUuid = log.path[at - 2]?.event.uuid ?? summary?.prev_uuid
  if (summary === undefined || targetUuid === undefined || targetUuid === null) {
    const what = `The event before the summary of "${boundaryUuid}" cannot be read`
    throw new SessionError('ERR_DAMAGED', what, { path, boundaryUuid })
  }
  const since = log.path.slice(at + 1)
  const names = new Map(since.map(({ event }) => [event.uuid, newUuid()]))
  const copies = since.flatMap((placed) => {
    // As last edited: an edit names the original, not its copy.
    const payload = log.revisions.payloadOf(placed)
    if (payload === null) return []
    const current =
      payload === undefined ? placed : { ...placed, event: { ...placed.event, payload } }
    return copyOf(current, names, summary.uuid)
  })
  const rewindUuid = newUuid()
  const rewind: NewEvent = {
    type: 'rewind',
    uuid: rewindUuid,
    prev_uuid: targetUuid,
    payload: {
      target_uuid: targetUuid,
      from_uuid: log.path.at(-1)!.event.uuid,
      reason: 'uncompact',
    },
  }
  const copied = copies.filter(({ type }) => type !== 'turn_end').length
  return { boundaryUuid, rewindUuid, targetUuid, copied, events: [rewind, ...copies] }
}

/** What `session.uncompact` would do to a stored session. Writes nothing and locks nothing. */
export function planUncompact(
  store: StoreContext,
  path: string,
): Pick<UncompactResult, 'boundaryUuid' | 'targetUuid' | 'copied'> {
  const loaded = loadSession(store, path, { lazyPayloads: true })
  const { start = EMPTY_START, header } = loaded
  const inherited = () =>
    loaded.start === undefined && header !== undefined
      ? loadSession(store, path, { at: header.uuid }).log.projection
      : start
  const { newUuid } = store.env
  const { boundaryUuid, targetUuid, copied } = uncompactEvents(loaded, { newUuid, inherited })
  return { boundaryUuid, targetUuid, copied }
}

function copyOf(
  { event, turnEnded }: PathEvent,
  names: ReadonlyMap<string, string>,
  summaryUuid: string,
): NewEvent[] {
  const { type, ts, uuid, payload } = event
  const fields = { ...fieldsOf(payload) }
  if (type === 'rewind') {
    const cut = fields['truncate_after']
    // Without a cut, or with one to the summary, it changes nothing in the new branch.
    if (typeof cut !== 'string' || cut === summaryUuid) return []
    fields['truncate_after'] = names.get(cut) ?? cut
  }
  if (SILENT.has(type)) return []
  if (payload === null) {
    const what = `The event "${uuid}" is too long to be read, so it cannot be appended again`
    throw new SessionError('ERR_DAMAGED', what, { uuid })
  }
  const copy = { type, ts, uuid: names.get(uuid), payload: { ...fields, copied_from: uuid } }
  return turnEnded === true ? [copy, { type: 'turn_end', ts, payload: {} }] : [copy]
}

/** A compaction of an ancestor is in a file that this session only reads. */
function nothingToUndo(path: string, { entries, compactedCount }: Inherited): SessionError {
  const summary = entries.slice(0, compactedCount).findLast((entry) => entry.kind === 'summary')
  if (summary === undefined || isGap(summary)) {
    const what = `Nothing is compacted in what the model sees of ${path}`
    return new SessionError('ERR_NOT_FOUND', what, { path })
  }
  const owner = idOfFileName(summary.file)
  const at = summary.event.prev_uuid
  const what = `The newest compaction is in session "${owner}", which this session continues`
  const advice = `to continue from before it, use: fork ${owner} --at ${at}`
  return new SessionError('ERR_ARG', `${what}; ${advice}`, { path, sessionId: owner, at })
}
