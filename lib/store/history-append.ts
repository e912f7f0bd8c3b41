// A prompt into the one history of this user, from any number of processes at once.

import { isSessionError } from '../errors.js'
import { checkTime, checkUuid, diagnostic, normalizeSessionKey } from '../format/index.js'
import { type LockedLog, type LogOptions, withLockedLog } from '../log/index.js'
import { syncFolder } from '../log/inside.js'
import { countLines } from './history-count.js'
import { findRecorded } from './history-duplicate.js'
import { rolloverPath } from './history-files.js'
import { type HistoryOptions, nowOf } from './history-options.js'
import { moveUp } from './history-rotation.js'
import { layoutOf } from './layout.js'
import { normalizeProject } from './project.js'

/** The live file is rotated before the next prompt once it has one of these. */
export const HISTORY_LIMITS = { bytes: 10 * 1024 * 1024, entries: 10_000 } as const

const NEAR_SHARE = 0.8

export interface AppendHistoryOptions extends HistoryOptions {
  /** The directory the user works in, in any spelling. */
  project?: string | undefined
  /** The event of the transcript that says the same; it is recorded once, however often it is tried. */
  event_uuid?: string | undefined
  /** @default the time of writing */
  ts?: string | undefined
  /**
   * Begin a new file when the live one is full.
   *
   * @default true
   */
  rotate?: boolean | undefined
  /**
   * Tell the physical line in the receipt, which a process must count once.
   *
   * @default true
   */
  lineNumbers?: boolean | undefined
  durability?: LogOptions['durability']
  lockTimeoutMs?: LogOptions['lockTimeoutMs']
  useKernelLock?: LogOptions['useKernelLock']
  /** Only for tests. */
  limits?: { readonly bytes?: number; readonly entries?: number } | undefined
}

export interface HistoryReceipt {
  /** Where the line starts in its file. */
  readonly offset: number
  readonly file: string
  /** Physical line, from 1; absent when line numbers were not asked for. */
  readonly line_number?: number
  /** The prompt of this event was recorded already; nothing was written. */
  readonly duplicate?: true
}

/**
 * Records a prompt and tells where it stands; `null` for a blank one, which is not recorded. A
 * prompt whose `event_uuid` stands in the last 64 KiB of the history is not written again.
 */
export async function append_history(
  prompt: string,
  session_id: string,
  options: AppendHistoryOptions = {},
): Promise<HistoryReceipt | null> {
  if (typeof prompt !== 'string') throw new TypeError('A prompt must be a string')
  const line = lineOf(prompt, session_id, options)
  if (prompt.trim() === '') return null
  const { historyPath } = layoutOf(options)
  const { onDiagnostic, environment, durability, lockTimeoutMs, useKernelLock } = options
  const logOptions = { onDiagnostic, environment, durability, lockTimeoutMs, useKernelLock }
  for (;;) {
    const receipt = await withLockedLog(historyPath, logOptions, (log) =>
      record(log, line, options),
    )
    if (receipt !== 'rotated') return receipt
    // The lock stayed with the old file: begin again with the new one.
    syncFolder(historyPath)
  }
}

interface Line {
  readonly ts: string
  readonly prompt: string
  readonly session_id: string
  readonly project?: string
  readonly event_uuid?: string
}

function lineOf(prompt: string, sessionId: string, options: AppendHistoryOptions): Line {
  const { project, event_uuid, ts = new Date(nowOf(options)).toISOString() } = options
  checkTime(ts)
  if (event_uuid !== undefined) checkUuid(event_uuid, 'event_uuid')
  return {
    ts,
    prompt,
    session_id: normalizeSessionKey(sessionId),
    ...(project !== undefined && { project: normalizeProject(project) }),
    ...(event_uuid !== undefined && { event_uuid }),
  }
}

/** One step under the lock. */
function record(
  log: LockedLog,
  line: Line,
  options: AppendHistoryOptions,
): HistoryReceipt | 'rotated' {
  const { lineNumbers = true, rotate = true } = options
  const recorded = line.event_uuid === undefined ? undefined : findRecorded(log, line.event_uuid)
  if (recorded !== undefined) return { ...recorded, duplicate: true }
  const limits = { ...HISTORY_LIMITS, ...options.limits }
  if (rotate && isFull(log, limits) && rotateOrReport(log)) return 'rotated'
  const offset = log.append(line)
  const receipt: HistoryReceipt = { offset, file: log.path }
  // A history that is never rotated may be too long to be counted in passing.
  const isCounted = rotate || lineNumbers
  const line_number = isCounted ? countLines(log, offset) + 1 : undefined
  warnWhenNear(log, limits, { lines: isCounted ? countLines(log, log.size) : 0, rotate })
  return lineNumbers ? { ...receipt, line_number: line_number! } : receipt
}

interface Limits {
  readonly bytes: number
  readonly entries: number
}

function isFull(log: LockedLog, { bytes, entries }: Limits): boolean {
  if (log.size === 0) return false
  return log.size >= bytes || countLines(log, log.size) >= entries
}

// The prompt matters more than the size of its file.
function rotateOrReport(log: LockedLog): boolean {
  try {
    moveUp(log.path)
    return true
  } catch (error) {
    if (!isSessionError(error)) throw error
    log.report(diagnostic('history_not_rotated', error.message, { file: log.path }))
    return false
  }
}

const warnedPaths = new Set<string>()

function warnWhenNear(
  { path, size, report }: LockedLog,
  { bytes, entries }: Limits,
  { lines, rotate }: { lines: number; rotate: boolean },
): void {
  const isNear = size >= NEAR_SHARE * bytes || lines >= NEAR_SHARE * entries
  if (!isNear || warnedPaths.has(path)) return
  warnedPaths.add(path)
  const then = rotate ? `it becomes ${rolloverPath(path, 1)}` : 'it should be rotated'
  const message = `The history has ${size} bytes; at ${bytes} bytes or ${entries} prompts ${then}`
  report(diagnostic('history_near_limit', message, { file: path }))
}
