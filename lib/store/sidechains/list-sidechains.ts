// The subagents of a store. Files are read one by one, so an unreadable one hides no other.

import { basename, join } from 'node:path'
import { SessionError } from '../../errors.js'
import { fileNameOf, normalizeSessionKey } from '../../format/index.js'
import { GONE, isUnreadable, type Unreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { listLogNames } from '../list-logs.js'
import { CANDIDATES_SHOWN, PREFIX_CHARS_MIN } from '../transcripts.js'
import { ownershipFilter } from './ownership.js'
import {
  readOrigin,
  readSidechainInfo,
  type SidechainInfo,
  type SidechainOrigin,
} from './sidechain-info.js'

export interface ListSidechainsOptions {
  /**
   * Only those of this session, by its id or the beginning of it. Those of a fork are also the
   * ones that its source had spawned by then.
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
  const { found, skipped } = select(store, pathsIn(store), session)
  const sidechains: SidechainInfo[] = []
  for (const { path } of found) {
    const digest = readSidechainInfo(store, path)
    if (!isUnreadable(digest)) sidechains.push(digest)
    else if (digest.reason !== GONE) skipped.push(digest)
  }
  return { sidechains: sidechains.sort(byStart), skipped }
}

/** A subagent, by its task's id or by four or more letters that only it begins with. */
export function findSidechain(
  store: StoreContext,
  task: string,
  { session }: ListSidechainsOptions = {},
): SidechainInfo {
  const wanted = normalizeSessionKey(task, 'A task id')
  const prefix = fileNameOf(wanted)
  const named = pathsIn(store).filter((path) => basename(path).startsWith(prefix))
  const { found } = select(store, named, session)
  const exact = found.filter(({ taskId }) => taskId === wanted)
  const isPrefix = wanted.length >= PREFIX_CHARS_MIN
  const meant = exact.length > 0 || !isPrefix ? exact : found
  if (meant.length > 1) throw ambiguousError(task, meant)
  const digest = meant[0] && readSidechainInfo(store, meant[0].path)
  if (digest === undefined || isUnreadable(digest)) throw notFoundError(store, task, session)
  return digest
}

type Located = SidechainOrigin & { readonly path: string }

function select(
  store: StoreContext,
  paths: readonly string[],
  session: string | undefined,
): { found: Located[]; skipped: Unreadable[] } {
  const origins: Located[] = []
  const skipped: Unreadable[] = []
  for (const path of paths) {
    const origin = readOrigin(store, path)
    if (!isUnreadable(origin)) origins.push({ ...origin, path })
    else if (origin.reason !== GONE) skipped.push(origin)
  }
  if (session === undefined) return { found: origins, skipped }
  const isOfFamily = ownershipFilter(store, session, origins)
  for (const { path, parentSessionId } of origins) {
    if (parentSessionId === null) skipped.push({ path, reason: 'it names no session' })
  }
  return { found: origins.filter(isOfFamily), skipped }
}

function pathsIn(store: StoreContext): string[] {
  const { sidechains } = store.layout
  return listLogNames(store, sidechains).map((name) => join(sidechains, name))
}

function byStart(one: SidechainInfo, other: SidechainInfo): number {
  const left = `${one.startedAt ?? ''} ${one.path}`
  const right = `${other.startedAt ?? ''} ${other.path}`
  return left < right ? -1 : 1
}

function ambiguousError(task: string, found: readonly SidechainOrigin[]): SessionError {
  const shown = found
    .slice(0, CANDIDATES_SHOWN)
    .map(({ taskId, parentSessionId }) => `${taskId} of ${parentSessionId ?? 'no session'}`)
  const what = `"${task}" fits ${found.length} subagents: ${shown.join(', ')}`
  return new SessionError('ERR_AMBIGUOUS', what, { task, count: found.length })
}

function notFoundError({ layout }: StoreContext, task: string, session?: string): SessionError {
  const { sidechains } = layout
  const whose = session === undefined ? '' : ` of session "${session}"`
  const what = `No subagent "${task}"${whose} in ${sidechains}`
  return new SessionError('ERR_NOT_FOUND', what, { task, session, searched: sidechains })
}
