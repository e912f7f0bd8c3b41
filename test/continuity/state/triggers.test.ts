import { expect, test } from 'vitest'
import { type ContextUse, continuitySettings } from '../../../lib/continuity/index.js'
import { dueTriggers, isSessionEndDue, rolledBy } from '../../../lib/continuity/state/triggers.js'
import { prompts, START, started, stateOf } from '../sample.js'

const settings = continuitySettings()
const MAX = 200_000

function due(
  changes: Parameters<typeof stateOf>[0],
  { now = START, ...use }: ContextUse & { now?: number } = {},
  options = settings,
) {
  return dueTriggers(stateOf(changes), options, now, use)
}

/** The use of the context, in percent of its size. */
function at(percent: number) {
  return { tokens: (percent * MAX) / 100, maxTokens: MAX }
}

// Requirement: T40
test('ten prompts make a checkpoint due, nine do not, 15 minutes and one prompt do', () => {
  expect(due({ promptCount: 9 })).toEqual({})
  expect(due({ promptCount: 10 })).toEqual({ passive: 'prompt_interval' })
  expect(due({ promptCount: 1 }, { now: START + 899_999 })).toEqual({})
  expect(due({ promptCount: 1 }, { now: START + 900_000 })).toEqual({ passive: 'time_interval' })
  expect(due({ promptCount: 0 }, { now: START + 900_000 })).toEqual({})
})

test('a clock that is set back makes nothing due', () => {
  expect(due({ promptCount: 1 }, { now: START - 10_000_000 })).toEqual({})
})

// Requirement: 002-07
test('25, 50 and 75 % of the context make a rolling checkpoint due, each once', () => {
  expect(due({}, at(24.9))).toEqual({})
  const { continuity } = started()
  const fired: unknown[] = []
  for (let percent = 5; percent <= 100; percent += 5) {
    const { rolling } = continuity.whatIsDue('s', at(percent))
    if (rolling === undefined) continue
    fired.push([percent, rolling])
    continuity.consumeState('s', { cause: rolling })
  }
  expect(fired).toEqual([
    [25, 'token_25'],
    [50, 'token_50'],
    [75, 'token_75'],
  ])
})

// Requirement: T45
test('a jump from 25 to 80 % triggers once, and again only after a boundary', () => {
  const { continuity } = started()
  const fire = (percent: number) => {
    const { rolling } = continuity.whatIsDue('s', at(percent))
    if (rolling !== undefined) continuity.consumeState('s', { cause: rolling })
    return rolling
  }
  expect([25, 80, 80, 55, 99].map(fire)).toEqual([
    'token_25',
    'token_75',
    undefined,
    undefined,
    undefined,
  ])
  continuity.startCycle('s', 'boundary')
  expect([10, 30, 60].map(fire)).toEqual([undefined, 'token_25', 'token_50'])
  continuity.startCycle('s', 'boundary')
  expect(fire(60)).toBeUndefined()
})

// Requirement: 002-08
test('ten user messages since the last rolling checkpoint make one due, compaction or not', () => {
  const { continuity } = started({ continuity: { promptInterval: 1000 } })
  const use = { tokens: 6000 }
  prompts(continuity, 9)
  expect(continuity.whatIsDue('s', use)).toEqual({})
  // A passive checkpoint and a compaction in between do not begin the count anew.
  continuity.consumeState('s')
  continuity.startCycle('s', 'boundary')
  prompts(continuity, 1)
  expect(continuity.whatIsDue('s', use)).toEqual({ rolling: 'turn' })
  continuity.consumeState('s', { cause: 'turn' })
  prompts(continuity, 9)
  expect(continuity.whatIsDue('s', use)).toEqual({})
  prompts(continuity, 1)
  expect(continuity.whatIsDue('s', use)).toEqual({ rolling: 'turn' })
})

// Requirement: 002-09
test('no rolling checkpoint is due below 5,000 tokens, nor when the number is unknown', () => {
  const waiting = { totalPromptCount: 30 }
  expect(due(waiting, { tokens: 4999, maxTokens: 5000 })).toEqual({})
  expect(due(waiting, { tokens: 5000, maxTokens: 5000 })).toEqual({ rolling: 'token_75' })
  expect(due(waiting, { tokens: 5000 })).toEqual({ rolling: 'turn' })
  expect(due(waiting, {})).toEqual({})
  expect(due(waiting, { tokens: Number.NaN, maxTokens: MAX })).toEqual({})
})

test('both kinds can be due together', () => {
  expect(due({ promptCount: 10, totalPromptCount: 10 }, { tokens: 6000 })).toEqual({
    passive: 'prompt_interval',
    rolling: 'turn',
  })
})

test('with enabled: false nothing periodic is due', () => {
  const off = continuitySettings({ enabled: false })
  expect(due({ promptCount: 50, totalPromptCount: 50 }, at(90), off)).toEqual({})
})

test('a checkpoint by turns does not change the reached thresholds', () => {
  const before = { totalPromptCount: 10, percent: 50 }
  expect(rolledBy('turn', 20, before)).toEqual({ totalPromptCount: 20, percent: 50 })
  expect(rolledBy('token_75', 20, before)).toEqual({ totalPromptCount: 20, percent: 75 })
})

// Requirements: S-06, S-09
test('the end of a session makes a checkpoint if it had a prompt and was not cleared', () => {
  expect(isSessionEndDue(stateOf({ totalPromptCount: 1 }), 'exit')).toBe(true)
  expect(isSessionEndDue(stateOf({ totalPromptCount: 0 }), 'exit')).toBe(false)
  expect(isSessionEndDue(stateOf({ totalPromptCount: 1 }), 'clear')).toBe(false)
})
