// A session that continues another one is the same conversation, so it has the title of that one
// until it gets a title of its own. Nothing is written for that: the title follows from the lineage.

import { isSessionError } from '../../errors.js'
import type { StoreContext } from '../context.js'
import { isUnreadable, readTranscriptInfo, type SessionInfo } from './session-info.js'

// A title from further back says little about the conversation.
const ANCESTORS_MAX = 100

/** `known` spares reading ancestors that the caller has read. */
export function inheritTitle(
  store: StoreContext,
  info: SessionInfo,
  known: ReadonlyMap<string, SessionInfo> = new Map(),
): SessionInfo {
  if (hasOwnTitle(info)) return info
  let titled = info
  let parentId = info.resumedFrom?.sessionId
  for (let count = 0; parentId !== undefined && count < ANCESTORS_MAX; count++) {
    const parent = known.get(parentId) ?? readParent(store, parentId)
    if (parent === undefined) break
    // Of first prompts, the oldest began the conversation.
    if (parent.title !== null) titled = parent
    parentId = hasOwnTitle(parent) ? undefined : parent.resumedFrom?.sessionId
  }
  if (titled === info) return info
  return { ...info, title: titled.title, titleSource: titled.titleSource }
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
