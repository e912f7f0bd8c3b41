// Settings for hooks, commands and the MCP server: `config.json` in the root and in the home. The root
// takes precedence, except for what only the home may set: a cloned repository must not start a
// program, reach a server or remove the prompts of the user.

import { isSessionError } from '../errors.js'
import { fieldsOf } from '../format/fields.js'
import { type Diagnostic, diagnostic } from '../format/index.js'
import type { StoreContext } from './context.js'
import { readSmallText } from './read-small-text.js'

/** A setting as a file gives it. */
export interface ConfigSetting {
  readonly value: unknown
  /** The file. */
  readonly path: string
}

export interface StoreConfig {
  /** By their names, for example `continuity.promptInterval`. */
  readonly settings: ReadonlyMap<string, ConfigSetting>
  /** The files that may hold settings; the later takes precedence. */
  readonly files: readonly { readonly path: string; readonly exists: boolean }[]
  /** What was ignored, and why. */
  readonly problems: readonly Diagnostic[]
}

export const NO_CONFIG: StoreConfig = { settings: new Map(), files: [], problems: [] }

interface Rule {
  readonly isValid: (value: unknown) => boolean
  readonly what: string
  readonly isForHome?: true
}

// Ranges are checked where a setting is used.
const NUMBER: Rule = { isValid: (value) => typeof value === 'number', what: 'a number' }
const BOOLEAN: Rule = { isValid: (value) => typeof value === 'boolean', what: 'true or false' }
const NUMBERS: Rule = { isValid: (value) => Array.isArray(value), what: 'a list of numbers' }
const TEXT: Rule = { isValid: (value) => typeof value === 'string', what: 'a text' }
const HOURS: Rule = {
  isValid: (value) => typeof value === 'number' && value > 0,
  what: 'a number above 0',
}
const DAYS: Rule = {
  isValid: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  what: 'a whole number from 1',
}

const COMPACTION_NUMBERS = [
  'keepPercent',
  'emergencyKeepPercent',
  'minKeepMessages',
  'failureThreshold',
  'resetMinutes',
  'summarizerTimeoutMs',
  'summaryMaxTokens',
  'maxInputTokens',
]
const CONTINUITY_NUMBERS = [
  'promptInterval',
  'timeIntervalMs',
  'maxCheckpointsPerSession',
  'retentionDays',
  'recoveryBudgetChars',
  'constraintsBudgetChars',
  'factsBudgetChars',
  'tasksBudgetChars',
  'debounceMs',
  'turnThreshold',
  'minTokensForGen',
]

const RULES: ReadonlyMap<string, Rule> = new Map([
  ['continuity.enabled', BOOLEAN],
  ...CONTINUITY_NUMBERS.map((name): [string, Rule] => [`continuity.${name}`, NUMBER]),
  ['continuity.tokenThresholdPercents', NUMBERS],
  ['recovery.withinHours', HOURS],
  ...COMPACTION_NUMBERS.map((name): [string, Rule] => [`compaction.${name}`, NUMBER]),
  ['compaction.preferCheckpoint', BOOLEAN],
  ['history.retainDays', { ...DAYS, isForHome: true }],
  ['summarizer', { ...TEXT, isForHome: true }],
  ['pager', { ...TEXT, isForHome: true }],
  ['launcher', { ...TEXT, isForHome: true }],
])

/** The names of all settings. */
export const CONFIG_NAMES: readonly string[] = [...RULES.keys()]

// Far more than settings written by hand.
const BYTES_MAX = 1024 * 1024

export function readConfig(store: StoreContext): StoreConfig {
  const { homeConfigPath, rootConfigPath } = store.layout
  const settings = new Map<string, ConfigSetting>()
  const problems: Diagnostic[] = []
  const files = [...new Set([homeConfigPath, rootConfigPath])].map((path) => {
    const complain = (what: string) => {
      problems.push(diagnostic('invalid_setting', `${what}; it is ignored`, { file: path }))
    }
    const content = readContent(store, path, complain)
    // By name, so that `continuity` follows `checkpoint`, which is another spelling of a part of it.
    for (const [name, value] of flatten(content ?? {}).sort(([one], [other]) =>
      compare(one, other),
    )) {
      const known = name.replace(/^checkpoint\./, 'continuity.')
      const rule = RULES.get(known)
      if (rule === undefined) complain(`There is no setting "${name}"`)
      else if (!rule.isValid(value)) complain(`${name} must be ${rule.what}`)
      else if (rule.isForHome === true && path !== homeConfigPath)
        complain(`${name} can only be set in ${homeConfigPath}`)
      else settings.set(known, { value, path })
    }
    return { path, exists: content !== undefined }
  })
  return { settings, files, problems }
}

const HOUR_MS = 60 * 60 * 1000
const RECOVERY_HOURS = 4

/** For this long a new session of a project is given what the last one knew. */
export function recoveryWindowMs(store: StoreContext): number {
  const { value } = store.config().settings.get('recovery.withinHours') ?? { value: RECOVERY_HOURS }
  return Number(value) * HOUR_MS
}

/** The settings of a block by their short names: `continuity.enabled` as `enabled`. */
export function configBlock({ settings }: StoreConfig, block: string): Record<string, unknown> {
  const own = [...settings].filter(([name]) => name.startsWith(`${block}.`))
  return Object.fromEntries(own.map(([name, { value }]) => [name.slice(block.length + 1), value]))
}

/** Options that a caller gives take precedence over the settings of a block. */
export function withConfig<Options extends object>(
  store: StoreContext,
  block: string,
  options: Options | undefined,
): Options {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined)
  return { ...configBlock(store.config(), block), ...Object.fromEntries(given) } as Options
}

function readContent(
  store: StoreContext,
  path: string,
  complain: (what: string) => void,
): Readonly<Record<string, unknown>> | undefined {
  try {
    const content: unknown = JSON.parse(readSmallText(store, path, BYTES_MAX).toString())
    const isObject = typeof content === 'object' && content !== null && !Array.isArray(content)
    if (!isObject) complain('The file holds no JSON object')
    return fieldsOf(isObject ? content : {})
  } catch (error) {
    if (isSessionError(error, 'ERR_NOT_FOUND')) return undefined
    complain(`The file cannot be read: ${(error as Error).message}`)
    return {}
  }
}

function flatten(content: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(content).flatMap(([name, value]): [string, unknown][] => {
    if (name === '$schema') return []
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, value]]
    return Object.entries(value).map(([short, inner]) => [`${name}.${short}`, inner])
  })
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1
}
