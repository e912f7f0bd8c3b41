// A session that a harness starts, or goes on with under the same id.

import type { StartSource } from '../continuity/index.js'
import type { NewEvent } from '../log/index.js'
import type { LogEnd } from '../store/index.js'
import type { AppendTranscriptOptions } from './append-transcript.js'
import { recordTold, type ToldReceipt } from './told-record.js'

/** Its header, or in a log that is there a note that it goes on. */
export function startTold(
  { session_id, source }: { session_id: string; source: StartSource },
  options: AppendTranscriptOptions,
): Promise<ToldReceipt> {
  const goesOn = source === 'resume' || source === 'compact'
  const events = (end: LogEnd) => (goesOn || hasEnded(end) ? [resumed(source, end)] : [])
  return recordTold({ session_id, source: 'SessionStart', events }, options)
}

/** A start of what has not ended is the same start, told late or twice. */
function hasEnded({ beside }: LogEnd): boolean {
  return beside.some(({ type }) => type === 'session_terminator')
}

function resumed(source: StartSource, { last, now }: LogEnd): NewEvent {
  const sinceMs = last === undefined ? 0 : now - Date.parse(last.ts)
  return {
    type: 'session_resumed',
    payload: {
      at_ts: new Date(now).toISOString(),
      source: source === 'resume' || source === 'compact' ? source : 'startup',
      gap_ms: Math.max(0, sinceMs || 0),
    },
  }
}
