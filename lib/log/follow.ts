// A log as it grows: each entry once, in order, also across restarts.

import { parseCursor } from './cursor.js'
import { FileHints } from './file-hints.js'
import { type FollowEntry, Follower } from './follower.js'
import { checkOffset } from './reading.js'

export type { FollowEntry, ReplacedEntry } from './follower.js'

export interface FollowOptions {
  /** Where another follower stopped: the `cursor` of its last entry. */
  cursor?: string | undefined

  /**
   * Where to start without a cursor. Inside a line, the next line is the first.
   *
   * @default 0
   */
  from?: number | undefined

  /** Ends the loop. Without it only leaving the loop does, once the next entry is there. */
  signal?: AbortSignal | undefined

  /**
   * How often to look when nobody says that something changed.
   *
   * @default 1000
   */
  pollMs?: number | undefined

  /** @default false */
  isBare?: boolean | undefined
}

/** Never ends by itself, and waits for a file that is not there yet. */
export async function* followLog(
  path: string,
  { cursor, from = 0, signal, pollMs = 1000, isBare = false }: FollowOptions = {},
): AsyncGenerator<FollowEntry, void, undefined> {
  checkOffset('from', from)
  const start = cursor === undefined ? { byte_offset: from } : parseCursor(cursor)
  const follower = new Follower(path, { start, isBare })
  const isOver = () => signal?.aborted === true
  const hints = new FileHints(path, { pollMs, signal })
  try {
    while (!isOver()) {
      for await (const entry of follower.readNew()) {
        yield entry
        if (isOver()) return
      }
      await hints.next()
    }
  } finally {
    await hints.close()
  }
}
