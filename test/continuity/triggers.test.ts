import { expect, test } from 'vitest'
import { type ContextUse, continuitySettings } from '../../lib/continuity/index.js'
import { dueTriggers, isSessionEndDue, rolledBy } from '../../lib/continuity/triggers.js'
import { prompts, START, started, stateOf } from './sample.js'

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

test('ten prompts make a checkpoint due, nine none, 15 minutes and one prompt one (T40)', () => {
  expect(due({ promptCount: 9 })).toEqual({})
  expect(due({ promptCount: 10 })).toEqual({ passive: 'prompt_interval' })
  expect(due({ promptCount: 1 }, { now: START + 899_999 })).toEqual({})
  expect(due({ promptCount: 1 }, { now: START + 900_000 })).toEqual({ passive: 'time_interval' })
  expect(due({ promptCount: 0 }, { now: START + 900_000 })).toEqual({})
})

test('a clock that goes back makes nothing due', () => {
  expect(due({ promptCount: 1 }, { now: START - 10_000_000 })).toEqual({})
})

test('25, 50 and 75 % of the context make a rolling checkpoint due, each once (002-07)', () => {
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

test('a jump from 25 to 80 % fires once, and again only after a boundary (T45)', () => {
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

test('ten user messages since the last rolling checkpoint make one due, compaction or not (002-08)', () => {
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

test('below 5,000 tokens nothing rolling is due, nor when nobody knows how many there are (002-09)', () => {
  const waiting = { totalPromptCount: 30 }
  expect(due(waiting, { tokens: 4999, maxTokens: 5000 })).toEqual({})
  expect(due(waiting, { tokens: 5000, maxTokens: 5000 })).toEqual({ rolling: 'token_75' })
  expect(due(waiting, { tokens: 5000 })).toEqual({ rolling: 'turn' })
  expect(due(waiting, {})).toEqual({})
  expect(due(waiting, { tokens: Number.NaN, maxTokens: MAX })).toEqual({})
})

test('both kinds can be due at once', () => {
  expect(due({ promptCount: 10, totalPromptCount: 10 }, { tokens: 6000 })).toEqual({
    passive: 'prompt_interval',
    rolling: 'turn',
  })
})

test('switched off, nothing periodic is due', () => {
  const off = continuitySettings({ enabled: false })
  expect(due({ promptCount: 50, totalPromptCount: 50 }, at(90), off)).toEqual({})
})

test('a turn leaves the thresholds as they are', () => {
  const before = { totalPromptCount: 10, percent: 50 }
  expect(rolledBy('turn', 20, before)).toEqual({ totalPromptCount: 20, percent: 50 })
  expect(rolledBy('token_75', 20, before)).toEqual({ totalPromptCount: 20, percent: 75 })
})

test('the end of a session leaves a checkpoint if anything was said and it was not cleared (S-06, S-09)', () => {
  expect(isSessionEndDue(stateOf({ totalPromptCount: 1 }), 'exit')).toBe(true)
  expect(isSessionEndDue(stateOf({ totalPromptCount: 0 }), 'exit')).toBe(false)
  expect(isSessionEndDue(stateOf({ totalPromptCount: 1 }), 'clear')).toBe(false)
})
