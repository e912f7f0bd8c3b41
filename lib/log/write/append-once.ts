// One append by a caller that keeps nothing open: lock, write, unlock. For hooks, checkpoints and
// the command line.

import type { Diagnostic } from '../../format/index.js'
import type { HeldLock } from '../lock/acquire.js'
import type { Receipt } from '../log-handle.js'
import { type LogOptions, type LogSettings, toLogSettings } from '../options.js'
import type { OpenLog } from '../read/open-for-reading.js'
import { Appender, appendOne, diskTarget } from './appender.js'
import { withLock, withLockSync } from './locked-log.js'
import { type NewEvent, type PreparedEvent, prepareAll } from './prepared-event.js'
import { isSyncDue, SyncGroup } from './sync-group.js'

// Read for every event, so both are smaller than those of a writer that stays. A uuid that is not in
// reach is searched in the rest of the log.
const REACH = { reachBytes: 256 * 1024, tipWindowBytes: 64 * 1024 }

export interface AppendOnceOptions extends LogOptions {
  /**
   * The first event of a log that does not exist yet, or is empty; written in the same write.
   *
   * @default none
   */
  header?: NewEvent | undefined
}

/**
 * Appends events to a log that no process keeps open, as one write. An event whose uuid is in the
 * log already is not written again. A prev_uuid that is not found is reported.
 */
export async function appendOnce(
  path: string,
  events: readonly NewEvent[],
  { header, ...options }: AppendOnceOptions = {},
): Promise<Receipt[]> {
  const settings = toLogSettings(options)
  const prepared = prepareAll(events, settings)
  const opening = header === undefined ? [] : prepareAll([header], settings)
  const choose = ({ size }: OpenLog) => (size === 0 ? [...opening, ...prepared] : prepared)
  const { receipts } = await withLock(path, settings, appendUnder(path, settings, choose))
  return receipts.slice(receipts.length - events.length)
}

/** The same synchronously, for the last moments of a process. */
export function appendOnceSync(
  path: string,
  events: readonly NewEvent[],
  options: LogOptions = {},
): Receipt[] {
  const settings = toLogSettings(options)
  const prepared = prepareAll(events, settings)
  return withLockSync(
    path,
    settings,
    appendUnder(path, settings, () => prepared),
  ).receipts
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
  return appendGuarded(path, { events: decide }, options)
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
  const prepared = typeof events === 'function' ? undefined : prepareAll(events, settings)
  let opening: readonly PreparedEvent[] = []
  const choose = (log: OpenLog) => {
    const list = typeof events === 'function' ? events(log) : events
    if (log.size === 0 && header !== undefined) opening = prepareAll([header()], settings)
    const isRepeat = isRepeated?.(log, list) === true
    return [...opening, ...(isRepeat ? [] : (prepared ?? prepareAll(list, settings)))]
  }
  const append = appendUnder(path, settings, choose)
  const { receipts } = await withLock(
    path,
    settings,
    (lock, report) => {
      const { log, receipts } = append(lock, report)
      return { log, receipts: receipts.slice(opening.length) }
    },
    afterwards && (({ log, receipts }) => afterwards(log, receipts)),
  )
  return receipts
}

/** Appends what `choose` returns for the log, and returns the log as it is then. */
function appendUnder(
  path: string,
  settings: LogSettings,
  choose: (log: OpenLog) => readonly PreparedEvent[],
): (
  lock: HeldLock,
  report: (diagnostic: Diagnostic) => void,
) => {
  readonly log: OpenLog
  readonly receipts: Receipt[]
} {
  const { environment, durability } = settings
  return (lock, report) => {
    const { fd } = lock
    const target = diskTarget(path, lock, settings, REACH)
    const quiet = { ...settings, observer: undefined }
    const appender = new Appender(target, { settings: quiet, report, danglingPrev: 'report' })
    const events = choose({ path, fd, size: appender.size, fs: environment.fs })
    // There is no later look that would notice a stranger, so it is taken now.
    const receipts = appendOne(appender, events, true)
    if (isSyncDue(durability, events)) new SyncGroup(path, lock, environment).syncNow()
    return { log: { path, fd, size: appender.size, fs: environment.fs }, receipts }
  }
}
