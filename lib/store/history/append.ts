// Appends a prompt to the one history of this user, from any number of processes.

import { toIso } from '../../environment/index.js'
import { isSessionError } from '../../errors.js'
import { assertTime, assertUuid, diagnostic, normalizeSessionKey } from '../../format/index.js'
import {
  countNewlines,
  type LockedLog,
  type LogOptions,
  type OpenLog,
  openIfThere,
  readLogBackwardSync,
  withLockedLog,
} from '../../log/index.js'
import { syncFolder } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { normalizeProject } from '../projects/normalize-project.js'
import { parseHistoryEntry, renameFiles, rolloverNumbers, rolloverPath } from './files.js'

/** Before the next prompt the live file is rotated if it has reached either limit. */
export const HISTORY_LIMITS: HistoryLimits = { bytes: 10 * 1024 * 1024, entries: 10_000 }

interface HistoryLimits {
  readonly bytes: number
  readonly entries: number
}

const NEAR_SHARE = 0.8
const DEDUPLICATED_BYTES = 64 * 1024

/** Options of an append to the history. */
export interface AppendHistoryOptions {
  /**
   * The directory the user works in, in any spelling.
   *
   * @default none
   */
  project?: string | undefined
  /**
   * The event of the transcript with the same prompt; a second append of it writes nothing.
   *
   * @default none
   */
  eventUuid?: string | undefined
  /**
   * The time of the prompt, ISO 8601.
   *
   * @default the time of writing
   */
  ts?: string | undefined
  /**
   * Begin a new file when the live one is full.
   *
   * @default true
   */
  rotate?: boolean | undefined
  /**
   * Return the physical line number, for which a process must count the lines once.
   *
   * @default true
   */
  lineNumbers?: boolean | undefined
  /**
   * When the line is synced to the disk.
   *
   * @default 'turn'
   */
  durability?: LogOptions['durability']
}

/** Where a prompt was appended to the history. */
export interface HistoryReceipt {
  /** The byte at which the line starts in its file. */
  readonly offset: number
  readonly file: string
  /** Physical line, from 1; absent with `lineNumbers: false`. */
  readonly lineNumber?: number
  /** The prompt of this event was recorded already; nothing was written. */
  readonly duplicate?: true
}

/**
 * Records a prompt and returns its position; `null` for a blank prompt, which is not recorded. A
 * prompt whose `eventUuid` is in the last 64 KiB of the history is not written again.
 */
export async function appendHistory(
  store: StoreContext,
  prompt: string,
  sessionId: string,
  options: AppendHistoryOptions = {},
  internals: { readonly limits?: Partial<HistoryLimits> } = {},
): Promise<HistoryReceipt | null> {
  if (typeof prompt !== 'string') throw new TypeError('A prompt must be a string')
  const line = toLine(store, prompt, sessionId, options)
  if (prompt.trim() === '') return null
  const { historyPath } = store.layout
  const { durability, lineNumbers = true, rotate = true } = options
  const how = { lineNumbers, rotate, limits: { ...HISTORY_LIMITS, ...internals.limits } }
  for (;;) {
    const receipt = await withLockedLog(historyPath, { ...store.logOptions, durability }, (log) =>
      record(store, log, line, how),
    )
    if (receipt !== 'rotated') return receipt
    // The lock moved with the old file: start over with the new one.
    syncFolder(historyPath, store.env)
  }
}

interface Line {
  readonly ts: string
  readonly prompt: string
  readonly session_id: string
  readonly project?: string
  readonly event_uuid?: string
}

function toLine(
  store: StoreContext,
  prompt: string,
  sessionId: string,
  { project, eventUuid, ts = toIso(store.env.now()) }: AppendHistoryOptions,
): Line {
  assertTime(ts)
  if (eventUuid !== undefined) assertUuid(eventUuid, 'event_uuid')
  return {
    ts,
    prompt,
    session_id: normalizeSessionKey(sessionId),
    ...(project !== undefined && { project: normalizeProject(store, project) }),
    ...(eventUuid !== undefined && { event_uuid: eventUuid }),
  }
}

interface RecordOptions {
  readonly lineNumbers: boolean
  readonly rotate: boolean
  readonly limits: HistoryLimits
}

/** One step under the lock. */
function record(
  store: StoreContext,
  log: LockedLog,
  line: Line,
  { lineNumbers, rotate, limits }: RecordOptions,
): HistoryReceipt | 'rotated' {
  const recorded = line.event_uuid && findRecorded(store, log, line.event_uuid)
  if (recorded) return { ...recorded, duplicate: true }
  if (rotate && isFull(store, log, limits) && rotateOrReport(store, log)) return 'rotated'
  const offset = log.append(line)
  // Counting a history that is never rotated may take too long.
  const isCounted = rotate || lineNumbers
  const lineNumber = isCounted ? countLines(store, log, offset) + 1 : 0
  const lines = isCounted ? countLines(store, log, log.size) : 0
  warnWhenNear(log, limits, { lines, rotate })
  return { offset, file: log.path, ...(lineNumbers && { lineNumber }) }
}

/**
 * Searches the last 64 KiB of the history, which may begin in the file before the live one. To be
 * called under the lock, so that no rotation happens meanwhile.
 */
function findRecorded(
  store: StoreContext,
  live: OpenLog,
  eventUuid: string,
): HistoryReceipt | undefined {
  const found = findInEnd(store, live, eventUuid, DEDUPLICATED_BYTES)
  if (found !== undefined || live.size >= DEDUPLICATED_BYTES) return found
  const before = openBeforeLive(store)
  if (before === undefined) return undefined
  try {
    return findInEnd(store, before, eventUuid, DEDUPLICATED_BYTES - live.size)
  } finally {
    store.env.fs.closeSync(before.fd)
  }
}

// If the file cannot be read, recording twice is better than not at all.
function openBeforeLive(store: StoreContext): OpenLog | undefined {
  const [number] = rolloverNumbers(store)
  try {
    return (
      (number && openIfThere(rolloverPath(store.layout.historyPath, number), store.env)) ||
      undefined
    )
  } catch (error) {
    if (isSessionError(error)) return undefined
    throw error
  }
}

function findInEnd(
  { env }: StoreContext,
  log: OpenLog,
  eventUuid: string,
  bytes: number,
): HistoryReceipt | undefined {
  const from = Math.max(0, log.size - bytes)
  for (const entry of readLogBackwardSync(log, { from, bare: true })) {
    const line = parseHistoryEntry(entry, log.path)
    if (line?.eventUuid !== eventUuid) continue
    const { offset, file } = line
    return { offset, file, lineNumber: countNewlines(log.fd, env, 0, offset) + 1 }
  }
  return undefined
}

function isFull(store: StoreContext, log: LockedLog, { bytes, entries }: HistoryLimits): boolean {
  if (log.size === 0) return false
  return log.size >= bytes || countLines(store, log, log.size) >= entries
}

interface CountedLines {
  readonly identity: string
  readonly size: number
  readonly lines: number
}

const countedByPath = new Map<string, CountedLines>()

/**
 * Finished lines among the first `size` bytes of the log. A process counts them once, and then only
 * those added since, by itself or by other processes.
 */
function countLines({ env }: StoreContext, { path, fd }: OpenLog, size: number): number {
  // After a rotation another file has this path, possibly with the same inode but not birth time.
  const { dev, ino, birthtimeMs } = env.fs.fstatSync(fd)
  const identity = `${dev}:${ino}:${birthtimeMs}`
  const earlier = countedByPath.get(path)
  const hasGrown = earlier?.identity === identity && earlier.size <= size
  const known = hasGrown ? earlier : { size: 0, lines: 0 }
  const lines = known.lines + countNewlines(fd, env, known.size, size)
  countedByPath.set(path, { identity, size, lines })
  return lines
}

// The prompt matters more than the size of its file.
function rotateOrReport(store: StoreContext, log: LockedLog): boolean {
  try {
    renameFiles(store)
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
  { bytes, entries }: HistoryLimits,
  { lines, rotate }: { lines: number; rotate: boolean },
): void {
  const isNear = size >= NEAR_SHARE * bytes || lines >= NEAR_SHARE * entries
  if (!isNear || warnedPaths.has(path)) return
  warnedPaths.add(path)
  const then = rotate ? `it becomes ${rolloverPath(path, 1)}` : 'it should be rotated'
  const message = `The history has ${size} bytes; at ${bytes} bytes or ${entries} prompts ${then}`
  report(diagnostic('history_near_limit', message, { file: path }))
}
