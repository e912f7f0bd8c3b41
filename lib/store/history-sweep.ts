// Old files of the history go, whole, and only here: all but the live one and the one before it,
// and that one too when all its prompts are older than what is to be kept. The live file stays as
// it is.

import { rmSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { toSessionError } from '../errors.js'
import { type LockedLogOptions, readLogSync, withLockedLog } from '../log/index.js'
import { historyEntryOf } from './history-entry.js'
import { rolloverNumbers, rolloverPath } from './history-files.js'
import { nowOf, type RetentionOptions, retainedSince } from './history-options.js'
import { markSwept } from './history-sweep-marker.js'
import { layoutOf } from './layout.js'

export interface SweepHistoryOptions extends RetentionOptions {
  /**
   * Remove the files; without it they are only named.
   *
   * @default false
   */
  apply?: boolean | undefined
  lockTimeoutMs?: LockedLogOptions['lockTimeoutMs']
  useKernelLock?: LockedLogOptions['useKernelLock']
}

export interface SweptFile {
  readonly file: string
  readonly bytes: number
  /** `rollover`: a newer one is there. `retention`: all its prompts are too old. */
  readonly reason: 'rollover' | 'retention'
}

export interface HistorySweep {
  readonly isApplied: boolean
  /** What goes, or went, newest first. */
  readonly files: readonly SweptFile[]
}

/** A plan, or with `apply` what was done. */
export async function sweepHistory(options: SweepHistoryOptions = {}): Promise<HistorySweep> {
  if (options.apply !== true) return { isApplied: false, files: filesToSweep(options) }
  return (await sweepWhen(() => true, options)) ?? { isApplied: true, files: [] }
}

/** Asks under the lock, so that of two processes one sweeps; `undefined` when nothing was to go. */
export async function sweepWhen(
  isDue: () => boolean,
  options: SweepHistoryOptions,
): Promise<HistorySweep | undefined> {
  const { historyPath, historySweepPath } = layoutOf(options)
  // Asked before locking, which would create the live file.
  if (!isDue() || filesToSweep(options).length === 0) return undefined
  const { onDiagnostic, environment, lockTimeoutMs, useKernelLock } = options
  const logOptions = { onDiagnostic, environment, lockTimeoutMs, useKernelLock }
  return withLockedLog(historyPath, logOptions, () => {
    if (!isDue()) return undefined
    const files = filesToSweep({ ...options, onDiagnostic: undefined })
    // The oldest first: whenever this ends early, what is left has no gap.
    for (const { file } of files.toReversed()) remove(file)
    markSwept(
      historySweepPath,
      new Date(nowOf(options)).toISOString(),
      files.map(({ file }) => basename(file)),
    )
    return { isApplied: true, files }
  })
}

function filesToSweep(options: SweepHistoryOptions): SweptFile[] {
  const { historyPath } = layoutOf(options)
  const since = retainedSince(options)
  return rolloverNumbers(historyPath).flatMap((number, index) => {
    const file = rolloverPath(historyPath, number)
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats?.isFile() !== true) return []
    const bytes = stats.size
    if (index > 0) return { file, bytes, reason: 'rollover' as const }
    const isOld = since !== undefined && newestTime(file) < since
    return isOld ? { file, bytes, reason: 'retention' as const } : []
  })
}

// All of its times and not only the last: a clock that was set back must not cost the others. A
// file that tells none at all is kept.
function newestTime(file: string): number {
  let newest = Number.NEGATIVE_INFINITY
  for (const entry of readLogSync(file, { isBare: true })) {
    const time = Date.parse(historyEntryOf(entry, file)?.ts ?? '')
    if (time > newest) newest = time
  }
  return newest === Number.NEGATIVE_INFINITY ? Number.POSITIVE_INFINITY : newest
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch (cause) {
    throw toSessionError(cause, 'remove', file)
  }
}
