// The log that Claude Code writes of a subagent: its prompt, its texts between calls and its results, which
// hooks do not report. The lines follow each other, so what is missing is appended; a subagent has no
// rewinds, and what a compaction removed there stays in our log.

import { type ClaudeMessage, readSubagentLines } from '../../interchange/follow.js'
import type { NewEvent, OpenLog } from '../../log/index.js'
import type { StoreContext } from '../../store/index.js'
import { asWritten, type RedactionOptions, SIDECHAIN_BYTES_MAX } from '../settings.js'
import {
  type Followed,
  markLast,
  mergePending,
  readSinceLine,
  recentIn,
  type SinceLine,
  toEvent,
} from './follow-transcript.js'
import { readTranscript } from './read-transcript.js'
import { readRecentEvents } from './recent-events.js'

export interface FollowedSubagent extends RedactionOptions {
  readonly path: string
  /** Of the events that it may add. */
  readonly bytesMax: number
}

/** Without such a log, or with one that is too long, there is nothing to append. */
export function followSubagent(
  store: StoreContext,
  log: OpenLog,
  { path, bytesMax, redactOnWrite }: FollowedSubagent,
): Followed {
  const { line, pending } = readSinceLine(log) ?? fromStart(log)
  const part = readTranscript(store, path, { from: line.end, bytesMax: SIDECHAIN_BYTES_MAX })
  const isFollowed = part !== undefined && (part.records.length > 0 || line.end > 0)
  if (!isFollowed) return { isFollowed, events: [], recent: () => recentIn(log, []) }
  const { messages, lastLine = line.uuid } = readSubagentLines(part.records)
  const written = asWritten({ redactOnWrite })
  const lines = messages.map((message: ClaudeMessage) => written(toEvent(store, message)))
  const merged = mergePending(store, lines, pending)
  const fits = Buffer.byteLength(JSON.stringify(merged)) <= bytesMax
  const events: readonly NewEvent[] = fits
    ? markLast(merged, lines, { uuid: lastLine, end: part.end })
    : []
  return { isFollowed: fits, events, recent: () => recentIn(log, events) }
}

function fromStart(log: OpenLog): SinceLine {
  return { line: { uuid: '', end: 0 }, pending: [...readRecentEvents(log)].reverse() }
}
