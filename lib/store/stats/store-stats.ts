// Counts what is in a store, by session, project, day or type. Read from the logs each time.

import { isSessionError, SessionError } from '../../errors.js'
import { listHeaders, type SessionHeader } from '../catalog/list-sessions.js'
import type { Unreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { loadPrices } from '../cost/prices.js'
import { EventFilter } from '../grep/filter.js'
import { Pauses } from '../pauses.js'
import { listSidechains } from '../sidechains/list-sidechains.js'
import {
  Counting,
  type ModelStats,
  type StatsGroup,
  type StatsGrouping,
  type Tally,
  type ToolStats,
} from './counting.js'

const GROUPINGS: readonly string[] = ['session', 'project', 'day', 'type', 'model', 'tool']

export interface StoreStatsOptions {
  /**
   * Only sessions of this project.
   *
   * @default every project
   */
  project?: string | undefined

  /**
   * What to group by. By `model` only replies count, by `tool` only calls and results.
   *
   * @default 'session'
   */
  by?: StatsGrouping | undefined

  /**
   * Only events of this time or later.
   *
   * @default the beginning
   */
  since?: string | undefined

  /**
   * Only events before this time.
   *
   * @default the end
   */
  until?: string | undefined

  /**
   * A JSON file with prices that take precedence over those of the package `genai-prices`.
   *
   * @default none
   */
  pricesFile?: string | undefined

  /**
   * Aborts the call.
   *
   * @default none
   */
  signal?: AbortSignal | undefined
}

/** Counts of a store. */
export interface StoreStats {
  /** Sessions with their subagents. */
  readonly total: Tally & { readonly sessions: number; readonly files: number }
  readonly by: StatsGrouping
  /** The largest first; days in their order. */
  readonly groups: readonly StatsGroup[]
  /** The most used first. */
  readonly tools: readonly ToolStats[]
  /** The one with the most tokens first. */
  readonly models: readonly ModelStats[]
  readonly skipped: readonly Unreadable[]
}

export async function storeStats(
  store: StoreContext,
  { project, by = 'session', since, until, pricesFile, signal }: StoreStatsOptions = {},
): Promise<StoreStats> {
  if (!GROUPINGS.includes(by)) {
    throw new SessionError('ERR_ARG', `by must be one of ${GROUPINGS.join(', ')}, not "${by}"`, {
      by,
    })
  }
  const { files, sessions, skipped } = listStatsFiles(store, project)
  const filter = new EventFilter({ since, until })
  const prices = await loadPrices(store, { file: pricesFile })
  const count = new Counting(store, { by, filter, prices })
  const pauses = new Pauses(store.env)
  const unread: Unreadable[] = [...skipped]
  let fileCount = 0
  for (const [index, file] of files.entries()) {
    signal?.throwIfAborted()
    if (file.sessionId !== files[index - 1]?.sessionId) count.endSession()
    try {
      count.addFile(file)
      fileCount++
    } catch (error) {
      if (!isSessionError(error)) throw error
      // A missing file was removed meanwhile.
      if (error.code !== 'ERR_NOT_FOUND') unread.push({ path: file.path, reason: error.message })
    }
    await pauses.pause()
  }
  count.endSession()
  const total = { ...count.total, sessions: sessions.length, files: fileCount }
  const [groups, tools, models] = [count.groups(), count.tools(), count.models()]
  return { total, by, groups, tools, models, skipped: unread }
}

export interface StatsFile {
  readonly path: string
  readonly sessionId: string
  readonly project: string | null
  /** The last event that was copied from another session; `undefined` if it is not a fork. */
  readonly copiedTo: string | undefined
  /** The first session of a chain of forks; `undefined` if it has no forks. */
  readonly family: string | undefined
}

export interface StatsFiles {
  readonly files: readonly StatsFile[]
  readonly sessions: readonly SessionHeader[]
  readonly skipped: readonly Unreadable[]
}

export function listStatsFiles(store: StoreContext, project: string | undefined): StatsFiles {
  const { sessions, skipped } = listHeaders(store, { project })
  const byId = new Map(sessions.map((session) => [session.sessionId, session]))
  const children = listSidechains(store)
  const files = bySession([
    ...toFiles(sessions, byId),
    ...children.sidechains.flatMap(({ path, parentSessionId, taskId }) => {
      const parent = parentSessionId === null ? undefined : byId.get(parentSessionId)
      if (parent === undefined && project !== undefined) return []
      const sessionId = parentSessionId ?? taskId
      const owner = parent?.projectNormalized ?? parent?.project ?? null
      return [{ path, sessionId, project: owner, copiedTo: undefined, family: undefined }]
    }),
  ])
  return { files, sessions, skipped: [...skipped, ...children.skipped] }
}

/** The files of a session one after the other, in the order of the first of each. */
function bySession(files: readonly StatsFile[]): StatsFile[] {
  const sessions = new Map<string, StatsFile[]>()
  for (const file of files) {
    const own = sessions.get(file.sessionId)
    if (own === undefined) sessions.set(file.sessionId, [file])
    else own.push(file)
  }
  return [...sessions.values()].flat()
}

type ById = ReadonlyMap<string, SessionHeader>

/** Sources before their forks. */
function toFiles(sessions: readonly SessionHeader[], byId: ById): StatsFile[] {
  const sorted = sessions
    .map((session) => ({ session, ancestors: findAncestors(session, byId) }))
    .sort(
      (one, other) =>
        one.ancestors.length - other.ancestors.length ||
        (one.session.path < other.session.path ? -1 : 1),
    )
  const forked = new Set(sorted.flatMap(({ ancestors }) => ancestors.at(-1) ?? []))
  return sorted.map(({ session, ancestors }) => {
    const { path, sessionId, projectNormalized, project, forkedFrom } = session
    const first = ancestors.at(-1) ?? sessionId
    return {
      path,
      sessionId,
      project: projectNormalized ?? project,
      copiedTo: forkedFrom?.atUuid ?? undefined,
      family: forked.has(first) ? first : undefined,
    }
  })
}

/** The sessions it was forked from, nearest first; the last may be missing. */
function findAncestors(session: SessionHeader, byId: ById): string[] {
  const ids: string[] = []
  let from = session.forkedFrom
  while (from !== null && !ids.includes(from.sessionId)) {
    ids.push(from.sessionId)
    from = byId.get(from.sessionId)?.forkedFrom ?? null
  }
  return ids
}
