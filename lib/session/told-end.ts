// The end of a session, as its harness tells it: what the next one should know, then the
// terminator.

import { normalizeSessionKey } from '../format/index.js'
import { systemEnvironment } from '../log/index.js'
import { type LogEnd, layoutOf, REPEAT_MS, readLogEnd } from '../store/index.js'
import { checkpointOnce } from './checkpoint-once.js'
import type { OnceOptions } from './prompt-once.js'
import { recordTold, type ToldReceipt } from './told-record.js'

/** `undefined` for a session of which nothing was ever recorded: it has nothing to end. */
export async function endTold(
  { session_id, reason }: { session_id: string; reason: string },
  options: OnceOptions & { readonly lockTimeoutAfterMs?: number | undefined } = {},
): Promise<ToldReceipt | undefined> {
  const id = normalizeSessionKey(session_id)
  const path = layoutOf(options).transcriptPath(id)
  const now = (options.environment?.now ?? systemEnvironment.now)()
  const end = readLogEnd(path, now)
  if (end.size === 0) return undefined
  if (!isEnded(end)) await checkpointAtEnd({ id, path, reason, end }, options)
  const events = (there: LogEnd) => (isEnded(there) ? [] : [terminator(reason, there)])
  return recordTold({ session_id: id, source: 'SessionEnd', events }, options)
}

async function checkpointAtEnd(
  { id, path, reason, end }: { id: string; path: string; reason: string; end: LogEnd },
  { lockTimeoutAfterMs, ...options }: Parameters<typeof endTold>[1] & object,
): Promise<void> {
  const store = {
    ...options,
    harness: options.facts?.harness,
    lockTimeoutMs: lockTimeoutAfterMs,
    unlessRepeatedWithinMs: REPEAT_MS,
  }
  const facts = { transcript_offset: end.size, last_uuid: end.last?.uuid ?? null }
  const once = checkpointOnce(id, path, store)
  // A disk that fails is reported by the queue; the session has ended all the same.
  await once?.checkpointer.end(once.session, { reason, facts }).catch(() => undefined)
}

function isEnded({ beside }: LogEnd): boolean {
  return beside.some(({ type }) => type === 'session_terminator')
}

function terminator(reason: string, { now, last, size }: LogEnd) {
  return {
    type: 'session_terminator',
    payload: {
      end_ts: new Date(now).toISOString(),
      reason,
      last_uuid: last?.uuid ?? null,
      events: null,
      bytes: size,
    },
  }
}
