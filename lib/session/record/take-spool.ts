// Appends what other processes left in the spool for a log, by the process that may write it. Each
// event is judged alone: one that the log refuses is set aside with the reason, and keeps no other
// from being written.

import { isSessionError, type SessionErrorCode } from '../../errors.js'
import { diagnostic } from '../../format/index.js'
import type { NewEvent } from '../../log/index.js'
import {
  findEvent,
  listSpoolFiles,
  type Refusal,
  readOrReport,
  readSpoolFile,
  removeSpoolFile,
  type SpoolFile,
  type StoreContext,
  setAside,
} from '../../store/index.js'
import { isSameReport } from './log-end.js'

export interface SpoolTarget {
  /** The log that the events belong to. */
  readonly path: string
  /** The name under which they wait. */
  readonly spoolName: string
  /** All of the events become lines that are on the disk, or none. */
  readonly append: (events: readonly NewEvent[]) => Promise<unknown>
}

// So that thousands of waiting events are neither in memory nor in one write at the same time.
const FILES_PER_WRITE = 256

/** What is wrong with an event, as opposed to the log or the disk. */
const REFUSALS: ReadonlySet<SessionErrorCode> = new Set([
  'ERR_ARG',
  'ERR_UUID_CONFLICT',
  'ERR_PERMISSION_STATE',
  'ERR_LINE_TOO_LARGE',
  'ERR_SERIALIZE',
  'ERR_UNKNOWN_PREV',
  'ERR_WRONG_LOG_KIND',
])

/** Trouble with the spool is reported; trouble with the log is thrown, and nothing is removed then. */
export async function takeSpooled(store: StoreContext, target: SpoolTarget): Promise<void> {
  const { spool } = store.layout
  const paths = readOrReport(store, spool, () => listSpoolFiles(store, target.spoolName)) ?? []
  for (let done = 0; done < paths.length; done += FILES_PER_WRITE) {
    const files = paths
      .slice(done, done + FILES_PER_WRITE)
      .flatMap((path) => readOrReport(store, path, () => readSpoolFile(store, path)) ?? [])
    const events = files.flatMap((file) => file.events)
    const refused = new Map<NewEvent, Refusal>()
    if (events.length > 0) await appendEach(store, target, events, refused)
    for (const file of files) readOrReport(store, file.path, () => finish(store, file, refused))
  }
}

/** Halves what was refused until the event is found that it is about. */
async function appendEach(
  store: StoreContext,
  target: SpoolTarget,
  events: readonly NewEvent[],
  refused: Map<NewEvent, Refusal>,
): Promise<void> {
  try {
    await target.append(events)
  } catch (error) {
    if (!isSessionError(error) || !REFUSALS.has(error.code)) throw error
    const [event] = events
    if (events.length > 1) {
      const middle = Math.ceil(events.length / 2)
      await appendEach(store, target, events.slice(0, middle), refused)
      await appendEach(store, target, events.slice(middle), refused)
    } else if (!isReportedAgain(store, target, event!)) {
      const { code, message } = error
      refused.set(event!, { uuid: event!.uuid ?? null, code, message })
    }
  }
}

/** The log holds this very report: the two differ only in what depends on the moment. */
function isReportedAgain(store: StoreContext, { path }: SpoolTarget, event: NewEvent): boolean {
  const earlier = event.uuid === undefined ? undefined : findEvent(store, path, event.uuid)
  return earlier !== undefined && isSameReport(earlier.event, event)
}

function finish(
  store: StoreContext,
  file: SpoolFile,
  refused: ReadonlyMap<NewEvent, Refusal>,
): void {
  const reasons = [...file.problems, ...file.events.flatMap((event) => refused.get(event) ?? [])]
  if (reasons.length === 0) {
    removeSpoolFile(store, file)
    return
  }
  const moved = setAside(store, file, reasons)
  for (const { message, uuid } of reasons) {
    const where = uuid === null ? { file: moved } : { file: moved, uuid }
    store.report(diagnostic('queued_event_refused', message, where))
  }
}
