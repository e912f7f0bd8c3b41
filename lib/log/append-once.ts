// One append by somebody who keeps nothing open: lock, write, unlock. For hooks and the command
// line.

import { placeOnDisk } from './append-place.js'
import { Appender, appendOne } from './appender.js'
import { draftOf, type NewEvent } from './draft.js'
import { isSyncDue } from './durability.js'
import { once } from './once.js'
import { type LogOptions, settingsOf } from './options.js'
import type { Receipt } from './receipt.js'
import { SyncGroup } from './sync-group.js'

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
  const { environment, hasLineNumbers } = settings
  return once(path, settings, (lock, report) => {
    const reach = { reachBytes: REACH_BYTES, tipWindowBytes: TIP_WINDOW_BYTES }
    const appender = new Appender(placeOnDisk(path, lock, { environment, ...reach }), {
      environment,
      hasLineNumbers,
      danglingPrev: 'report',
      report,
      observer: undefined,
    })
    const isHeaderDue = headerDraft !== undefined && appender.size === 0
    const all = isHeaderDue ? [headerDraft, ...drafts] : drafts
    // There is no later look that would notice a stranger, so it is taken now.
    const answer = appendOne(appender, all, true)
    if (isSyncDue(settings.durability, all)) {
      const { fd, wasCreated: isNew } = lock
      new SyncGroup(path, fd, environment.disk, { isNew }).syncNow()
    }
    return isHeaderDue ? answer.slice(1) : answer
  })
}
