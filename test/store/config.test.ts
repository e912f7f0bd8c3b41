// One file of settings for hooks, commands and the MCP server, and what a project may not set.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { policySettings } from '../../lib/compaction/index.js'
import { type ContinuitySettings, continuitySettings } from '../../lib/continuity/index.js'
import type { Diagnostic } from '../../lib/format/index.js'
import { openStore } from '../../lib/index.js'
import { CONFIG_NAMES, openContext } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { checkpointLine, clock, DAY_MS, saveShard } from './checkpoints/checkpoint-lines.js'

function folders(t: Parameters<typeof temporaryFolder>[0]) {
  const base = temporaryFolder(t)
  const root = join(base, 'root')
  const home = join(base, 'home')
  for (const folder of [root, home]) mkdirSync(folder)
  const set = (folder: string, content: unknown) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    writeFileSync(join(folder, 'config.json'), text)
  }
  const read = () => {
    const found: Diagnostic[] = []
    const onDiagnostic = (one: Diagnostic) => found.push(one)
    const { settings } = openContext({ root, home, readConfig: true, onDiagnostic }).config()
    const values = Object.fromEntries([...settings].map(([name, { value }]) => [name, value]))
    return { values, messages: found.map(({ message }) => message) }
  }
  return { root, home, set, read }
}

test('the root takes precedence over the home, setting by setting', (t) => {
  const { root, home, set, read } = folders(t)
  expect(read()).toEqual({ values: {}, messages: [] })
  set(home, { continuity: { promptInterval: 5, turnThreshold: 3 }, recovery: { withinHours: 24 } })
  set(root, { $schema: 'x', continuity: { promptInterval: 7 } })
  expect(read()).toEqual({
    values: {
      'continuity.promptInterval': 7,
      'continuity.turnThreshold': 3,
      'recovery.withinHours': 24,
    },
    messages: [],
  })
})

test('the block checkpoint is another spelling, and continuity takes precedence over it', (t) => {
  const { home, set, read } = folders(t)
  const checkpoint = { enabled: false, tokenThresholdPercents: [50], turnThreshold: 4 }
  set(home, { continuity: { turnThreshold: 9 }, checkpoint: { ...checkpoint, minTokensForGen: 1 } })
  expect(read().values).toEqual({
    'continuity.enabled': false,
    'continuity.tokenThresholdPercents': [50],
    'continuity.turnThreshold': 9,
    'continuity.minTokensForGen': 1,
  })
})

test('what starts a program, reaches a server or removes prompts counts in the home only', (t) => {
  const { root, home, set, read } = folders(t)
  const risky = { summarizer: 'openai:x@http://evil', pager: 'evil', history: { retainDays: 1 } }
  set(root, { ...risky, continuity: { promptInterval: 7 } })
  const { values, messages } = read()
  expect(values).toEqual({ 'continuity.promptInterval': 7 })
  for (const name of ['summarizer', 'pager', 'history.retainDays']) {
    expect(messages).toContain(
      `${name} can only be set in ${join(home, 'config.json')}; it is ignored`,
    )
  }
  set(home, { summarizer: 'extractive', pager: 'less', history: { retainDays: 30 } })
  expect(read().values).toMatchObject({ summarizer: 'extractive', pager: 'less' })
})

test('what a file does not say rightly is reported and ignored, and the rest counts', (t) => {
  const { root, home, set, read } = folders(t)
  set(home, '{ "continuity": ')
  set(root, {
    continuity: { promptInterval: '5', enabled: 1, nonsense: 1, turnThreshold: 2 },
    recovery: { withinHours: 0 },
    unknown: { a: 1 },
    pager: ['less'],
    other: true,
  })
  const { values, messages } = read()
  expect(values).toEqual({ 'continuity.turnThreshold': 2 })
  expect(messages).toEqual([
    expect.stringContaining('The file cannot be read'),
    'continuity.enabled must be true or false; it is ignored',
    'There is no setting "continuity.nonsense"; it is ignored',
    'continuity.promptInterval must be a number; it is ignored',
    'There is no setting "other"; it is ignored',
    'pager must be a text; it is ignored',
    'recovery.withinHours must be a number above 0; it is ignored',
    'There is no setting "unknown.a"; it is ignored',
  ])
  set(home, '[]')
  expect(read().messages[0]).toBe('The file holds no JSON object; it is ignored')
})

test('a library call reads no file unless it is asked to, and its own options take precedence', (t) => {
  const { root, home, set } = folders(t)
  set(root, { continuity: { retentionDays: 1, maxCheckpointsPerSession: 2 } })
  const project = '/work/app'
  const ages = [0, 1, 2, 3].map((hour) => hour * 60 * 60 * 1000)
  const lines = [2 * DAY_MS, ...ages].map((ageMs, number) => checkpointLine({ number, ageMs }))
  saveShard(root, project, lines)
  const count = (options: object, query: object = {}) =>
    openStore({ root, home, ...clock, ...options }).checkpoints.list({ project, ...query })
      .checkpoints.length
  expect(count({})).toBe(5)
  expect(count({ readConfig: true })).toBe(2)
  expect(count({ readConfig: true }, { maxCheckpointsPerSession: undefined })).toBe(2)
  expect(count({ readConfig: true }, { maxCheckpointsPerSession: 4 })).toBe(4)
  expect(count({ readConfig: true }, { maxCheckpointsPerSession: 9, retentionDays: 7 })).toBe(5)
})

test('the window and the budget of a recovery are settings', (t) => {
  const { root, home, set } = folders(t)
  saveShard(root, '/work/app', [checkpointLine({ number: 1, ageMs: DAY_MS / 2, more: LONG })])
  const text = () =>
    openStore({ root, home, ...clock, readConfig: true }).recover({ project: '/work/app' })?.text
  expect(text()).toBeUndefined()
  set(root, { recovery: { withinHours: 24 }, continuity: { recoveryBudgetChars: 300 } })
  expect(text()).toContain('xxx')
  expect(text()!.length).toBeLessThanOrEqual(300)
})

const LONG = { digest: 'xxx '.repeat(500) }

test('history.retainDays hides old prompts, and the variable takes precedence', async (t) => {
  const { root, home, set } = folders(t)
  set(home, { history: { retainDays: 2 } })
  const prompts = async (variables: Record<string, string>) => {
    const environment = { ...clock.environment, host: { variables } }
    const store = openStore({ root, home, readConfig: true, environment })
    return (await store.history.read({})).map(({ prompt }) => prompt)
  }
  const store = openStore({ root, home, ...clock })
  await store.history.append('old', 's', { ts: '2026-01-20T12:00:00.000Z' })
  await store.history.append('new', 's', { ts: '2026-01-31T11:00:00.000Z' })
  expect(await prompts({})).toEqual(['new'])
  expect(await prompts({ HISTORY_RETAIN_DAYS: '90' })).toEqual(['new', 'old'])
})

interface Property {
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Property>>
}

test('the published schema has every setting, with the defaults and ranges of the code', () => {
  const page = new URL('../../docs/config.schema.json', import.meta.url)
  const { properties } = JSON.parse(readFileSync(page, 'utf8')) as Required<Property>
  const { $schema: _, checkpoint, ...blocks } = properties
  const names = Object.entries(blocks).flatMap(([block, { properties: inner }]) =>
    inner === undefined ? [block] : Object.keys(inner).map((name) => `${block}.${name}`),
  )
  expect(names.toSorted()).toEqual(CONFIG_NAMES.toSorted())
  const standard = continuitySettings()
  for (const [name, { default: value, minimum, maximum }] of Object.entries(
    blocks['continuity']!.properties!,
  )) {
    const key = name as keyof ContinuitySettings
    expect(standard[key], name).toEqual(value)
    const clamped = (given: number) => continuitySettings({ [key]: given })[key]
    if (minimum !== undefined) expect(clamped(-1), name).toBe(minimum)
    if (maximum !== undefined) expect(clamped(1e9), name).toBe(maximum)
  }
  for (const [name, { default: value }] of Object.entries(blocks['compaction']!.properties!)) {
    expect(policySettings()[name as 'keepPercent'], name).toEqual(value)
  }
  expect(blocks['continuity']!.properties).toMatchObject(checkpoint!.properties!)
})
