// Title and tags are repeated while a transcript grows, so that a listing finds them in the last
// 64 KiB. A session that is open knows where they are; an append of one event goes by the length of
// the file.

import type { TrailingEvent } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { inheritMeta } from './inherit-meta.js'
import { isUnreadable, readTranscriptInfo } from './session-info.js'
import { SessionMeta } from './session-meta.js'

/** The most bytes after title and tags, except for the last write. */
export const META_STRIDE_BYTES = 48 * 1024

/** For appends to a transcript that no process keeps open. */
export function repeatMeta(store: StoreContext, path: string): TrailingEvent {
  return ({ lines, start, end }) => {
    if (strideOf(start) === strideOf(end)) return undefined
    const meta = readMeta(store, path)
    takeLines(meta, lines)
    return meta.toEvent()
  }
}

/** Takes what lines say that are about to be written. */
export function takeLines(
  meta: SessionMeta,
  lines: readonly { readonly type: string; readonly payloadJson: string }[],
): void {
  for (const { type, payloadJson } of lines) {
    if (type === 'session_meta') meta.take(JSON.parse(payloadJson))
  }
}

/** What a log says already. The first prompt is a title of the listing, not of the log. */
export function readMeta(store: StoreContext, path: string): SessionMeta {
  const meta = new SessionMeta()
  const digest = readTranscriptInfo(store, path)
  if (isUnreadable(digest)) return meta
  const { title, titleSource: title_source, tags } = digest
  if (title !== null && title_source !== 'prompt') meta.take({ title, title_source })
  meta.take({ tags })
  return meta
}

/** The tags of a session: its own, or those of the session it continues. `waiting` is written later. */
export function readTags(
  store: StoreContext,
  path: string,
  waiting: readonly { readonly type: string; readonly payload?: unknown }[] = [],
): readonly string[] {
  const digest = readTranscriptInfo(store, path)
  const meta = new SessionMeta()
  if (!isUnreadable(digest)) meta.take({ tags: inheritMeta(store, digest).tags })
  for (const { type, payload } of waiting) if (type === 'session_meta') meta.take(payload)
  return meta.tags ?? []
}

function strideOf(bytes: number): number {
  return Math.floor(bytes / META_STRIDE_BYTES)
}
