// Turns the continuity options into settings: adds defaults, clamps numbers to their range, and
// replaces and reports invalid values.

import { type Diagnostic, diagnostic } from '../format/index.js'

export interface ContinuitySettings {
  /** `false`: no periodic checkpoints; agent, explicit, pre-compaction and session-end ones stay. */
  readonly enabled: boolean
  readonly promptInterval: number
  readonly timeIntervalMs: number
  readonly maxCheckpointsPerSession: number
  readonly retentionDays: number
  readonly recoveryBudgetChars: number
  /** Of the text that a session is given at its start; 0 leaves the part out. */
  readonly constraintsBudgetChars: number
  readonly factsBudgetChars: number
  readonly tasksBudgetChars: number
  readonly debounceMs: number
  /** Shares of the context window at which a rolling checkpoint is due; ascending. */
  readonly tokenThresholdPercents: readonly number[]
  /** Prompts since the last rolling checkpoint after which one is due. */
  readonly turnThreshold: number
  /** Below this size of the context no rolling checkpoint is made. */
  readonly minTokensForGen: number
}

/** When checkpoints are written, and what they contain. */
export type ContinuityOptions = {
  readonly [Key in keyof ContinuitySettings]?: ContinuitySettings[Key] | undefined
}

type Report = (diagnostic: Diagnostic) => void

interface Range {
  readonly standard: number
  readonly least: number
  readonly most: number
}

const RANGES = {
  promptInterval: { standard: 10, least: 1, most: 1000 },
  timeIntervalMs: { standard: 900_000, least: 60_000, most: 3_600_000 },
  maxCheckpointsPerSession: { standard: 50, least: 1, most: 500 },
  retentionDays: { standard: 7, least: 1, most: 90 },
  recoveryBudgetChars: { standard: 2000, least: 200, most: 10_000 },
  constraintsBudgetChars: { standard: 1000, least: 0, most: 10_000 },
  factsBudgetChars: { standard: 500, least: 0, most: 10_000 },
  tasksBudgetChars: { standard: 500, least: 0, most: 10_000 },
  debounceMs: { standard: 2500, least: 0, most: 60_000 },
  turnThreshold: { standard: 10, least: 1, most: 1000 },
  minTokensForGen: { standard: 5000, least: 0, most: Number.MAX_SAFE_INTEGER },
} as const satisfies Record<string, Range>

const PERCENTS: readonly number[] = [25, 50, 75]

export function continuitySettings(
  options: ContinuityOptions = {},
  report: Report = () => {},
): ContinuitySettings {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('The continuity options must be an object')
  }
  const given: Readonly<Record<string, unknown>> = { ...options }
  const numbers = Object.fromEntries(
    Object.entries(RANGES).map(([name, range]) => [
      name,
      readNumber(name, given[name], range, report),
    ]),
  ) as Record<keyof typeof RANGES, number>
  const settings: ContinuitySettings = {
    enabled: readEnabled(given['enabled'], report),
    ...numbers,
    tokenThresholdPercents: readPercents(given['tokenThresholdPercents'], report),
  }
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(settings, name)) complain(report, name, 'is not a setting of continuity')
  }
  return settings
}

function readEnabled(value: unknown, report: Report): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? true
  complain(report, 'enabled', 'is neither true nor false; continuity stays on')
  return true
}

function readNumber(name: string, value: unknown, range: Range, report: Report): number {
  const { standard, least, most } = range
  if (value === undefined) return standard
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    complain(report, name, `is not a number; ${standard} is used`)
    return standard
  }
  const used = Math.min(Math.max(Math.trunc(value), least), most)
  if (used !== value)
    complain(report, name, `${value} is not from ${least} to ${most}; ${used} is used`)
  return used
}

function readPercents(value: unknown, report: Report): readonly number[] {
  if (value === undefined) return PERCENTS
  const isPercent = (item: unknown) =>
    Number.isInteger(item) && Number(item) > 0 && Number(item) < 101
  if (!Array.isArray(value) || !value.every(isPercent)) {
    complain(report, 'tokenThresholdPercents', `are not whole percents; ${PERCENTS} are used`)
    return PERCENTS
  }
  return [...new Set<number>(value)].sort((left, right) => left - right)
}

function complain(report: Report, name: string, what: string): void {
  report(diagnostic('invalid_setting', `continuity.${name} ${what}`))
}
