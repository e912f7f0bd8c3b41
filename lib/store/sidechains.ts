// The subagents of a store: which there are, whose they are, and which one somebody means. Files
// are looked into one by one, so a bad one hides no other.

import { basename, join } from 'node:path'
import { SessionError } from '../errors.js'
import { fileNameOf, normalizeSessionKey } from '../format/index.js'
import { type Layout, layoutOf, type StoreOptions } from './layout.js'
import { logNamesIn } from './log-names.js'
import { isSkipped, type Skipped } from './session-digest.js'
import { GONE } from './session-digest-file.js'
import {
  digestSidechain,
  readOrigin,
  type SidechainDigest,
  type SidechainOrigin,
} from './sidechain-digest.js'
import { familyOf } from './sidechain-family.js'
import { CANDIDATES_SHOWN, PREFIX_CHARS_MIN } from './transcripts.js'

export interface ListSidechainsOptions extends StoreOptions {
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
  readonly sidechains: SidechainDigest[]
  /** What lies beside them and could not be looked into, or does not tell whose it is. */
  readonly skipped: Skipped[]
}

export function listSidechains({ session, ...store }: ListSidechainsOptions = {}): SidechainList {
  const { found, skipped } = select(pathsIn(layoutOf(store)), session, store)
  const sidechains: SidechainDigest[] = []
  for (const { path } of found) {
    const digest = digestSidechain(path)
    if (!isSkipped(digest)) sidechains.push(digest)
    else if (digest.reason !== GONE) skipped.push(digest)
  }
  return { sidechains: sidechains.sort(byStart), skipped }
}

/** A subagent, by its task's id or by four or more letters that only it begins with. */
export function findSidechain(
  task: string,
  { session, ...store }: ListSidechainsOptions = {},
): SidechainDigest {
  const layout = layoutOf(store)
  const wanted = normalizeSessionKey(task, 'A task id')
  const prefix = fileNameOf(wanted)
  const named = pathsIn(layout).filter((path) => basename(path).startsWith(prefix))
  const { found } = select(named, session, store)
  const exact = found.filter(({ task_id }) => task_id === wanted)
  const isPrefix = wanted.length >= PREFIX_CHARS_MIN
  const meant = exact.length > 0 || !isPrefix ? exact : found
  if (meant.length > 1) throw ambiguousError(task, meant)
  const digest = meant[0] && digestSidechain(meant[0].path)
  if (digest === undefined || isSkipped(digest)) throw notFoundError(task, layout, session)
  return digest
}

type Located = SidechainOrigin & { readonly path: string }

function select(
  paths: readonly string[],
  session: string | undefined,
  store: StoreOptions,
): { found: Located[]; skipped: Skipped[] } {
  const origins: Located[] = []
  const skipped: Skipped[] = []
  for (const path of paths) {
    const origin = readOrigin(path)
    if (!isSkipped(origin)) origins.push({ ...origin, path })
    else if (origin.reason !== GONE) skipped.push(origin)
  }
  if (session === undefined) return { found: origins, skipped }
  const isOfFamily = familyOf(session, store, origins)
  for (const { path, parent_session_id } of origins) {
    if (parent_session_id === null) skipped.push({ path, reason: 'it does not tell whose it is' })
  }
  return { found: origins.filter(isOfFamily), skipped }
}

function pathsIn({ sidechains }: Layout): string[] {
  return logNamesIn(sidechains).map((name) => join(sidechains, name))
}

function byStart(one: SidechainDigest, other: SidechainDigest): number {
  const left = `${one.startedAt ?? ''} ${one.path}`
  const right = `${other.startedAt ?? ''} ${other.path}`
  return left < right ? -1 : 1
}

function ambiguousError(task: string, found: readonly SidechainOrigin[]): SessionError {
  const shown = found
    .slice(0, CANDIDATES_SHOWN)
    .map(({ task_id, parent_session_id }) => `${task_id} of ${parent_session_id ?? 'nobody'}`)
  const what = `"${task}" fits ${found.length} subagents: ${shown.join(', ')}`
  return new SessionError('ERR_AMBIGUOUS', what, { task, count: found.length })
}

function notFoundError(task: string, { sidechains }: Layout, session?: string): SessionError {
  const whose = session === undefined ? '' : ` of session "${session}"`
  const what = `No subagent "${task}"${whose} in ${sidechains}`
  return new SessionError('ERR_NOT_FOUND', what, { task, session, searched: sidechains })
}
