// Prompts that were typed while the model worked. No hook reports them; they come from the transcript of
// the client, and get their line in the history here.

import { isSessionError } from '../../errors.js'
import { fieldsOf } from '../../format/fields.js'
import { diagnostic } from '../../format/index.js'
import { QUEUED } from '../../interchange/follow.js'
import type { NewEvent } from '../../log/index.js'
import { appendHistory, readHistory, readProject, type StoreContext } from '../../store/index.js'
import { promptText } from '../prompt-history.js'

export function isQueuedPrompt({ type, payload }: NewEvent): boolean {
  return type === 'user' && fieldsOf(payload)['source'] === QUEUED
}

interface QueuedIn {
  readonly sessionId: string
  /** The transcript. */
  readonly path: string
  readonly project: string | undefined
}

// A prompt that is recorded again, on another branch, is not older than these.
const LOOKED_AT = 50

/** The time is that of the client, so a line of the history is recognised by it. Failures are reported. */
export async function recordQueuedPrompts(
  store: StoreContext,
  prompts: readonly NewEvent[],
  { sessionId, path, project }: QueuedIn,
): Promise<void> {
  if (prompts.length === 0) return
  try {
    const known = await readHistory(store, { sessionId, limit: LOOKED_AT })
    for (const { uuid, ts, payload } of prompts) {
      const text = promptText(fieldsOf(payload)['content'])
      if (known.some((entry) => entry.ts === ts && entry.prompt === text)) continue
      await appendHistory(store, text, sessionId, {
        project: readProject(store, path) ?? project,
        eventUuid: uuid,
        ts,
        lineNumbers: false,
        durability: 'none',
      })
    }
  } catch (error) {
    if (!isSessionError(error)) throw error
    const message = `A prompt is in the transcript, but: ${error.message}`
    store.report(diagnostic('history_not_written', message))
  }
}
