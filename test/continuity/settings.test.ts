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

test('an empty block is the defaults, and nothing to report (000-60, 000-66)', () => {
  expect(settingsOf({})).toEqual({ settings: DEFAULTS, messages: [] })
  expect(continuitySettings(undefined)).toEqual(DEFAULTS)
})

test.each([
  ['promptInterval', 1, 1000],
  ['timeIntervalMs', 60_000, 3_600_000],
  ['maxCheckpointsPerSession', 1, 500],
  ['retentionDays', 1, 90],
  ['recoveryBudgetChars', 200, 10_000],
] as const)(
  '%s stays within its range (000-61, 000-62, 000-63, 000-64, 000-65)',
  (name, least, most) => {
    expect(settingsOf({ [name]: least })).toEqual({
      settings: { ...DEFAULTS, [name]: least },
      messages: [],
    })
    expect(settingsOf({ [name]: most }).settings[name]).toBe(most)
    const low = settingsOf({ [name]: least - 1 })
    expect(low.settings[name]).toBe(least)
    expect(low.messages).toEqual([
      `bad_setting: continuity.${name} ${least - 1} is not from ${least} to ${most}; ${least} is used`,
    ])
    expect(settingsOf({ [name]: most + 1 }).settings[name]).toBe(most)
  },
)

test.each([Number.NaN, Number.POSITIVE_INFINITY, '10', null, {}])(
  'an interval of %j is no number: the default is used, and it is said',
  (promptInterval) => {
    expect(settingsOf({ promptInterval })).toEqual({
      settings: DEFAULTS,
      messages: ['bad_setting: continuity.promptInterval is not a number; 10 is used'],
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

test('a setting that does not exist is reported: it is a typing error', () => {
  expect(settingsOf({ promptIntervall: 5 })).toEqual({
    settings: DEFAULTS,
    messages: ['bad_setting: continuity.promptIntervall is no setting of continuity'],
  })
})

test('a block that is no object is a bug', () => {
  expect(() => settingsOf(true as unknown as object)).toThrow(TypeError)
})
