// Removes old files of the history: all rotated files but the newest, and that one too when all its
// prompts are older than what is kept. The live file is never changed.

import { basename } from 'node:path'
import { toIso } from '../../environment/index.js'
import { isSessionError, toSessionError } from '../../errors.js'
import { readLogSync, withLockedLog, writeSmallFileAtomic } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { parseHistoryEntry, rolloverNumbers, rolloverPath } from './files.js'
import { type HistoryRetentionOptions, retainedSince } from './retention.js'

export interface SweepHistoryOptions extends HistoryRetentionOptions {
  /**
   * Remove the files; otherwise only list them.
   *
   * @default false
   */
  apply?: boolean | undefined
}

export interface SweptFile {
  readonly file: string
  readonly bytes: number
  /** `rollover`: there is a newer one. `retention`: all its prompts are too old. */
  readonly reason: 'rollover' | 'retention'
}

export interface HistorySweep {
  readonly applied: boolean
  /** The files to remove, or removed, newest first. */
  readonly files: readonly SweptFile[]
}

/** A plan, or with `apply` what was done. */
export async function sweepHistory(
  store: StoreContext,
  { apply = false, ...retention }: SweepHistoryOptions = {},
): Promise<HistorySweep> {
  if (!apply) return { applied: false, files: planSweep(store, retainedSince(store, retention)) }
  return (await sweepWhen(store, () => true, retention)) ?? { applied: true, files: [] }
}

/** Sweeps once a month; `null` when there is nothing to sweep, or it was done this month. */
export async function sweepHistoryMonthly(
  store: StoreContext,
  options: HistoryRetentionOptions = {},
): Promise<HistorySweep | null> {
  const month = (time: string | undefined) => time?.slice(0, 7)
  const now = toIso(store.env.now())
  const isDue = () => month(readSweepTime(store)) !== month(now)
  return (await sweepWhen(store, isDue, options)) ?? null
}

/** Checks again under the lock, so that only one of two processes sweeps. */
async function sweepWhen(
  store: StoreContext,
  isDue: () => boolean,
  options: HistoryRetentionOptions,
): Promise<HistorySweep | undefined> {
  const { historyPath, historySweepPath } = store.layout
  const since = retainedSince(store, options)
  // Checked before locking, which would create the live file.
  if (!isDue() || planSweep(store, since).length === 0) return undefined
  return withLockedLog(historyPath, store.logOptions, () => {
    if (!isDue()) return undefined
    const files = planSweep(store, since)
    // The oldest first: an interrupted sweep leaves no gap.
    for (const { file } of files.toReversed()) removeFile(store, file)
    const removed = files.map(({ file }) => basename(file))
    const marker = { swept_at: toIso(store.env.now()), removed }
    writeSmallFileAtomic(historySweepPath, `${JSON.stringify(marker)}\n`, store.env)
    return { applied: true, files }
  })
}

function planSweep(store: StoreContext, since: number | undefined): SweptFile[] {
  return rolloverNumbers(store).flatMap((number, index) => {
    const file = rolloverPath(store.layout.historyPath, number)
    const stats = store.env.fs.statSync(file, { throwIfNoEntry: false })
    if (stats?.isFile() !== true) return []
    const bytes = stats.size
    if (index > 0) return { file, bytes, reason: 'rollover' as const }
    const isOld = since !== undefined && findNewestTime(store, file) < since
    return isOld ? { file, bytes, reason: 'retention' as const } : []
  })
}

// Looks at all times, not only the last: after a clock was set back, the last is not the newest. A
// file without any time is kept.
function findNewestTime({ env }: StoreContext, file: string): number {
  let newest = Number.NEGATIVE_INFINITY
  for (const entry of readLogSync(file, { bare: true, environment: env })) {
    const time = Date.parse(parseHistoryEntry(entry, file)?.ts ?? '')
    if (time > newest) newest = time
  }
  return newest === Number.NEGATIVE_INFINITY ? Number.POSITIVE_INFINITY : newest
}

function removeFile({ env }: StoreContext, file: string): void {
  try {
    env.fs.rmSync(file, { force: true })
  } catch (cause) {
    throw toSessionError(cause, 'remove', file)
  }
}

/** When the history was last swept. If the marker is lost, the next sweep only comes sooner. */
function readSweepTime({ layout, env }: StoreContext): string | undefined {
  try {
    for (const entry of readLogSync(layout.historySweepPath, { bare: true, environment: env })) {
      if (entry.kind !== 'event') return undefined
      const { swept_at } = entry.event as unknown as { swept_at?: unknown }
      return typeof swept_at === 'string' ? swept_at : undefined
    }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
  }
  return undefined
}
