// The live history becomes `history.jsonl.1`, and every older file gets the next number. Files are
// renamed and never copied, so not a byte of them changes.

import { renameSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { toSessionError } from '../errors.js'
import { type LockedLogOptions, withLockedLog } from '../log/index.js'
import { syncFolder } from '../log/inside.js'
import { firstFreeNumber, rolloverPath } from './history-files.js'
import type { HistoryOptions } from './history-options.js'
import { layoutOf } from './layout.js'

/**
 * Only under the lock of the live file, which stays with it: so whoever calls this must let go
 * and acquire again. The live file moves last, and from then on others may write to a new one.
 *
 * A process that dies in between leaves a number free, and the next rotation fills it: the order
 * of the files is the same at every moment.
 */
export function moveUp(livePath: string): void {
  try {
    for (let number = firstFreeNumber(livePath); number > 0; number--) {
      renameSync(rolloverPath(livePath, number - 1), rolloverPath(livePath, number))
    }
  } catch (cause) {
    throw toSessionError(cause, 'rotate', livePath)
  }
}

export interface RotateHistoryOptions extends HistoryOptions {
  lockTimeoutMs?: LockedLogOptions['lockTimeoutMs']
  useKernelLock?: LockedLogOptions['useKernelLock']
}

export interface HistoryRotation {
  /** False when there was nothing to rotate. */
  readonly rotated: boolean
  /** What the live file is called now. */
  readonly file: string | null
}

/** Rotates now, however short the live file is. */
export async function rotateHistory(options: RotateHistoryOptions = {}): Promise<HistoryRotation> {
  const { historyPath } = layoutOf(options)
  const { onDiagnostic, environment, lockTimeoutMs, useKernelLock } = options
  const logOptions = { onDiagnostic, environment, lockTimeoutMs, useKernelLock }
  // Asked before locking, which would create it.
  if (await isMissing(historyPath)) return { rotated: false, file: null }
  const rotated = await withLockedLog(historyPath, logOptions, ({ size }) => {
    if (size > 0) moveUp(historyPath)
    return size > 0
  })
  if (rotated) syncFolder(historyPath)
  return { rotated, file: rotated ? rolloverPath(historyPath, 1) : null }
}

async function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    () => true,
  )
}
