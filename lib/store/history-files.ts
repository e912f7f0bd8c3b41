// The files of the history: the live one, and those it was before. A rotation gives every file the
// next higher number, from the top down, so a number only ever grows; the live file is number 0.
//
// A reader meets rotations on its way. It goes from the newest file to the oldest, the way in which
// the files move, so none can slip past it. Where the file stands that it has just read it knows by
// the inode, which the open descriptor keeps from being used again.

import { closeSync, fstatSync, lstatSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { SessionError } from '../errors.js'
import { type OpenLogWithStats, openIfThere } from '../log/index.js'
import { statIfThere } from '../log/inside.js'
import { namesIn } from './log-names.js'

export interface HistoryFile extends OpenLogWithStats {
  /** The number it had when it was opened. */
  readonly number: number
}

// A rotation takes far less than a millisecond; more of them in one step is no rotation.
const ROUNDS_MAX = 1000

export function rolloverPath(livePath: string, number: number): string {
  return number === 0 ? livePath : `${livePath}.${number}`
}

/** The numbers of all files that were rotated away, newest first. There may be gaps. */
export function rolloverNumbers(livePath: string): number[] {
  const prefix = `${basename(livePath)}.`
  return namesIn(dirname(livePath))
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter((number) => /^[1-9][0-9]{0,8}$/.test(number))
    .map(Number)
    .sort((one, other) => one - other)
}

/** The lowest number that no file has. */
export function firstFreeNumber(livePath: string): number {
  for (let number = 1; ; number++) {
    if (lstatSync(rolloverPath(livePath, number), { throwIfNoEntry: false }) === undefined) {
      return number
    }
  }
}

export function openNewest(livePath: string): HistoryFile | undefined {
  return openFirst(livePath, 0)
}

/** The next older file. The given one must still be open, and stays so. */
export function openOlder(livePath: string, file: HistoryFile): HistoryFile | undefined {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const number = findNumber(livePath, file)
    if (number === undefined) {
      // A sweep begins with the oldest: where this one is gone, so are those before it.
      if (fstatSync(file.fd).nlink === 0) return undefined
      continue
    }
    const older = openFirst(livePath, number + 1)
    // As long as it stands where it stood, what was found behind it is the next one.
    if (standsAt(livePath, number, file)) return older
    if (older !== undefined) closeSync(older.fd)
  }
  const what = `${livePath} is rotated again and again`
  throw new SessionError('ERR_FILE_REPLACED', what, { path: livePath })
}

function findNumber(livePath: string, file: HistoryFile): number | undefined {
  return candidates(livePath, file.number).find((number) => standsAt(livePath, number, file))
}

function openFirst(livePath: string, from: number): HistoryFile | undefined {
  for (const number of candidates(livePath, from)) {
    const found = openIfThere(rolloverPath(livePath, number))
    if (found !== undefined) return { ...found, number }
  }
  return undefined
}

// The first ones are tried whether they are listed or not: while a file is renamed, a listing may
// show it under neither name. In one step no file moves by more than one.
function candidates(livePath: string, from: number): number[] {
  const near = [from, from + 1, from + 2]
  return [...near, ...rolloverNumbers(livePath).filter((number) => number > from + 2)]
}

function standsAt(livePath: string, number: number, { stats }: HistoryFile): boolean {
  const found = statIfThere(rolloverPath(livePath, number))
  return found?.ino === stats.ino && found.dev === stats.dev
}
