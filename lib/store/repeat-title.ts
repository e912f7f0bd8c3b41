// A title is repeated for as long as a transcript grows, so that a listing finds it in the last
// 64 KiB. Whoever keeps the transcript open knows where it stands; somebody who adds one event and
// leaves goes by the length of the file.

import type { NewEvent, Trailer } from '../log/index.js'
import { isSkipped } from './session-digest.js'
import { digestFile } from './session-digest-file.js'

/** At most so much stands behind a title, but for the last write. */
export const TITLE_STRIDE_BYTES = 48 * 1024

/** For appends to a transcript that nobody keeps open. */
export function repeatTitle(path: string): Trailer {
  return ({ lines, start, end }) => {
    if (strideOf(start) === strideOf(end) || lines.some(mayBeTitle)) return undefined
    return titleIn(path)
  }
}

/** Behind such a line no title may be repeated: the one that it brings must stay the last. */
export function mayBeTitle({ type }: { readonly type: string }): boolean {
  return type === 'session_meta'
}

/** The line that says what the transcript is called, if somebody called it something. */
export function titleIn(path: string): NewEvent | undefined {
  const digest = digestFile(path)
  if (isSkipped(digest) || digest.titleSource === null) return undefined
  const { title, titleSource: title_source } = digest
  if (title === null || title_source === 'prompt') return undefined
  return { type: 'session_meta', payload: { title, title_source } }
}

function strideOf(bytes: number): number {
  return Math.floor(bytes / TITLE_STRIDE_BYTES)
}
