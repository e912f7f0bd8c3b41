// One append by somebody who keeps nothing open: lock, write, unlock. For hooks, checkpoints and
// the command line.

import { type Diagnostic, hasChain } from '../format/index.js'
import { placeOnDisk } from './append-place.js'
import { Appender, appendOne } from './appender.js'
import { type Draft, draftOf, type NewEvent } from './draft.js'
import { isSyncDue } from './durability.js'
import type { HeldLock } from './lock/acquire.js'
import { once, onceSync } from './once.js'
import type { OpenLog } from './open-for-reading.js'
import { type LogOptions, type LogSettings, settingsOf } from './options.js'
import type { Receipt } from './receipt.js'
import { SyncGroup } from './sync-group.js'
import { draftTrailer } from './trailer.js'

const REACH_BYTES = 256 * 1024
// Looked through for every event, so it is smaller than that of a writer that stays.
const TIP_WINDOW_BYTES = 64 * 1024

export interface AppendOnceOptions extends LogOptions {
  /** The first event of a log that does not exist yet, or is empty; written in the same write. */
  header?: NewEvent | undefined
}

/**
 * Appends events to a log that nobody keeps open, as one write. An event whose uuid stands in
 * the last 256 KiB already is not written again. A prev_uuid that is not found is reported.
 */
export async function appendOnce(
  path: string,
  events: readonly NewEvent[],
  { header, ...options }: AppendOnceOptions = {},
): Promise<Receipt[]> {
  const settings = settingsOf(options)
  const drafts = events.map((event) => draftOf(event, settings))
  const headerDraft = header && draftOf(header, settings)
  return once(path, settings, (lock, report) => {
    const appender = appenderOf(path, lock, settings, report)
    const isHeaderDue = headerDraft !== undefined && appender.size === 0
    const all = isHeaderDue ? [headerDraft, ...drafts] : drafts
    const answer = appendAndSync(path, lock, appender, all, settings)
    return isHeaderDue ? answer.slice(1) : answer
  })
}

/** The same at once, for the last moments of a process. */
export function appendOnceSync(
  path: string,
  events: readonly NewEvent[],
  options: LogOptions = {},
): Receipt[] {
  const settings = settingsOf(options)
  const drafts = events.map((event) => draftOf(event, settings))
  return onceSync(path, settings, (lock, report) =>
    appendAndSync(path, lock, appenderOf(path, lock, settings, report), drafts, settings),
  )
}

/**
 * The same for events that depend on what the log holds: `decide` sees it under the lock. It is
 * code of this library and never of a caller, it does not wait, and it touches no other log.
 */
export async function appendDecided(
  path: string,
  decide: (log: OpenLog) => readonly NewEvent[],
  options: LogOptions,
): Promise<Receipt[]> {
  const settings = settingsOf(options)
  return once(path, settings, (lock, report) => {
    const appender = appenderOf(path, lock, settings, report)
    const events = decide({ path, fd: lock.fd, size: appender.size })
    const drafts = events.map((event) => draftOf(event, settings))
    return appendAndSync(path, lock, appender, drafts, settings)
  })
}

function appenderOf(
  path: string,
  lock: HeldLock,
  logSettings: LogSettings,
  report: (diagnostic: Diagnostic) => void,
): Appender {
  const { environment, hasLineNumbers, channel } = logSettings
  const place = placeOnDisk(path, lock, {
    environment,
    hasChain: hasChain(channel),
    reachBytes: REACH_BYTES,
    tipWindowBytes: TIP_WINDOW_BYTES,
  })
  const trailer = draftTrailer(logSettings)
  const settings = { environment, hasLineNumbers, report, observer: undefined, trailer }
  return new Appender(place, { ...settings, danglingPrev: 'report' })
}

function appendAndSync(
  path: string,
  { fd, wasCreated: isNew }: HeldLock,
  appender: Appender,
  drafts: readonly Draft[],
  { durability, environment }: LogSettings,
): Receipt[] {
  // There is no later look that would notice a stranger, so it is taken now.
  const answer = appendOne(appender, drafts, true)
  if (isSyncDue(durability, drafts)) {
    new SyncGroup(path, fd, environment.disk, { isNew }).syncNow()
  }
  return answer
}
