// Where the newest prompt of one session stands in the live history.

import { closeSync } from 'node:fs'
import { normalizeSessionKey } from '../format/index.js'
import { openIfThere, readLogBackwardSync } from '../log/index.js'
import { historyEntryOf } from './history-entry.js'
import type { HistoryOptions } from './history-options.js'
import { layoutOf } from './layout.js'

const REACH_BYTES = 64 * 1024

/** `null` where none stands in its last 64 KiB. An offset alone can only mean the live file. */
export function lastHistoryOffset(sessionId: string, options: HistoryOptions = {}): number | null {
  const live = openIfThere(layoutOf(options).historyPath)
  if (live === undefined) return null
  const id = normalizeSessionKey(sessionId)
  const from = Math.max(0, live.size - REACH_BYTES)
  try {
    for (const entry of readLogBackwardSync(live, { from, isBare: true })) {
      const line = historyEntryOf(entry, live.path)
      if (line?.session_id === id) return line.offset
    }
    return null
  } finally {
    closeSync(live.fd)
  }
}
