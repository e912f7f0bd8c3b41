// A log from its beginning, without blocking anybody else in this process.

import type { LogEntry } from './entry.js'
import { ForwardLines } from './line-source.js'
import type { OpenLog } from './open-for-reading.js'
import { Reading, type ReadLogOptions } from './reading.js'

export type { ReadLogOptions } from './reading.js'

/** Oldest first. Leaving the loop early closes the file. */
export async function* readLog(
  log: string | OpenLog,
  options: ReadLogOptions = {},
): AsyncGenerator<LogEntry, void, undefined> {
  const reading = new Reading(log, options, (range) => new ForwardLines(range))
  try {
    while (await reading.fill()) {
      for (let entries = reading.next(); entries !== undefined; entries = reading.next()) {
        for (const entry of entries) yield entry
      }
    }
  } finally {
    reading.close()
  }
}
