// What operands and options mean, the same in every command.

import type { StoreOptions } from '../store/index.js'
import { type Parsed, UsageError } from './command.js'

export function storeOptionsOf(call: Parsed): StoreOptions {
  return { root: call.value('root'), home: call.value('home'), agent: call.value('agent') }
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
