// Everything around a session: the branches of its log, the sessions it came from, those that came from
// it, and its subagents.

import { type LogTree, treeOf } from '../../chain/index.js'
import { isSessionError } from '../../errors.js'
import { endOfLines, readOffsets } from '../../log/internal.js'
import type { Redactor } from '../../redaction/index.js'
import { listHeaders } from '../catalog/list-sessions.js'
import { isUnreadable, readSessionInfo, type SessionInfo } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { sumTokens } from '../cost/usage.js'
import { readSubagentFigures } from '../figures/session-figures.js'
import { listSidechains } from '../sidechains/list-sidechains.js'
import type { SidechainStatus } from '../sidechains/sidechain-info.js'
import { findTranscript } from '../transcripts.js'
import { titleOf } from './outline.js'

/** A session that another one continues, or that continues it. */
export interface Relative {
  readonly sessionId: string
  readonly title: string | null
  readonly kind: 'fork' | 'resume'
  /** The event at which they part. */
  readonly atUuid: string | null
}

export interface SubagentRow {
  readonly taskId: string
  /** The event that spawned it, in the log of the session or of the subagent `parentTaskId`. */
  readonly spawnUuid: string | null
  readonly parentTaskId: string | null
  readonly agentType: string | null
  /** The first words of its prompt. */
  readonly title: string | null
  readonly status: SidechainStatus
  readonly tokens: number | null
  readonly costMicroUsd: number | null
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly bytes: number
}

export interface SessionSurroundings extends LogTree {
  readonly sessionId: string
  readonly tip: string | null
  /** The nearest first; a session that is not in the store any more ends the list. */
  readonly ancestors: readonly Relative[]
  /** By name. */
  readonly descendants: readonly Relative[]
  /** In the order in which they were started, with those that they started. */
  readonly subagents: readonly SubagentRow[]
}

const ANCESTORS_MAX = 1000

/** Memory goes by the number of events and not by the bytes of the log. */
export function readSurroundings(
  store: StoreContext,
  session: string,
  { redactor }: { redactor?: Redactor | undefined } = {},
): SessionSurroundings {
  const path = findTranscript(store, session)
  const { env } = store
  const entries = readOffsets(path, { to: endOfLines(path, env) }, env)
  const tree = treeOf(entries.flatMap((entry) => (entry.kind === 'event' ? [entry] : [])))
  const shown = (title: string | null) => (title === null ? null : titleOf(title, redactor))
  const info = readSessionInfo(store, path)
  const sessionId = isUnreadable(info) ? session : info.sessionId
  return {
    sessionId,
    tip: tree.branches.find(({ active }) => active)?.lastUuid ?? null,
    ...tree,
    ancestors: isUnreadable(info) ? [] : listAncestors(store, info).map(withShownTitle),
    descendants: listDescendants(store, sessionId).map(withShownTitle),
    subagents: listSubagents(store, session, shown),
  }

  function withShownTitle(relative: Relative): Relative {
    return { ...relative, title: shown(relative.title) }
  }
}

/** The same, with the cost of each subagent, counted from its log. */
export async function readSurroundingsWithCosts(
  store: StoreContext,
  session: string,
  options: { redactor?: Redactor | undefined } = {},
): Promise<SessionSurroundings> {
  const surroundings = readSurroundings(store, session, options)
  if (surroundings.subagents.length === 0) return surroundings
  const { sidechains } = listSidechains(store, { session })
  const pathOf = new Map(sidechains.map(({ taskId, path }) => [taskId, path]))
  const figures = await readSubagentFigures(store, [...pathOf.values()])
  const subagents = surroundings.subagents.map((row) => {
    const found = figures.get(pathOf.get(row.taskId) ?? '')
    if (found === undefined) return row
    const { microDollars, unpricedTokens } = found.cost
    // A price that is not known is not a price of nothing.
    const costMicroUsd = microDollars > 0 || unpricedTokens === 0 ? microDollars : null
    return { ...row, tokens: sumTokens(found.tokens), costMicroUsd }
  })
  return { ...surroundings, subagents }
}

function listAncestors(store: StoreContext, session: SessionInfo): Relative[] {
  const ancestors: Relative[] = []
  const seen = new Set([session.sessionId])
  let child = session
  while (ancestors.length < ANCESTORS_MAX) {
    const parent = parentOf(child)
    if (parent === undefined || seen.has(parent.sessionId)) break
    seen.add(parent.sessionId)
    const found = infoOf(store, parent.sessionId)
    ancestors.push({ ...parent, title: found?.title ?? null })
    if (found === undefined) break
    child = found
  }
  return ancestors
}

function listDescendants(store: StoreContext, sessionId: string): Relative[] {
  return listHeaders(store).sessions.flatMap((header) => {
    const parent = parentOf(header)
    if (parent?.sessionId !== sessionId || header.sessionId === sessionId) return []
    const { kind, atUuid } = parent
    const title = infoOf(store, header.sessionId)?.title ?? null
    return [{ sessionId: header.sessionId, title, kind, atUuid }]
  })
}

function parentOf({
  forkedFrom,
  resumedFrom,
}: Pick<SessionInfo, 'forkedFrom' | 'resumedFrom'>): Omit<Relative, 'title'> | undefined {
  if (forkedFrom !== null) return { ...forkedFrom, kind: 'fork' }
  if (resumedFrom === null) return undefined
  return { sessionId: resumedFrom.sessionId, atUuid: resumedFrom.tipUuid, kind: 'resume' }
}

/** `undefined` where the session is gone, or its name is none. */
function infoOf(store: StoreContext, sessionId: string): SessionInfo | undefined {
  let path: string
  try {
    path = findTranscript(store, sessionId)
  } catch (error) {
    if (isSessionError(error, 'ERR_NOT_FOUND') || isSessionError(error, 'ERR_ARG')) return undefined
    throw error
  }
  const info = readSessionInfo(store, path)
  return isUnreadable(info) ? undefined : info
}

function listSubagents(
  store: StoreContext,
  session: string,
  shown: (title: string | null) => string | null,
): SubagentRow[] {
  return listSidechains(store, { session }).sidechains.map((one) => ({
    taskId: one.taskId,
    spawnUuid: one.parentUuid,
    parentTaskId: one.parentTaskId,
    agentType: one.agentType,
    title: shown(one.prompt),
    status: one.status,
    tokens: one.tokens,
    costMicroUsd: null,
    startedAt: one.startedAt,
    endedAt: one.endedAt,
    bytes: one.bytes,
  }))
}
