// One append by a caller that keeps nothing open: lock, write, unlock. For hooks, checkpoints and
// the command line.

import { type Diagnostic, hasChain } from '../../format/index.js'
import type { HeldLock } from '../lock/acquire.js'
import type { Receipt } from '../log-handle.js'
import { type LogOptions, type LogSettings, toLogSettings } from '../options.js'
import type { OpenLog } from '../read/open-for-reading.js'
import { Appender, appendOne, diskTarget } from './appender.js'
import { withLock, withLockSync } from './locked-log.js'
import {
  type NewEvent,
  type PreparedEvent,
  prepareEvent,
  prepareTrailingEvent,
} from './prepared-event.js'
import { isSyncDue, SyncGroup } from './sync-group.js'

const REACH_BYTES = 256 * 1024
// Looked through for every event, so it is smaller than that of a writer that stays.
const TIP_WINDOW_BYTES = 64 * 1024

export interface AppendOnceOptions extends LogOptions {
  /**
   * The first event of a log that does not exist yet, or is empty; written in the same write.
   *
   * @default none
   */
  header?: NewEvent | undefined
}

/**
 * Appends events to a log that no process keeps open, as one write. An event whose uuid is in
 * the last 256 KiB already is not written again. A prev_uuid that is not found is reported.
 */
export async function appendOnce(
  path: string,
  events: readonly NewEvent[],
  { header, ...options }: AppendOnceOptions = {},
): Promise<Receipt[]> {
  const settings = toLogSettings(options)
  const preparedEvents = events.map((event) => prepareEvent(event, settings))
  const preparedHeader = header && prepareEvent(header, settings)
  return withLock(path, settings, (lock, report) => {
    const appender = appenderOf(path, lock, settings, report)
    const isHeaderDue = preparedHeader !== undefined && appender.size === 0
    const all = isHeaderDue ? [preparedHeader, ...preparedEvents] : preparedEvents
    const answer = appendAndSync(path, lock, appender, all, settings)
    return isHeaderDue ? answer.slice(1) : answer
  })
}

/** The same synchronously, for the last moments of a process. */
export function appendOnceSync(
  path: string,
  events: readonly NewEvent[],
  options: LogOptions = {},
): Receipt[] {
  const settings = toLogSettings(options)
  const preparedEvents = events.map((event) => prepareEvent(event, settings))
  return withLockSync(path, settings, (lock, report) =>
    appendAndSync(path, lock, appenderOf(path, lock, settings, report), preparedEvents, settings),
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
  const settings = toLogSettings(options)
  return withLock(path, settings, (lock, report) => {
    const appender = appenderOf(path, lock, settings, report)
    const events = decide({ path, fd: lock.fd, size: appender.size, fs: settings.environment.fs })
    const preparedEvents = events.map((event) => prepareEvent(event, settings))
    return appendAndSync(path, lock, appender, preparedEvents, settings)
  })
}

export interface GuardedAppend {
  /** Checked before the lock, or made under it from what the log holds. */
  readonly events: readonly NewEvent[] | ((log: OpenLog) => readonly NewEvent[])
  /** Makes the first event of a log that is empty; it is written in the same write. */
  readonly header?: (() => NewEvent) | undefined
  /** Called under the lock; where it returns true, the events are not written. */
  readonly isRepeated?: ((log: OpenLog, events: readonly NewEvent[]) => boolean) | undefined
  /** Called when the lock is free again, with the log still open. Does not wait. */
  readonly afterwards?: ((log: OpenLog, receipts: readonly Receipt[]) => void) | undefined
}

/**
 * Appends events from outside of an open session, and lets the caller read the log before and after
 * through the one descriptor. The receipt of the header is left out.
 */
export async function appendGuarded(
  path: string,
  { events, header, isRepeated, afterwards }: GuardedAppend,
  options: LogOptions,
): Promise<Receipt[]> {
  const settings = toLogSettings(options)
  const toDrafts = (list: readonly NewEvent[]) => list.map((event) => prepareEvent(event, settings))
  const drafted = typeof events === 'function' ? undefined : toDrafts(events)
  const { fs } = settings.environment
  let size = 0
  return withLock(
    path,
    settings,
    (lock, report) => {
      const appender = appenderOf(path, lock, settings, report)
      const log = { path, fd: lock.fd, size: appender.size, fs }
      const list = typeof events === 'function' ? events(log) : events
      const isHeaderDue = header !== undefined && log.size === 0
      const opening = isHeaderDue ? toDrafts([header()]) : []
      const fresh = isRepeated?.(log, list) === true ? [] : (drafted ?? toDrafts(list))
      const all = [...opening, ...fresh]
      const receipts = appendAndSync(path, lock, appender, all, settings)
      size = appender.size
      return receipts.slice(opening.length)
    },
    afterwards && ((receipts, fd) => afterwards({ path, fd, size, fs }, receipts)),
  )
}

function appenderOf(
  path: string,
  lock: HeldLock,
  logSettings: LogSettings,
  report: (diagnostic: Diagnostic) => void,
): Appender {
  const { environment, hasLineNumbers, channel } = logSettings
  const place = diskTarget(path, lock, {
    environment,
    hasChain: hasChain(channel),
    reachBytes: REACH_BYTES,
    tipWindowBytes: TIP_WINDOW_BYTES,
  })
  const trailingEvent = prepareTrailingEvent(logSettings)
  const settings = { environment, hasLineNumbers, report, observer: undefined, trailingEvent }
  return new Appender(place, { ...settings, danglingPrev: 'report' })
}

function appendAndSync(
  path: string,
  { fd, wasCreated: isNew }: HeldLock,
  appender: Appender,
  preparedEvents: readonly PreparedEvent[],
  { durability, environment }: LogSettings,
): Receipt[] {
  // There is no later look that would notice a stranger, so it is taken now.
  const answer = appendOne(appender, preparedEvents, true)
  if (isSyncDue(durability, preparedEvents)) {
    new SyncGroup(path, fd, environment, { isNew }).syncNow()
  }
  return answer
}
