// Whose child a subagent is. A session's own are those whose header names it. A fork begins with
// the bytes of its source, so whatever was spawned in them is its child as well.

import { isSessionError } from '../../errors.js'
import { normalizeSessionKey } from '../../format/index.js'
import { indexUuids, type UuidIndex } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { readLineage } from '../load/lineage.js'
import { findTranscript } from '../transcripts.js'
import { findChild } from './path.js'
import type { SidechainOrigin } from './sidechain-info.js'

export type OwnershipFilter = (origin: SidechainOrigin) => boolean

/** `origins` serve a session whose transcript is missing: its children still name it. */
export function ownershipFilter(
  store: StoreContext,
  session: string,
  origins: readonly SidechainOrigin[],
): OwnershipFilter {
  let path: string
  try {
    path = findTranscript(store, session)
  } catch (error) {
    const id = normalizeSessionKey(session)
    const isOrphan = ({ parentSessionId }: SidechainOrigin) => parentSessionId === id
    if (isSessionError(error, 'ERR_NOT_FOUND') && origins.some(isOrphan)) return isOrphan
    throw error
  }
  return familyOfTranscript(store, path)
}

function familyOfTranscript(store: StoreContext, path: string): OwnershipFilter {
  const { sessionId: own, sources } = readLineage(store, path)
  // A scan of the whole transcript, so only where a child of a source asks for it.
  let copied: UuidIndex | undefined
  const isCopied = (uuid: string) => {
    copied ??= indexUuids(path, { verify: true, environment: store.env })
    return copied.find(uuid) !== undefined
  }
  return function isOfFamily(origin): boolean {
    const { parentSessionId, parentUuid, parentTaskId, depth } = origin
    if (parentSessionId === null) return false
    if (parentSessionId === own) return true
    if (!sources.includes(parentSessionId)) return false
    if (parentTaskId === null) return parentUuid !== null && isCopied(parentUuid)
    // Spawned in another subagent's log, so it goes where that one goes.
    const parent = findChild(store, parentTaskId, parentSessionId)?.origin
    const isAbove = (parent?.depth ?? 0) < (depth ?? 0)
    return parent !== undefined && isAbove && isOfFamily(parent)
  }
}
