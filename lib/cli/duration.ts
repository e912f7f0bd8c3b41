// An age as people write it: `30d`, `12h`, `2w`.

import { type Parsed, UsageError } from './command.js'

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}

/** The value of an option that takes an age, in milliseconds; `undefined` when it was not given. */
export function durationOf(call: Parsed, name: string): number | undefined {
  const value = call.value(name)
  if (value === undefined) return undefined
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(value) ?? []
  if (count !== undefined && unit !== undefined) return Number(count) * UNIT_MS[unit]!
  throw new UsageError(`--${name} takes an age like 30d, 12h or 2w, not "${value}"`)
}
