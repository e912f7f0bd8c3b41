// What a store holds, counted: by session, project, day or type. Derived from the logs each time.

import { isSessionError, SessionError } from '../errors.js'
import { EventFilter } from './grep-filter.js'
import type { StoreOptions } from './layout.js'
import type { Skipped } from './session-digest.js'
import { Counting, type StatsGroup, type StatsGrouping, type ToolStats } from './stats-counting.js'
import { listStatsFiles } from './stats-files.js'
import type { Tally } from './tally.js'

const GROUPINGS: readonly string[] = ['session', 'project', 'day', 'type']

export interface StoreStatsOptions extends StoreOptions {
  /**
   * Only sessions of this project.
   *
   * @default every project
   */
  project?: string | undefined

  /** @default 'session' */
  by?: StatsGrouping | undefined

  /** Only events of this time or later. */
  since?: string | undefined

  /** Only events before this time. */
  until?: string | undefined

  signal?: AbortSignal | undefined
}

export interface StoreStats {
  /** Sessions with their subagents. */
  readonly total: Tally & { readonly sessions: number; readonly files: number }
  readonly by: StatsGrouping
  /** The largest first; days in their order. */
  readonly groups: readonly StatsGroup[]
  /** The most used first. */
  readonly tools: readonly ToolStats[]
  readonly skipped: readonly Skipped[]
}

export async function storeStats(options: StoreStatsOptions = {}): Promise<StoreStats> {
  const { by = 'session', signal } = options
  if (!GROUPINGS.includes(by)) {
    throw new SessionError('ERR_ARG', `by is ${GROUPINGS.join(', ')}, not "${by}"`, { by })
  }
  const { files, sessions, skipped } = listStatsFiles(options)
  const count = new Counting(by, new EventFilter(options))
  const unread: Skipped[] = [...skipped]
  let fileCount = 0
  for (const file of files) {
    signal?.throwIfAborted()
    try {
      count.addFile(file)
      fileCount++
    } catch (error) {
      if (!isSessionError(error)) throw error
      // A session that went away meanwhile is none.
      if (error.code !== 'ERR_NOT_FOUND') unread.push({ path: file.path, reason: error.message })
    }
    // Others may run between two files.
    await undefined
  }
  const total = { ...count.total, sessions: sessions.length, files: fileCount }
  return { total, by, groups: count.groups(), tools: count.tools(), skipped: unread }
}
