// Whether a prompt is recorded already, by the event it belongs to: hooks may run twice at once.

import { closeSync } from 'node:fs'
import { isSessionError } from '../errors.js'
import { countNewlines, type OpenLog, openIfThere, readLogBackwardSync } from '../log/index.js'
import { historyEntryOf } from './history-entry.js'
import { rolloverNumbers, rolloverPath } from './history-files.js'

const REACH_BYTES = 64 * 1024

export interface Recorded {
  readonly offset: number
  readonly file: string
  readonly line_number: number
}

/**
 * Looks at the last 64 KiB of the history, which may begin in the file before the live one. To be
 * called under the lock, where no rotation comes in between.
 */
export function findRecorded(live: OpenLog, eventUuid: string): Recorded | undefined {
  const found = findIn(live, eventUuid, REACH_BYTES)
  if (found !== undefined || live.size >= REACH_BYTES) return found
  const before = openBefore(live.path)
  if (before === undefined) return undefined
  try {
    return findIn(before, eventUuid, REACH_BYTES - live.size)
  } finally {
    closeSync(before.fd)
  }
}

// Where it cannot be looked into, recording twice is better than not at all.
function openBefore(livePath: string): OpenLog | undefined {
  const [number] = rolloverNumbers(livePath)
  try {
    return number === undefined ? undefined : openIfThere(rolloverPath(livePath, number))
  } catch (error) {
    if (isSessionError(error)) return undefined
    throw error
  }
}

function findIn(log: OpenLog, eventUuid: string, reachBytes: number): Recorded | undefined {
  const from = Math.max(0, log.size - reachBytes)
  for (const entry of readLogBackwardSync(log, { from, isBare: true })) {
    const line = historyEntryOf(entry, log.path)
    if (line?.event_uuid !== eventUuid) continue
    const { offset, file } = line
    return { offset, file, line_number: countNewlines(log.fd, 0, offset) + 1 }
  }
  return undefined
}
