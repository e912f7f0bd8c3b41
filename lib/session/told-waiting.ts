// What waits for sessions whose writer was busy at their very end: no hook of theirs comes any
// more, so one of another session takes care of it.

import { isSessionError } from '../errors.js'
import { appendOnce } from '../log/index.js'
import { layoutOf, listSpooled, readLogEnd, readSpool, repeatTitle } from '../store/index.js'
import { type AppendTranscriptOptions, takeQueued } from './append-transcript.js'

// Whoever passes by has something else to do.
const SESSIONS_MAX = 8

/** Brings what waits into the sessions it is for, as far as nobody holds them. */
export async function takeWaiting(options: AppendTranscriptOptions): Promise<void> {
  const layout = layoutOf(options)
  for (const session of listSpooled(layout).slice(0, SESSIONS_MAX)) {
    const path = layout.transcriptPath(session)
    // Without a header its own next hook must begin it.
    if (readLogEnd(path, 0).size === 0) continue
    try {
      await takeQueued(readSpool(layout, session), (events) =>
        appendOnce(path, events, {
          ...options,
          lineNumbers: false,
          channel: 'transcript',
          trailer: repeatTitle(path),
        }),
      )
    } catch (error) {
      if (!isSessionError(error)) throw error
    }
  }
}
