// A title is repeated for as long as a transcript grows, so that a listing finds it in the last
// 64 KiB. Whoever keeps the transcript open counts what was written since; somebody who adds one
// event and leaves goes by the length of the file.

import type { AppendOnceOptions, NewEvent, Receipt } from '../log/index.js'
import { appendOnceWith, type OpenLog } from '../log/inside.js'
import { isSkipped } from './session-digest.js'
import { digestFile } from './session-digest-file.js'

const STRIDE_BYTES = 48 * 1024
const ENVELOPE_BYTES = 180

/** Events into a transcript that nobody keeps open, with its title where that is due. */
export function appendTitled(
  path: string,
  events: readonly NewEvent[],
  options: AppendOnceOptions,
): Promise<Receipt[]> {
  return appendOnceWith(path, events, options, titleRepeater(events))
}

/**
 * Gives the title once more, where these events bring the file past the next 48 KiB of its length.
 * They are measured now, so that under the lock only the file is looked at.
 */
export function titleRepeater(
  events: readonly NewEvent[],
): (log: Pick<OpenLog, 'path' | 'size'>) => NewEvent | undefined {
  // What says a title itself must stay the last that does.
  if (events.some(({ type }) => type === 'session_meta')) return () => undefined
  const added = events.reduce((sum, event) => sum + bytesOf(event), 0)
  const strides = (bytes: number) => Math.floor(bytes / STRIDE_BYTES)
  return ({ path, size }) => (strides(size + added) > strides(size) ? titleIn(path) : undefined)
}

/** The line that says what the transcript is called, if somebody called it something. */
export function titleIn(path: string): NewEvent | undefined {
  const digest = digestFile(path)
  if (isSkipped(digest) || digest.titleSource === null) return undefined
  const { title, titleSource: title_source } = digest
  if (title === null || title_source === 'prompt') return undefined
  return { type: 'session_meta', payload: { title, title_source } }
}

/** About as long as its line; what cannot be measured cannot be written either. */
export function bytesOf({ payload }: NewEvent): number {
  try {
    return ENVELOPE_BYTES + Buffer.byteLength(JSON.stringify(payload))
  } catch {
    return 0
  }
}
