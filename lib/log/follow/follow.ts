// A log as it grows: each entry once, in order, also across restarts.

import { type EnvironmentOverrides, environmentFrom } from '../../environment/index.js'
import { parseCursor } from '../cursor.js'
import { assertOffset } from '../read/read-log.js'
import { type FollowEntry, Follower } from './follower.js'
import { watchFile } from './watch-folder.js'

export type { FollowEntry, ReplacedEntry } from './follower.js'

/** Options of following a log. */
export interface FollowOptions {
  /**
   * Where another follower stopped: the `cursor` of its last entry.
   *
   * @default none: starts at `from`
   */
  cursor?: string | undefined

  /**
   * Where to start without a cursor. Inside a line, the next line is the first.
   *
   * @default 0
   */
  from?: number | undefined

  /**
   * Ends the loop. Without it only leaving the loop does, once the next entry is there.
   *
   * @default none
   */
  signal?: AbortSignal | undefined

  /**
   * How often to check the file when no change is reported.
   *
   * @default 1000
   */
  pollMs?: number | undefined

  /**
   * Any JSON object counts as an event: the lines of a history have no envelope.
   *
   * @default false
   */
  bare?: boolean | undefined

  /**
   * Replaces files, timers and watches, for tests and simulators.
   *
   * @default the system's
   */
  environment?: EnvironmentOverrides | undefined
}

/** Never ends by itself, and waits for a file that is not there yet. */
export async function* followLog(
  path: string,
  { cursor, from = 0, signal, pollMs = 1000, bare = false, environment }: FollowOptions = {},
): AsyncGenerator<FollowEntry, void, undefined> {
  assertOffset('from', from)
  const start = cursor === undefined ? { byte_offset: from } : parseCursor(cursor)
  const env = environmentFrom(environment)
  const follower = new Follower(path, { start, bare, env })
  const isOver = () => signal?.aborted === true
  const changes = watchFile(env, path, { pollMs, signal })
  try {
    while (!isOver()) {
      for await (const entry of follower.readNew()) {
        yield entry
        if (isOver()) return
      }
      await changes.next()
    }
  } finally {
    await changes.close()
  }
}
