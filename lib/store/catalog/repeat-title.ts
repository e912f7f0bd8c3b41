// A title is repeated while a transcript grows, so that a listing finds it in the last 64 KiB. A
// session that is open knows where its title is; an append of one event goes by the length of the file.

import type { NewEvent, TrailingEvent } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { isUnreadable, readTranscriptInfo } from './session-info.js'

/** The most bytes after a title, except for the last write. */
export const TITLE_STRIDE_BYTES = 48 * 1024

/** For appends to a transcript that no process keeps open. */
export function repeatTitle(store: StoreContext, path: string): TrailingEvent {
  return ({ lines, start, end }) => {
    if (strideOf(start) === strideOf(end) || lines.some(mayBeTitle)) return undefined
    return findTitleEvent(store, path)
  }
}

/** After such a line no title may be repeated: its own must stay the last. */
export function mayBeTitle({ type }: { readonly type: string }): boolean {
  return type === 'session_meta'
}

/** The event that repeats the title, if the session was given one. */
export function findTitleEvent(store: StoreContext, path: string): NewEvent | undefined {
  const digest = readTranscriptInfo(store, path)
  if (isUnreadable(digest) || digest.titleSource === null) return undefined
  const { title, titleSource: title_source } = digest
  if (title === null || title_source === 'prompt') return undefined
  return { type: 'session_meta', payload: { title, title_source } }
}

function strideOf(bytes: number): number {
  return Math.floor(bytes / TITLE_STRIDE_BYTES)
}
