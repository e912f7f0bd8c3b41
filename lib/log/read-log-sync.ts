// A log from its beginning, for callers that want it now.

import type { LogEntry } from './entry.js'
import { ForwardLines } from './line-source.js'
import type { OpenLog } from './open-for-reading.js'
import { Reading, type ReadLogOptions } from './reading.js'

/** Oldest first. Leaving the loop early closes the file. */
export function* readLogSync(
  log: string | OpenLog,
  options: ReadLogOptions = {},
): Generator<LogEntry, void, undefined> {
  const reading = new Reading(log, options, (range) => new ForwardLines(range))
  try {
    while (reading.fillSync()) {
      for (let entries = reading.next(); entries !== undefined; entries = reading.next()) {
        yield* entries
      }
    }
  } finally {
    reading.close()
  }
}
