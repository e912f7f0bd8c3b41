// list: columns, filters, orders, the tree and the projects, in this process and on real terminals.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { formatCost, formatCount, formatDuration } from '../../../lib/cli/output/units.js'
import { openStore } from '../../../lib/index.js'
import { runCli, runInTerminal, runWell } from '../command-line.js'
import { newPlace, type Place, type Said, storeSession } from '../stored.js'
import { hasTerminals, playTerminal } from '../terminal.js'

const SONNET = 'claude-sonnet-4-20250514'
const HOSTILE = 'wide 日本語 \u001b[31mred\u001b]0;owned\u0007 \u202e\u200b\r\n\tend '.repeat(4)

const said = (tokens: number, title = 'hello', model = SONNET): Said[] => [
  ['user', 'u1', title],
  ['assistant', 'a1', { content: 'x', model, usage: { input_tokens: tokens, output_tokens: 0 } }],
]

async function fill(place: Place): Promise<void> {
  await storeSession(place, 'small', { said: said(1000), second: 300 })
  await storeSession(place, 'large', { said: said(2_000_000, 'costly work'), second: 0 })
  await storeSession(place, 'odd', { said: said(10, HOSTILE, 'home-made'), second: 600 })
}

async function idsOf(args: readonly string[], place: Place): Promise<string[]> {
  const { sessions } = JSON.parse(await runWell(['list', ...args, '--json'], place))
  return sessions.map(({ sessionId }: { sessionId: string }) => sessionId)
}

test('list --long prints turns, tokens, cost, model and duration', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const columns = ['--columns', 'session,turns,tokens,cost,model,duration']
  expect((await runWell(['list', ...columns], place)).split('\n')).toEqual([
    'odd    1  10    ?        home-made                 2 s',
    `small  1  1000  $0.0030  ${SONNET}  2 s`,
    `large  1  2.0M  $6.00    ${SONNET}  2 s`,
    '',
  ])
  const { sessions } = JSON.parse(await runWell(['list', '--long', '--json'], place))
  expect(sessions[0]).toMatchObject({
    sessionId: 'odd',
    turns: 1,
    tokens: { input: 10 },
    cost: { microDollars: 0, unpricedTokens: 10 },
    model: 'home-made',
    durationMs: 2000,
    models: [{ model: 'home-made', microDollars: null }],
    resumedFrom: null,
  })
})

test('list without --long prints no figures and leaves no cache', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const { sessions } = JSON.parse(await runWell(['list', '--json'], place))
  expect(sessions[0]).not.toHaveProperty('turns')
  expect(() => rmSync(join(place.root, '.cache'), { recursive: true })).toThrow(/ENOENT/)
})

test('deleting the cache changes nothing of what list prints', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const first = await runWell(['list', '--long', '--json'], place)
  expect(await runWell(['list', '--long', '--json'], place)).toBe(first)
  rmSync(join(place.root, '.cache'), { recursive: true })
  expect(await runWell(['list', '--long', '--json'], place)).toBe(first)
})

test('list --sort orders by what it names, and --limit takes the first of them', async (t) => {
  const place = newPlace(t)
  await fill(place)
  expect(await idsOf(['--sort', 'cost'], place)).toEqual(['large', 'small', 'odd'])
  expect(await idsOf(['--sort', 'tokens', '--limit', '1'], place)).toEqual(['large'])
  expect(await idsOf(['--sort', 'started'], place)).toEqual(['odd', 'small', 'large'])
  expect(await idsOf(['--sort', 'title', '--limit', '2'], place)).toEqual(['large', 'small'])
  expect((await runCli(['list', '--sort', 'mood'], place)).exitCode).toBe(2)
  expect((await runCli(['list', '--columns', 'mood'], place)).stderr).toContain('session, title')
})

test('list --since, --status and --grep select', async (t) => {
  const place = newPlace(t)
  await fill(place)
  await runWell(['tag', 'small', '+parser'], place)
  await runWell(['close', 'large'], place)
  expect(await idsOf(['--since', '2026-01-01T00:05:00Z'], place)).toEqual(['odd', 'small'])
  expect(await idsOf(['--status', 'clean'], place)).toEqual(['large'])
  expect(await idsOf(['--status', 'clean,unclosed', '--limit', '2'], place)).toHaveLength(2)
  expect(await idsOf(['--grep', 'COSTLY'], place)).toEqual(['large'])
  expect(await idsOf(['--grep', 'pars'], place)).toEqual(['small'])
  expect(await runCli(['list', '--status', 'lost'], place)).toMatchObject({ exitCode: 2 })
  const none = await runCli(['list', '--grep', 'nowhere'], place)
  expect(none).toMatchObject({ stdout: '', exitCode: 1 })
  expect(none.stderr).toContain('that match')
})

test('a sub-folder lists the sessions of its project, and a project of its own those alone', async (t) => {
  const place = newPlace(t)
  const sub = join(place.cwd, 'src', 'deep')
  mkdirSync(sub, { recursive: true })
  await storeSession(place, 'top')
  expect(await idsOf([], { ...place, cwd: sub })).toEqual(['top'])
  await storeSession(place, 'inner', { project: join(place.cwd, 'src') })
  expect(await idsOf([], { ...place, cwd: sub })).toEqual(['inner'])
  expect(await idsOf([], place)).toEqual(['top'])
  // An explicit path means itself only.
  expect((await runCli(['list', '--project', sub], place)).exitCode).toBe(1)
})

test('the home of the user is no project of everything in it', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'at-home')
  const cwd = join(place.cwd, 'new-project')
  mkdirSync(cwd)
  const env = { HOME: place.cwd }
  const { exitCode } = await runCli(['list'], { root: place.root, cwd, env })
  expect(exitCode).toBe(1)
})

test('list --project takes what the column prints, and paths', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'one', { project: '/work/shop' })
  await storeSession(place, 'two', { project: '/other/shop', second: 60 })
  await storeSession(place, 'three', { project: '/work/bakery' })
  expect(await runWell(['list', '--all', '--columns', 'project,session'], place)).toContain('shop')
  expect(await idsOf(['--project', 'shop'], place)).toEqual(['two', 'one'])
  expect(await idsOf(['--project', '/work/shop'], place)).toEqual(['one'])
  expect((await runCli(['list', '--project', 'sho'], place)).exitCode).toBe(1)
})

test('list --tree draws continued sessions, forks and subagents below their origin', async (t) => {
  const place = newPlace(t)
  const store = openStore({ root: place.root })
  const session = await store.createSession({ id: 'root', project: place.cwd })
  await session.prompt('begin')
  const task = await session.spawn({ taskId: 'task-1', prompt: 'look around' })
  await task.finish({ status: 'completed', summary: 'done' })
  await session.close()
  store.forkSession('root', { newId: 'fork' })
  await store.prompt({ session_id: 'fork', content: 'differently' })
  const { session: next } = await store.resumeSession({ id: 'root', newId: 'next' })
  await next.prompt('go on')
  await next.close()
  const rows = (await runWell(['list', '--tree', '--columns', 'session,lineage'], place)).split(
    '\n',
  )
  expect(rows.slice(0, 4).map((row) => row.trimEnd())).toEqual(
    [
      'root         -',
      '├─ task-1    subagent of root',
      '├─ fork      fork of root',
      '└─ next      continues root',
    ].map((row) => expect.stringMatching(new RegExp(row.replace(/ +/g, ' +')))),
  )
})

test('costs, counts and durations are printed in few characters', () => {
  expect([0, 9999, 12_345, 2_500_000, 3_200_000_000].map(formatCount)).toEqual([
    ...['0', '9999', '12k', '2.5M', '3.2G'],
  ])
  expect([0, 45_000, 720_000, 3_600_000, 11_100_000].map(formatDuration)).toEqual([
    ...['0 s', '45 s', '12 min', '1 h', '3 h 5 min'],
  ])
  const cost = (microDollars: number, unpricedTokens = 0) => ({ microDollars, unpricedTokens })
  expect(formatCost(cost(1_234_567), 10)).toBe('$1.23')
  expect(formatCost(cost(1_234_567, 3), 10)).toBe('$1.23+')
  expect(formatCost(cost(300), 10)).toBe('$0.0003')
  expect(formatCost(cost(0), 10)).toBe('$0.00')
  expect(formatCost(cost(0, 10), 10)).toBe('?')
  expect(formatCost(cost(0), 0)).toBe('-')
})

test('--prices sets the cost, and a wrong file is refused by the path of its error', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const file = join(place.cwd, 'prices.json')
  writeFileSync(file, '{"models":{"home-*":{"input":100,"output":1}}}')
  const args = ['list', '--long', '--json', '--prices', 'prices.json']
  const { sessions } = JSON.parse(await runWell(args, place))
  expect(sessions[0].cost).toEqual({ microDollars: 1000, unpricedTokens: 0 })
  writeFileSync(file, '{"models":{"x":{"input":true,"output":1}}}')
  const refused = await runCli(['stats', '--prices', 'prices.json'], place)
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toContain('models.x.input')
})

const plain = (text: string) => text.replaceAll(/\u001b\[[\d;]*m/g, '')

test.each([80, 100, 140])(
  'list --long fits into %i columns and keeps the title',
  async (columns) => {
    const place = newPlace({ onTestFinished })
    await fill(place)
    const args = ['list', '--long', '--root', place.root]
    const { stdout } = await runInTerminal(args, { cwd: place.cwd, columns })
    const rows = plain(stdout).trimEnd().split('\n')
    expect(rows[0]).toMatch(/^SESSION +TITLE .*TURNS +TOKENS +COST/)
    expect(rows).toHaveLength(4)
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(columns)
    if (columns === 140) expect(rows[0]).toMatch(/MODEL +DURATION +PROJECT/)
  },
)

test.runIf(hasTerminals)(
  'less shows a short list without waiting, and what is not ASCII',
  async (t) => {
    const place = newPlace(t)
    await fill(place)
    const { seen, exitCode } = await playTerminal(['list', '--no-color'], place, {
      env: { JSONL_SESSION_PAGER: 'less -FRX' },
    })
    expect(exitCode).toBe(0)
    expect(seen).toContain('日本語')
  },
)

test.runIf(hasTerminals)(
  'on real terminals of 80 and 140 columns hostile titles stay in their row',
  async (t) => {
    const place = newPlace(t)
    await fill(place)
    for (const [columns, args] of [
      [80, ['list']],
      [140, ['list', '--long']],
    ] as const) {
      const { seen, exitCode } = await playTerminal([...args], place, {
        columns,
        env: { JSONL_SESSION_PAGER: 'cat' },
      })
      expect(exitCode).toBe(0)
      expect(seen).not.toContain('\u001b]0;')
      expect(seen).not.toContain('\u202e')
      const rows = plain(seen).trimEnd().split(/\r?\n/)
      expect(rows).toHaveLength(4)
      // Each of the Japanese characters is two columns wide.
      const widthOf = (row: string) => row.length + (row.match(/[日本語]/g)?.length ?? 0)
      for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(columns)
    }
  },
)
