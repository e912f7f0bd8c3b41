// Whose child a subagent is. A session's own are those whose header names it. A fork begins with
// the bytes of its source, so whatever was spawned in them is its child as well.

import { isSessionError } from '../errors.js'
import { normalizeSessionKey } from '../format/index.js'
import { indexUuids, type UuidIndex } from '../log/index.js'
import { type Layout, layoutOf, type StoreOptions } from './layout.js'
import { lineageOf } from './lineage.js'
import type { SidechainOrigin } from './sidechain-digest.js'
import { findChild } from './sidechain-place.js'
import { findTranscript } from './transcripts.js'

export type IsOfFamily = (origin: SidechainOrigin) => boolean

/** `origins` tell of a session whose own transcript is gone: its children still name it. */
export function familyOf(
  session: string,
  store: StoreOptions,
  origins: readonly SidechainOrigin[],
): IsOfFamily {
  let path: string
  try {
    path = findTranscript(session, store)
  } catch (error) {
    const id = normalizeSessionKey(session)
    const isOrphan = ({ parent_session_id }: SidechainOrigin) => parent_session_id === id
    if (isSessionError(error, 'ERR_NOT_FOUND') && origins.some(isOrphan)) return isOrphan
    throw error
  }
  return familyOfTranscript(path, layoutOf(store))
}

function familyOfTranscript(path: string, layout: Layout): IsOfFamily {
  const { session_id: own, sources } = lineageOf(path)
  // A scan of the whole transcript, so only where a child of a source asks for it.
  let copied: UuidIndex | undefined
  const isCopied = (uuid: string) => {
    copied ??= indexUuids(path, { verify: true })
    return copied.find(uuid) !== undefined
  }
  return function isOfFamily(origin): boolean {
    const { parent_session_id, parent_uuid, parent_task_id, depth } = origin
    if (parent_session_id === null) return false
    if (parent_session_id === own) return true
    if (!sources.includes(parent_session_id)) return false
    if (parent_task_id === null) return parent_uuid !== null && isCopied(parent_uuid)
    // Spawned in another subagent's log, so it goes where that one goes.
    const parent = findChild(parent_task_id, parent_session_id, layout)?.origin
    const isAbove = (parent?.depth ?? 0) < (depth ?? 0)
    return parent !== undefined && isAbove && isOfFamily(parent)
  }
}
