// What operands and options mean, the same in every command.

import type { StoreOptions } from '../store/index.js'
import { type Parsed, UsageError } from './command.js'

export function storeOptionsOf(call: Parsed): StoreOptions {
  return { root: folderOf(call, 'root'), home: folderOf(call, 'home'), agent: call.value('agent') }
}

/** An empty one is a variable that was not set, and not the folder where somebody stands. */
function folderOf(call: Parsed, name: string): string | undefined {
  const value = call.value(name)
  if (value !== '') return value
  throw new UsageError(`--${name} is empty; leave it out for the usual place`)
}

/** The value of an option that counts bytes or rows; `undefined` when it was not given. */
export function wholeNumberOf(call: Parsed, name: string): number | undefined {
  const value = call.value(name)
  if (value === undefined) return undefined
  const number = Number(value)
  if (/^[0-9]+$/.test(value) && Number.isSafeInteger(number)) return number
  throw new UsageError(`--${name} takes a whole number from 0, not "${value}"`)
}

/** Options that contradict each other are refused, not quietly ignored. */
export function refuseTogether(call: Parsed, one: string, other: string): void {
  const isGiven = (name: string) => call.has(name) || call.value(name) !== undefined
  if (!isGiven(one) || !isGiven(other)) return
  throw new UsageError(`--${one} and --${other} do not go together`)
}

/** The value of an option that takes one of a few words; `undefined` when it was not given. */
export function oneOf<Word extends string>(
  call: Parsed,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const given = call.value(name)
  if (given === undefined || words.includes(given as Word)) return given as Word | undefined
  throw new UsageError(`--${name} takes ${words.join(', ')}, not "${given}"`)
}

/** The value of an option that lists words, parted by commas; `undefined` when it was not given. */
export function wordsOf(call: Parsed, name: string): string[] | undefined {
  const words = call.value(name)?.split(',')
  return words?.map((word) => word.trim()).filter((word) => word !== '')
}

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** The value of an option that is a time: as it was given, or so long ago (`90m`, `2h`, `3d`). */
export function momentOf(call: Parsed, name: string, now: number): string | undefined {
  const value = call.value(name)
  if (value === undefined) return undefined
  const ago = /^(\d{1,9})([smhdw])$/.exec(value)
  if (ago === null) {
    if (!Number.isNaN(Date.parse(value))) return value
    const times = 'a time like 2026-01-31 or 2026-01-31T12:00:00Z, or so long ago: 90m, 2h, 3d'
    throw new UsageError(`--${name} takes ${times}; not "${value}"`)
  }
  const moment = new Date(now - Number(ago[1]) * UNITS_MS[ago[2]!]!)
  if (!Number.isNaN(moment.getTime())) return moment.toISOString()
  throw new UsageError(`--${name} ${value} is further back than there are dates`)
}
