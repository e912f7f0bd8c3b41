// A log from its end. What it yields is what the forward readers yield, in reverse, except for
// line numbers, which nobody knows who has not counted from the beginning.

import { BackwardLines } from './backward-lines.js'
import type { LogEntry } from './entry.js'
import type { OpenLog } from './open-for-reading.js'
import { Reading, type ReadLogOptions } from './reading.js'

export interface ReadBackwardOptions extends ReadLogOptions {
  /**
   * Payloads are parsed when they are looked at: for readers who want few of them. What other
   * writers put beside the payload of a line is not read then.
   *
   * @default false
   */
  lazyPayloads?: boolean | undefined
}

/** Newest first. Leaving the loop early closes the file. */
export async function* readLogBackward(
  log: string | OpenLog,
  options: ReadBackwardOptions = {},
): AsyncGenerator<LogEntry, void, undefined> {
  const reading = backwardReading(log, options)
  try {
    while (await reading.fill()) {
      for (let entries = reading.next(); entries !== undefined; entries = reading.next()) {
        for (let index = entries.length - 1; index >= 0; index--) yield entries[index]!
      }
    }
  } finally {
    reading.close()
  }
}

/** Newest first, for callers that want it now. Leaving the loop early closes the file. */
export function* readLogBackwardSync(
  log: string | OpenLog,
  options: ReadBackwardOptions = {},
): Generator<LogEntry, void, undefined> {
  const reading = backwardReading(log, options)
  try {
    while (reading.fillSync()) {
      for (let entries = reading.next(); entries !== undefined; entries = reading.next()) {
        for (let index = entries.length - 1; index >= 0; index--) yield entries[index]!
      }
    }
  } finally {
    reading.close()
  }
}

function backwardReading(log: string | OpenLog, options: ReadBackwardOptions): Reading {
  const isKept = options.lazyPayloads
  return new Reading(log, options, (range) => new BackwardLines(range, { isKept }))
}
