import { expect, test } from 'vitest'
import { continuitySettings } from '../../lib/continuity/index.js'
import type { Diagnostic } from '../../lib/format/index.js'

const DEFAULTS = {
  enabled: true,
  promptInterval: 10,
  timeIntervalMs: 900_000,
  maxCheckpointsPerSession: 50,
  retentionDays: 7,
  recoveryBudgetChars: 2000,
  constraintsBudgetChars: 1000,
  factsBudgetChars: 500,
  tasksBudgetChars: 500,
  debounceMs: 2500,
  tokenThresholdPercents: [25, 50, 75],
  turnThreshold: 10,
  minTokensForGen: 5000,
}

function settingsOf(options: object) {
  const diagnostics: Diagnostic[] = []
  const settings = continuitySettings(options, (found) => diagnostics.push(found))
  return { settings, messages: diagnostics.map(({ code, message }) => `${code}: ${message}`) }
}

// Requirements: 000-60, 000-66
test('an empty block gives the defaults, without a report', () => {
  expect(settingsOf({})).toEqual({ settings: DEFAULTS, messages: [] })
  expect(continuitySettings(undefined)).toEqual(DEFAULTS)
})

// Requirements: 000-61, 000-62, 000-63, 000-64, 000-65
test.each([
  ['promptInterval', 1, 1000],
  ['timeIntervalMs', 60_000, 3_600_000],
  ['maxCheckpointsPerSession', 1, 500],
  ['retentionDays', 1, 90],
  ['recoveryBudgetChars', 200, 10_000],
] as const)('%s stays within its range', (name, least, most) => {
  expect(settingsOf({ [name]: least })).toEqual({
    settings: { ...DEFAULTS, [name]: least },
    messages: [],
  })
  expect(settingsOf({ [name]: most }).settings[name]).toBe(most)
  const low = settingsOf({ [name]: least - 1 })
  expect(low.settings[name]).toBe(least)
  expect(low.messages).toEqual([
    `invalid_setting: continuity.${name} ${least - 1} is not from ${least} to ${most}; ${least} is used`,
  ])
  expect(settingsOf({ [name]: most + 1 }).settings[name]).toBe(most)
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, '10', null, {}])(
  'an interval of %j is not a number: the default is used and it is reported',
  (promptInterval) => {
    expect(settingsOf({ promptInterval })).toEqual({
      settings: DEFAULTS,
      messages: ['invalid_setting: continuity.promptInterval is not a number; 10 is used'],
    })
  },
)

test('enabled is true unless it is false', () => {
  expect(settingsOf({ enabled: false }).settings.enabled).toBe(false)
  const odd = settingsOf({ enabled: 'no' })
  expect(odd.settings.enabled).toBe(true)
  expect(odd.messages).toHaveLength(1)
})

test('thresholds are whole percents in ascending order, or the default', () => {
  const sorted = settingsOf({ tokenThresholdPercents: [80, 40, 80] })
  expect(sorted.settings.tokenThresholdPercents).toEqual([40, 80])
  for (const percents of [[0], [101], ['25'], 25]) {
    const { settings, messages } = settingsOf({ tokenThresholdPercents: percents })
    expect(settings.tokenThresholdPercents).toEqual([25, 50, 75])
    expect(messages).toHaveLength(1)
  }
})

test('reports an unknown setting', () => {
  expect(settingsOf({ promptIntervall: 5 })).toEqual({
    settings: DEFAULTS,
    messages: ['invalid_setting: continuity.promptIntervall is not a setting of continuity'],
  })
})

test('rejects a block that is not an object', () => {
  expect(() => settingsOf(true as unknown as object)).toThrow(TypeError)
})
