// The continuity block of the options becomes settings once: defaults filled in, numbers brought
// into their range, and what makes no sense replaced by its default and reported.

import { type Diagnostic, diagnostic } from '../format/index.js'

export interface ContinuitySettings {
  /** Off: nothing periodic; agent, explicit, pre-compaction and session-end checkpoints stay. */
  readonly enabled: boolean
  readonly promptInterval: number
  readonly timeIntervalMs: number
  readonly maxCheckpointsPerSession: number
  readonly retentionDays: number
  readonly recoveryBudgetChars: number
  readonly debounceMs: number
  /** Shares of the context window at which a rolling checkpoint is due; ascending. */
  readonly tokenThresholdPercents: readonly number[]
  /** So many prompts since the last rolling checkpoint make one due. */
  readonly turnThreshold: number
  /** Below it nothing rolling is generated. */
  readonly minTokensForGen: number
}

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
      numberOf(name, given[name], range, report),
    ]),
  ) as Record<keyof typeof RANGES, number>
  const settings: ContinuitySettings = {
    enabled: enabledOf(given['enabled'], report),
    ...numbers,
    tokenThresholdPercents: percentsOf(given['tokenThresholdPercents'], report),
  }
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(settings, name)) complain(report, name, 'is no setting of continuity')
  }
  return settings
}

function enabledOf(value: unknown, report: Report): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? true
  complain(report, 'enabled', 'is neither true nor false; continuity stays on')
  return true
}

function numberOf(name: string, value: unknown, range: Range, report: Report): number {
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

function percentsOf(value: unknown, report: Report): readonly number[] {
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
  report(diagnostic('bad_setting', `continuity.${name} ${what}`))
}
