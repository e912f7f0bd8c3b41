// How far the extraction of a session came: the last cursor in its transcript, or one that still
// waits for whoever is writing there.

import { fieldsOf } from '../chain/index.js'
import { isSessionError } from '../errors.js'
import { type Layout, readEventsBackward, readSpool, type TextCursor } from '../store/index.js'

const CURSORS = new Set(['extract_cursor'])

export interface ExtractCursor extends TextCursor {
  readonly uuid: string | undefined
}

/** The newest cursor of a source; `undefined` when nothing was extracted from it yet. */
export async function findExtractCursor(
  layout: Layout,
  sessionId: string,
  source: string | undefined,
): Promise<ExtractCursor | undefined> {
  // What waits is younger than anything that was written.
  for (const event of readSpool(layout, sessionId).events.toReversed()) {
    const cursor = CURSORS.has(event.type) ? cursorOf(event, source) : undefined
    if (cursor !== undefined) return cursor
  }
  try {
    for await (const { event } of readEventsBackward(layout.transcriptPath(sessionId), CURSORS)) {
      const cursor = cursorOf(event, source)
      if (cursor !== undefined) return cursor
    }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
  }
  return undefined
}

function cursorOf(
  { uuid, payload }: { uuid?: string | undefined; payload: unknown },
  source: string | undefined,
): ExtractCursor | undefined {
  const fields = fieldsOf(payload)
  const { offset, last_uuid, check } = fields
  if (fields['source'] !== source || !Number.isSafeInteger(offset)) return undefined
  return {
    uuid,
    offset: offset as number,
    last_uuid: typeof last_uuid === 'string' ? last_uuid : null,
    check: typeof check === 'string' ? check : undefined,
  }
}
