// The seven functions of the seed, in memory.

import fs, { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createContinuity } from '../../../lib/continuity/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { prompts, START, started } from '../sample.js'

// Requirements: 000-19, 000-22
test('a new session has an empty state', () => {
  const { continuity } = started()
  expect(continuity.getState('s')).toEqual({
    sessionKey: 's',
    agentId: 'default',
    harness: 'test',
    project: null,
    projectNormalized: null,
    startedAt: START,
    lastCheckpointAt: START,
    promptCount: 0,
    totalPromptCount: 0,
    pendingQueries: [],
    pendingRemembers: [],
    recentPrompts: [],
    cycle: null,
    rolling: { totalPromptCount: 0, percent: null },
  })
})

test('keeps the project as given and as a real path; a missing folder keeps its spelling', (t) => {
  const folder = realpathSync(temporaryFolder(t))
  mkdirSync(join(folder, 'app'))
  symlinkSync(join(folder, 'app'), join(folder, 'link'))
  const continuity = createContinuity()
  const linked = continuity.initContinuity({
    sessionKey: 'a',
    harness: 'test',
    project: join(folder, 'link'),
  })
  expect(linked).toMatchObject({
    project: join(folder, 'link'),
    projectNormalized: join(folder, 'app'),
  })
  const gone = { sessionKey: 'b', harness: 'test', project: join(folder, 'gone') }
  expect(continuity.initContinuity(gone).projectNormalized).toBe(join(folder, 'gone'))
})

// Requirement: S-10
test('starting a session again keeps what was gathered', () => {
  const { continuity } = started()
  prompts(continuity, 3)
  continuity.initContinuity({ sessionKey: 's', harness: 'other' })
  expect(continuity.getState('s')).toMatchObject({ promptCount: 3, harness: 'test' })
})

// Requirements: 000-04, 000-23, 000-24
test('counts a prompt, and keeps its query and remembered texts', () => {
  const { continuity } = started()
  continuity.recordPrompt('s', 'where is the parser?', 'parser file')
  continuity.recordPrompt('s', 'thanks')
  continuity.recordRemember('s', 'the parser is in lib/parse.ts')
  expect(continuity.getState('s')).toMatchObject({
    promptCount: 2,
    totalPromptCount: 2,
    recentPrompts: ['where is the parser?', 'thanks'],
    pendingQueries: ['parser file'],
    pendingRemembers: ['the parser is in lib/parse.ts'],
  })
})

// Requirements: T41, 000-20, 000-21
test('keeps the last 20 queries, 10 remembers and 10 prompts', () => {
  const { continuity } = started()
  for (let number = 1; number <= 25; number++) {
    continuity.recordPrompt('s', `p${number}`, `q${number}`)
    continuity.recordRemember('s', `r${number}`)
  }
  const { promptCount, pendingQueries, pendingRemembers, recentPrompts } = continuity.getState('s')!
  const last = (count: number, letter: string) =>
    Array.from({ length: count }, (_, index) => `${letter}${26 - count + index}`)
  expect(promptCount).toBe(25)
  expect(pendingQueries).toEqual(last(20, 'q'))
  expect(pendingRemembers).toEqual(last(10, 'r'))
  expect(recentPrompts).toEqual(last(10, 'p'))
})

// Requirements: 000-26, 000-76
test('consumeState() returns what was gathered and resets it; the total continues', () => {
  const { continuity, clock } = started()
  prompts(continuity, 12)
  continuity.recordQuery('s', 'q')
  continuity.recordRemember('s', 'r')
  clock.pass(1000)
  const gathered = continuity.getState('s')!
  expect(continuity.consumeState('s')).toEqual({ ...gathered, consumedAt: START + 1000 })
  expect(continuity.getState('s')).toEqual({
    ...gathered,
    lastCheckpointAt: START + 1000,
    promptCount: 0,
    pendingQueries: [],
    pendingRemembers: [],
    recentPrompts: [],
  })
  continuity.recordPrompt('s', 'next')
  expect(continuity.getState('s')).toMatchObject({
    promptCount: 1,
    totalPromptCount: 13,
    recentPrompts: ['next'],
  })
})

// Requirements: 000-25, 000-76
test('a checkpoint is due after ten prompts, or after 15 minutes and a prompt', () => {
  const { continuity, clock } = started()
  clock.pass(900_000)
  expect(continuity.shouldCheckpoint('s')).toBe(false)
  prompts(continuity, 1)
  expect(continuity.shouldCheckpoint('s')).toBe(true)
  continuity.consumeState('s')
  prompts(continuity, 9)
  expect(continuity.shouldCheckpoint('s')).toBe(false)
  prompts(continuity, 1)
  expect(continuity.shouldCheckpoint('s')).toBe(true)
})

// Requirement: 000-28
test('getState() returns a copy and changes nothing', () => {
  const { continuity } = started()
  prompts(continuity, 2)
  const seen = continuity.getState('s')!
  const list = seen.recentPrompts as string[]
  list.push('forged')
  expect(continuity.getState('s')).toMatchObject({
    promptCount: 2,
    recentPrompts: ['prompt 1', 'prompt 2'],
  })
})

// Requirement: 000-27
test('clearContinuity() forgets one session only', () => {
  const { continuity } = started()
  continuity.initContinuity({ sessionKey: 'other', harness: 'test' })
  prompts(continuity, 1)
  expect(continuity.clearContinuity('s')).toBe(true)
  expect(continuity.clearContinuity('s')).toBe(false)
  expect(continuity.getState('s')).toBeUndefined()
  expect(continuity.getState('other')).toBeDefined()
  expect(() => continuity.recordPrompt('s', 'late')).toThrow(
    expect.objectContaining({ code: 'ERR_NOT_FOUND' }),
  )
})

// Requirement: S-22
test('every spelling of a key is the same session, and agents do not share sessions', () => {
  const { continuity } = started()
  continuity.initContinuity({ sessionKey: 's', agentId: 'b', harness: 'test' })
  continuity.recordPrompt('s', 'one')
  continuity.recordPrompt(' session:s ', 'two')
  continuity.recordPrompt({ sessionKey: 's' }, 'three')
  continuity.recordPrompt({ sessionKey: 's', agentId: 'b' }, 'of the other')
  expect(continuity.getState('session:s')?.recentPrompts).toEqual(['one', 'two', 'three'])
  expect(continuity.getState({ sessionKey: 's', agentId: 'b' })?.recentPrompts).toEqual([
    'of the other',
  ])
})

test('recordEvent() counts by the type of the event', () => {
  const { continuity } = started()
  const events = [
    { type: 'user', payload: { content: 'hello' } },
    { type: 'user', payload: { content: [{ type: 'text', text: 'see' }, { type: 'image' }] } },
    { type: 'user', payload: { content: [{ type: 'tool_result', tool_use_id: '1' }] } },
    { type: 'user', payload: null },
    { type: 'assistant', payload: { content: 'hi' } },
    { type: 'memory_query', payload: { text: 'q' } },
    { type: 'remember', payload: { text: 'r' } },
    { type: 'compaction_boundary', payload: {} },
  ]
  for (const [index, event] of events.entries()) {
    continuity.recordEvent('s', { uuid: `u${index}`, ...event })
  }
  expect(continuity.getState('s')).toMatchObject({
    promptCount: 3,
    recentPrompts: ['hello', 'see', ''],
    pendingQueries: ['q'],
    pendingRemembers: ['r'],
    cycle: 'u7',
  })
})

test('rejects a prompt that is not a string', () => {
  const { continuity } = started()
  expect(() => continuity.recordPrompt('s', undefined as unknown as string)).toThrow(TypeError)
})

// Requirement: 000-05
test('recording prompts and checking what is due touches no file', () => {
  const { continuity } = started()
  const calls: string[] = []
  // Classes are behind getters in later versions of Node, and cannot be replaced.
  const isOpen = (name: string) => Object.getOwnPropertyDescriptor(fs, name)?.writable === true
  const functions = Object.entries(fs).filter(
    ([name, value]) => typeof value === 'function' && isOpen(name),
  )
  for (const [name, real] of functions) {
    Object.assign(fs, {
      [name]: (...given: unknown[]) => {
        calls.push(name)
        return Reflect.apply(real as () => unknown, fs, given)
      },
    })
  }
  syncBuiltinESMExports()
  try {
    for (let number = 0; number < 100; number++) {
      continuity.recordPrompt('s', `prompt ${number}`, 'query')
      continuity.recordRemember('s', 'fact')
      if (continuity.shouldCheckpoint('s')) continuity.consumeState('s')
    }
    const before = [...calls]
    realpathSync('.')
    expect({ before, isWatching: calls.length > 0 }).toEqual({ before: [], isWatching: true })
  } finally {
    Object.assign(fs, Object.fromEntries(functions))
    syncBuiltinESMExports()
  }
})
