// The tags of a session. A line holds all of them, so a change is made under the lock of the
// transcript, from what the newest line says.

import {
  changeTags,
  findTranscript,
  readSpool,
  readTags,
  type StoreContext,
  type TagChanges,
} from '../../store/index.js'
import { storedIdOf } from '../storage.js'
import type { AppendTranscriptOptions } from './one-shot.js'
import { record } from './record.js'

/** Changes of the tags of a session. */
export interface TagSessionOptions extends AppendTranscriptOptions, TagChanges {
  /**
   * Only return what the tags would be.
   *
   * @default false
   */
  dryRun?: boolean | undefined
}

/** The tags of a session after a change. */
export interface TaggedSession {
  readonly sessionId: string
  /** In the order in which they were added. */
  readonly tags: readonly string[]
  /** False if the session had exactly these tags; then nothing was written. */
  readonly changed: boolean
  /** Another process holds the session and will write the tags. */
  readonly queued: boolean
}

/**
 * Adds tags to a session and removes tags, also while another process holds it. Without changes it
 * only returns the tags. The tag `pinned` keeps a session from retention.
 */
export async function tagSession(
  store: StoreContext,
  session: string,
  { add = [], remove = [], dryRun = false, ...options }: TagSessionOptions = {},
): Promise<TaggedSession> {
  const sessionId = storedIdOf(store, session)
  const path = findTranscript(store, sessionId)
  const present = () => readTags(store, path, readSpool(store, sessionId))
  let tags: readonly string[] = []
  const events = () => {
    const before = present()
    tags = changeTags(before, { add, remove })
    const isSame = tags.length === before.length && tags.every((tag, at) => tag === before[at])
    return isSame ? [] : [{ type: 'session_meta', payload: { tags: [...tags] } }]
  }
  // A wrong name is rejected before anything is locked.
  const changed = events().length > 0
  if (dryRun || !changed) return { sessionId, tags, changed, queued: false }
  const { status } = await record(store, { sessionId, events }, options)
  return { sessionId, tags, changed: status !== 'duplicate', queued: status === 'queued' }
}
