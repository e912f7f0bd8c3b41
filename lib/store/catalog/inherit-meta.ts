// A session that continues another one is the same conversation, so it has the title and the tags of
// that one until it gets its own. Nothing is written for that: they follow from the lineage.

import { isSessionError } from '../../errors.js'
import type { StoreContext } from '../context.js'
import { isUnreadable, readTranscriptInfo, type SessionInfo } from './session-info.js'

// A title from further back says little about the conversation.
const ANCESTORS_MAX = 100

/** `known` spares reading ancestors that the caller has read. */
export function inheritMeta(
  store: StoreContext,
  info: SessionInfo,
  known: ReadonlyMap<string, SessionInfo> = new Map(),
): SessionInfo {
  let titled = info
  let { tags } = info
  let isTitled = hasOwnTitle(info)
  let parentId = info.resumedFrom?.sessionId
  for (let count = 0; parentId !== undefined && count < ANCESTORS_MAX; count++) {
    if (isTitled && tags !== null) break
    const parent = known.get(parentId) ?? readParent(store, parentId)
    if (parent === undefined) break
    // Of first prompts, the oldest began the conversation.
    if (!isTitled && parent.title !== null) titled = parent
    isTitled ||= hasOwnTitle(parent)
    tags ??= parent.tags
    parentId = parent.resumedFrom?.sessionId
  }
  if (titled === info && tags === info.tags) return info
  return { ...info, title: titled.title, titleSource: titled.titleSource, tags }
}

/** Given to it, not the first words of the user. */
function hasOwnTitle({ titleSource }: SessionInfo): boolean {
  return titleSource === 'user' || titleSource === 'auto'
}

function readParent(store: StoreContext, id: string): SessionInfo | undefined {
  try {
    const info = readTranscriptInfo(store, store.layout.transcriptPath(id))
    return isUnreadable(info) ? undefined : info
  } catch (error) {
    // A header may hold anything, also an invalid id.
    if (isSessionError(error, 'ERR_ARG')) return undefined
    throw error
  }
}
