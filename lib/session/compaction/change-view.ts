// What a session appends to change what the model sees of it: a compaction, a rewind, and a
// compaction undone. Each is planned from the newest state and written before another event can come
// between the plan and its lines.

import { isSessionError, SessionError } from '../../errors.js'
import type { NewEvent, Receipt } from '../../log/index.js'
import {
  type Inherited,
  type RewindLink,
  type RewindOptions,
  type RewindReceipt,
  rewindEvent,
  rewindLink,
} from '../lifecycle/rewind.js'
import type { CompactResult, SessionParts } from '../types.js'
import {
  type CompactEvents,
  type CompactInternals,
  type CompactOptions,
  compactionEvents,
} from './compaction-events.js'
import { type UncompactResult, uncompactEvents } from './uncompact.js'

export interface ChangingParts extends SessionParts {
  readonly appendAll: (events: readonly NewEvent[]) => Promise<Receipt[]>
}

export async function compactSession(
  parts: ChangingParts,
  options: CompactOptions,
  { coverTo, checkpointed = false }: CompactInternals,
): Promise<CompactResult> {
  const { log, continuity } = parts
  // Before the checkpoint, so that an invalid request leaves none.
  let planned = plan(parts, { ...options, coverTo })
  if (!checkpointed && continuity !== undefined) {
    const { tip } = log
    await continuity.value.preCompaction(options.customInstructions)
    log.flush()
    // The summary covers what was there when it was passed in; later events stay.
    if (log.tip !== tip) planned = planAfterWait(parts, { ...options, coverTo: planned.coverTo })
  }
  const { events, summaryUuid, boundaryUuid, contextEpoch, tokensBefore } = planned
  await appendNow(parts, events)
  return { boundaryUuid, summaryUuid, contextEpoch, tokensBefore }
}

export async function rewindSession(
  parts: ChangingParts,
  options: RewindOptions,
): Promise<RewindReceipt> {
  const event = rewindEvent(options, linkTo(parts, options), parts.log.tip)
  const [receipt, ...appended] = await appendNow(parts, [event, ...(options.append ?? [])])
  return { ...receipt!, appended }
}

export async function uncompactSession(parts: ChangingParts): Promise<UncompactResult> {
  const { log, storage, settings } = parts
  log.flush()
  const { newUuid } = settings.store.env
  const inherited = () => readInherited(parts)
  const { events, ...result } = uncompactEvents(storage.load(), { newUuid, inherited })
  await appendNow(parts, events)
  return result
}

/** Throws where the session cannot be rewound like that. */
export function linkTo(parts: SessionParts, options: RewindOptions): RewindLink {
  const { log, view, storage } = parts
  log.flush()
  return rewindLink(options, {
    projection: view.projection,
    path: log.path,
    headerUuid: view.header?.uuid ?? null,
    find: (uuid) => storage.find(uuid),
    inherited: () => readInherited(parts),
  })
}

// A handle that read only the end of its file loads this from the header.
function readInherited({ log, view, storage }: SessionParts): Inherited {
  const { start, header } = view
  const isUnread = start.entries[0]?.kind === 'opaque' && header !== undefined
  if (!isUnread) return start
  log.flush()
  return storage.load(header.uuid).log.projection
}

function plan(
  { log, view, settings }: SessionParts,
  options: CompactOptions & CompactInternals,
): CompactEvents {
  log.flush()
  return compactionEvents(options, {
    projection: view.projection,
    path: log.path,
    offsetBase: view.offsetBase,
    newUuid: settings.store.env.newUuid,
  })
}

/** This was valid before the wait, so an event that is missing now was removed since. */
function planAfterWait(
  parts: SessionParts,
  options: CompactOptions & CompactInternals,
): CompactEvents {
  try {
    return plan(parts, options)
  } catch (cause) {
    if (!isSessionError(cause)) throw cause
    const what =
      'The conversation was compacted or rewound while the checkpoint before this compaction was ' +
      'stored, and nothing was compacted. Summarize what the model sees now, and compact again'
    throw new SessionError('ERR_COMPACTION_RACE', what, { cause, path: parts.log.path })
  }
}

function appendNow(
  { log, appendAll }: ChangingParts,
  events: readonly NewEvent[],
): Promise<Receipt[]> {
  const written = appendAll(events)
  log.flush()
  return written
}
