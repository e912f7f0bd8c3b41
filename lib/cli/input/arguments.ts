// What operands and options mean, the same in every command.

import { isAbsolute, resolve } from 'node:path'
import { parseGivenTime } from '../../format/fields.js'
import type { Diagnostic } from '../../format/index.js'
import { openContext, type StoreContext, type StoreOptions } from '../../store/index.js'
import { type Call, type Parsed, UsageError } from '../command.js'

const MINUTE = 60_000
const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: MINUTE,
  h: 60 * MINUTE,
  d: 24 * 60 * MINUTE,
  w: 7 * 24 * 60 * MINUTE,
}

type Asked = Parsed & Pick<Call, 'env'>

export function toStoreOptions(call: Asked): StoreOptions {
  return {
    root: readFolder(call, 'root', 'JSONL_SESSION_ROOT'),
    home: readFolder(call, 'home', 'JSONL_SESSION_HOME'),
    agent: call.value('agent'),
  }
}

/** The store that the options name. A command uses `call.store` unless it groups diagnostics. */
export function openStore(
  call: Asked,
  onDiagnostic: (diagnostic: Diagnostic) => void,
): StoreContext {
  const options = { ...toStoreOptions(call), readConfig: true, environment: call.env }
  return openContext({ ...options, onDiagnostic })
}

/** An empty option is a variable that was not set; it does not mean the current folder. */
function readFolder(call: Asked, name: string, variable: string): string | undefined {
  const given = call.value(name)
  if (given === '') throw new UsageError(`--${name} is empty; omit it to use the default`)
  const folder = given ?? (call.env.host.variables[variable] || undefined)
  return folder === undefined ? undefined : resolveFile(call, folder)
}

/** A path of the user's, from the folder the command was called in. */
export function resolveFile({ env }: Pick<Call, 'env'>, path: string): string {
  return isAbsolute(path) ? path : resolve(env.host.cwd(), path)
}

/** The value of an option that counts something; `undefined` when it was not given. */
export function readNumber(call: Parsed, name: string): number | undefined {
  const value = call.value(name)
  if (value === undefined) return undefined
  const number = Number(value)
  if (/^[0-9]+$/.test(value) && Number.isSafeInteger(number)) return number
  throw new UsageError(`--${name} takes a whole number (0 or more), not "${value}"`)
}

/** Options that contradict each other are rejected, not silently ignored. */
export function rejectTogether(call: Parsed, ...names: readonly string[]): void {
  const given = names.filter((name) => call.has(name) || call.value(name) !== undefined)
  if (given.length < 2) return
  throw new UsageError(`--${given[0]} and --${given[1]} cannot be combined`)
}

/** The value of an option that takes one of a few words; `undefined` when it was not given. */
export function readChoice<Word extends string>(
  call: Parsed,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const given = call.value(name)
  if (given === undefined || words.includes(given as Word)) return given as Word | undefined
  throw new UsageError(`--${name} takes ${words.join(', ')}, not "${given}"`)
}

/** The values of `--order`. */
export const ORDERS = ['asc', 'desc'] as const

/** Whether rows come newest first. `asc` and `desc` are earlier spellings of the two orders. */
export function readOrder(
  call: Parsed,
  { usual, ...flags }: { usual: 'asc' | 'desc'; asc?: string; desc?: string },
): 'asc' | 'desc' {
  for (const order of ORDERS) {
    const flag = flags[order]
    if (flag === undefined || !call.has(flag)) continue
    rejectTogether(call, flag, 'order')
    return order
  }
  return readChoice(call, 'order', ORDERS) ?? usual
}

/** The value of an option that lists words, separated by commas. */
export function readWords(call: Parsed, name: string): string[] | undefined {
  const words = call.value(name)?.split(',')
  return words?.map((word) => word.trim()).filter((word) => word !== '')
}

/** The value of an option that takes an age like `30d`, in milliseconds. */
export function readAge(call: Parsed, name: string): number | undefined {
  const value = call.value(name)
  if (value === undefined) return undefined
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(value) ?? []
  if (count !== undefined && unit !== undefined) return Number(count) * UNITS_MS[unit]!
  throw new UsageError(`--${name} takes an age like 30d, 12h or 2w, not "${value}"`)
}

/** The value of an option that is a time: as it was given, or that long ago (`90m`, `2h`, `3d`). */
export function readTime(call: Asked, name: string): string | undefined {
  const value = call.value(name)
  if (value === undefined) return undefined
  const ago = /^(\d{1,9})([smhdw])$/.exec(value)
  if (ago === null) {
    if (parseGivenTime(value) !== null) return value
    const times = 'a time like 2026-01-31 or 2026-01-31T12:00:00Z, or an age: 90m, 2h, 3d'
    throw new UsageError(`--${name} takes ${times}; not "${value}"`)
  }
  const moment = new Date(call.env.now() - Number(ago[1]) * UNITS_MS[ago[2]!]!)
  if (!Number.isNaN(moment.getTime())) return moment.toISOString()
  throw new UsageError(`--${name} ${value} is before the earliest date`)
}
