// The files of the history: the live one, and those it was before. A rotation renames every file to
// the next higher number, from the top down, so a number only ever grows; the live file is number 0.
//
// Rotations may happen while a reader works. The reader goes from the newest file to the oldest, the
// direction in which the files move, so it cannot miss one. It finds the file it has just read by
// its inode, which cannot be reused while the descriptor is open.

import { basename, dirname } from 'node:path'
import { SessionError, toSessionError } from '../../errors.js'
import { type Diagnostic, diagnostic } from '../../format/index.js'
import {
  type LogEntry,
  type OpenLogWithStats,
  openIfThere,
  withLockedLog,
} from '../../log/index.js'
import { statIfThere, syncFolder } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { listNames } from '../list-logs.js'

export interface HistoryFile extends OpenLogWithStats {
  /** The number it had when it was opened. */
  readonly number: number
}

// A rotation takes far less than a millisecond, so this many in one step means another problem.
const ROUNDS_MAX = 1000

export function rolloverPath(livePath: string, number: number): string {
  return number === 0 ? livePath : `${livePath}.${number}`
}

/** The numbers of all rotated files, newest first. There may be gaps. */
export function rolloverNumbers(store: StoreContext): number[] {
  const { historyPath } = store.layout
  const prefix = `${basename(historyPath)}.`
  return listNames(store, dirname(historyPath))
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter((number) => /^[1-9][0-9]{0,8}$/.test(number))
    .map(Number)
    .sort((one, other) => one - other)
}

export function openNewest(store: StoreContext): HistoryFile | undefined {
  return openFirst(store, 0)
}

/** The next older file. The given one must be open, and stays open. */
export function openOlder(store: StoreContext, file: HistoryFile): HistoryFile | undefined {
  const { fs } = store.env
  const { historyPath } = store.layout
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const number = candidates(store, file.number).find((it) => isAt(store, it, file))
    if (number === undefined) {
      // A sweep removes the oldest files first: when this one is gone, so are the older ones.
      if (fs.fstatSync(file.fd).nlink === 0) return undefined
      continue
    }
    const older = openFirst(store, number + 1)
    // While it has kept its number, the file found after it is the next one.
    if (isAt(store, number, file)) return older
    if (older !== undefined) fs.closeSync(older.fd)
  }
  const what = `${historyPath} is rotated again and again`
  throw new SessionError('ERR_FILE_REPLACED', what, { path: historyPath })
}

function openFirst(store: StoreContext, from: number): HistoryFile | undefined {
  for (const number of candidates(store, from)) {
    const found = openIfThere(rolloverPath(store.layout.historyPath, number), store.env)
    if (found !== undefined) return { ...found, number }
  }
  return undefined
}

// The first three are tried even if they are not listed: while a file is renamed, a listing may
// show it under neither name. In one step no file moves by more than one.
function candidates(store: StoreContext, from: number): number[] {
  const near = [from, from + 1, from + 2]
  return [...near, ...rolloverNumbers(store).filter((number) => number > from + 2)]
}

function isAt({ layout, env }: StoreContext, number: number, { stats }: HistoryFile): boolean {
  const found = statIfThere(rolloverPath(layout.historyPath, number), env)
  return found?.ino === stats.ino && found.dev === stats.dev
}

/**
 * Only under the lock of the live file. The lock moves with that file, so the caller must release
 * it and acquire it again. The live file is renamed last; after that another process may create a
 * new one.
 *
 * A process that dies in between leaves a number free, and the next rotation fills it: the order
 * of the files is the same at every moment.
 */
export function renameFiles({ env: { fs }, layout: { historyPath } }: StoreContext): void {
  const isTaken = (number: number) =>
    fs.lstatSync(rolloverPath(historyPath, number), { throwIfNoEntry: false }) !== undefined
  try {
    let free = 1
    while (isTaken(free)) free++
    for (let number = free; number > 0; number--) {
      fs.renameSync(rolloverPath(historyPath, number - 1), rolloverPath(historyPath, number))
    }
  } catch (cause) {
    throw toSessionError(cause, 'rotate', historyPath)
  }
}

export interface HistoryRotation {
  /** False when there was nothing to rotate. */
  readonly rotated: boolean
  /** The new name of the live file. */
  readonly file: string | null
}

/** Rotates now, however short the live file is. */
export async function rotateHistory(store: StoreContext): Promise<HistoryRotation> {
  const { historyPath } = store.layout
  // Checked before locking, which would create the file.
  if (!store.env.fs.existsSync(historyPath)) return { rotated: false, file: null }
  const rotated = await withLockedLog(historyPath, store.logOptions, ({ size }) => {
    if (size > 0) renameFiles(store)
    return size > 0
  })
  if (rotated) syncFolder(historyPath, store.env)
  return { rotated, file: rotated ? rolloverPath(historyPath, 1) : null }
}

// One line of the history, as readers return it.

/** A prompt of the history. */
export interface HistoryEntry {
  readonly prompt: string
  /** Empty for a line of another program that has no time. */
  readonly ts: string
  readonly sessionId: string | null
  /** The byte at which the line starts in its file. */
  readonly offset: number
  /** The name of that file when it was read; a rotation renames it. */
  readonly file: string
  /** The project as one absolute path without links. */
  readonly project?: string
  /** The event of the transcript with the same prompt. */
  readonly eventUuid?: string
}

/** The entry of a line; a line that is not a prompt is reported and skipped. */
export function parseHistoryEntry(
  entry: LogEntry,
  file: string,
  report: (diagnostic: Diagnostic) => void = () => {},
): HistoryEntry | undefined {
  for (const finding of entry.diagnostics ?? []) report(finding)
  if (entry.kind !== 'event') return undefined
  const { byte_offset, length } = entry
  const fields = entry.event as unknown as Readonly<Record<string, unknown>>
  const { prompt, ts, session_id, project, event_uuid } = fields
  if (typeof prompt !== 'string') {
    const message = 'The line is JSON, but not a prompt of the history'
    report(diagnostic('bad_line', message, { file, byte_offset, length }))
    return undefined
  }
  return {
    prompt,
    ts: typeof ts === 'string' ? ts : '',
    sessionId: typeof session_id === 'string' ? session_id : null,
    offset: byte_offset,
    file,
    ...(typeof project === 'string' && { project }),
    ...(typeof event_uuid === 'string' && { eventUuid: event_uuid }),
  }
}
