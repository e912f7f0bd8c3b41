// The subagents of a store. Files are read one by one, so an unreadable one hides no other.

import { basename, join } from 'node:path'
import { isSessionError, SessionError } from '../../errors.js'
import { fileNameOf, normalizeSessionKey } from '../../format/index.js'
import { indexUuids, type UuidIndex } from '../../log/index.js'
import { isUnreadable, readEach, type Unreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { listLogNames } from '../list-logs.js'
import { readLineage } from '../load/load-session.js'
import { findTranscript } from '../transcripts.js'
import { findChild } from './path.js'
import {
  readOrigin,
  readSidechainInfo,
  type SidechainInfo,
  type SidechainOrigin,
} from './sidechain-info.js'

const CANDIDATES_SHOWN = 10

export interface ListSidechainsOptions {
  /**
   * Only those of this session. Those of a fork are also the ones that its source had spawned by
   * then.
   *
   * @default every session
   */
  session?: string | undefined
}

export interface SidechainList {
  /** In the order in which they were started. */
  readonly sidechains: SidechainInfo[]
  /** Files that could not be read, or that name no session. */
  readonly skipped: Unreadable[]
}

export function listSidechains(
  store: StoreContext,
  { session }: ListSidechainsOptions = {},
): SidechainList {
  const { found, skipped } = select(store, listSidechainPaths(store), session)
  const read = readEach(found, ({ path }) => readSidechainInfo(store, path))
  return { sidechains: read.found.sort(byStart), skipped: [...skipped, ...read.skipped] }
}

/** A subagent by its task's id, which may repeat from session to session. */
export function findSidechain(
  store: StoreContext,
  task: string,
  { session }: ListSidechainsOptions = {},
): SidechainInfo {
  const wanted = normalizeSessionKey(task, 'A task id')
  const prefix = fileNameOf(wanted)
  const named = listSidechainPaths(store).filter((path) => basename(path).startsWith(prefix))
  const { found } = select(store, named, session)
  const meant = found.filter(({ taskId }) => taskId === wanted)
  if (meant.length > 1) throw ambiguousTaskError(task, meant)
  const digest = meant[0] && readSidechainInfo(store, meant[0].path)
  if (digest === undefined || isUnreadable(digest)) throw notFoundError(store, task, session)
  return digest
}

function select(
  store: StoreContext,
  paths: readonly string[],
  session: string | undefined,
): { found: SidechainOrigin[]; skipped: Unreadable[] } {
  const { found, skipped } = readEach(paths, (path) => readOrigin(store, path))
  if (session === undefined) return { found, skipped }
  for (const { path, parentSessionId } of found) {
    if (parentSessionId === null) skipped.push({ path, reason: 'it names no session' })
  }
  return { found: found.filter(ownershipFilter(store, session, found)), skipped }
}

// Whose child a subagent is. A session's own are those whose header names it. A fork begins with
// the bytes of its source, so whatever was spawned in them is its child as well.

type OwnershipFilter = (origin: SidechainOrigin) => boolean

/** `origins` serve a session whose transcript is missing: its children still name it. */
function ownershipFilter(
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
    const parent = findChild(store, parentTaskId, parentSessionId)
    const isAbove = (parent?.depth ?? 0) < (depth ?? 0)
    return parent !== undefined && isAbove && isOfFamily(parent)
  }
}

/** The logs of all subagents. */
export function listSidechainPaths(store: StoreContext): string[] {
  const { sidechains } = store.layout
  return listLogNames(store, sidechains).map((name) => join(sidechains, name))
}

function byStart(one: SidechainInfo, other: SidechainInfo): number {
  const left = `${one.startedAt ?? ''} ${one.path}`
  const right = `${other.startedAt ?? ''} ${other.path}`
  return left < right ? -1 : 1
}

export function ambiguousTaskError(
  task: string,
  found: readonly Pick<SidechainOrigin, 'taskId' | 'parentSessionId'>[],
): SessionError {
  const shown = found
    .slice(0, CANDIDATES_SHOWN)
    .map(({ taskId, parentSessionId }) => `${taskId} of ${parentSessionId ?? 'no session'}`)
  const what = `"${task}" matches ${found.length} subagents: ${shown.join(', ')}`
  return new SessionError('ERR_AMBIGUOUS', what, { task, count: found.length })
}

function notFoundError({ layout }: StoreContext, task: string, session?: string): SessionError {
  const { sidechains } = layout
  const whose = session === undefined ? '' : ` of session "${session}"`
  const what = `No subagent "${task}"${whose} in ${sidechains}`
  return new SessionError('ERR_NOT_FOUND', what, { task, session, searched: sidechains })
}
