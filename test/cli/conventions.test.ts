// The conventions of all commands: --dry-run writes nothing, plans need --apply, earlier spellings
// work and are not shown.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ALIASES, COMMANDS } from '../../lib/cli/commands.js'
import { appendCheckpoint, openContext } from '../../lib/store/index.js'
import { runCli, runWell } from './command-line.js'
import { contentsOf, newPlace, type Place, storeSession } from './stored.js'

const commands = await Promise.all([...COMMANDS.values()].map((load) => load()))

async function filledPlace(): Promise<Place> {
  const place = newPlace({ onTestFinished })
  await storeSession(place, 'demo')
  await storeSession(place, 'gone')
  await runWell(['trash', 'gone', '--apply'], place)
  await runWell(['history', 'add', 'hello', '--session', 'demo'], place)
  writeFileSync(join(place.cwd, 'notes.md'), 'They said hello.')
  const store = openContext({ root: place.root, home: place.root })
  const record = { trigger: 'periodic', harness: 'test', prompt_count: 1 } as const
  await appendCheckpoint(store, {
    ...record,
    session_key: 'other',
    digest: 'x',
    project: place.cwd,
  })
  return place
}

test.each([
  [['append', 'demo', '--type', 'user', '--payload', '{"content":"x"}'], 'would append user'],
  [['prompt', 'demo', 'x'], 'would record a prompt'],
  [['remember', 'demo', 'x'], 'would remember'],
  [['rename', 'demo', 'Title'], 'would rename demo: Title'],
  [['tag', 'demo', '+x'], 'would be demo: x'],
  [['fork', 'demo', '--id', 'other'], 'would fork demo'],
  [['rewind', 'demo', '--to', 'a1'], 'would rewind demo to a1'],
  [['compact', 'demo', '--from', 'u1'], 'summarized'],
  [['checkpoint', 'add', 'demo', '--digest', 'x'], 'would store a checkpoint of demo'],
  [['history', 'add', 'x', '--session', 'demo'], 'would record a prompt'],
  [['history', 'rotate'], 'would rename'],
  [['init'], ''],
  [['bypass', 'demo', 'on'], 'would switch the hooks of demo off'],
  [['relocate', '/old', '/new'], '/new would include /old'],
  [['repair', 'demo', '--output', 'copy.jsonl'], 'would copy'],
  [['export', 'demo', '--output', 'demo.md'], 'would export'],
  [['resume', 'demo'], 'Two files.'],
  [['archive', 'demo'], 'would archive  demo'],
  [['trash', 'demo'], 'would trash  demo'],
  [['trash', 'restore', 'gone'], 'would restore  gone'],
  [['prune', 'gone'], 'would drop  gone'],
  [['checkpoint', 'prune', '--force'], ''],
  [['history', 'sweep'], ''],
  [['hooks', 'install'], '"SessionStart"'],
  [['hooks', 'uninstall'], ''],
  [['doctor', '--fix'], 'healthy'],
])('%j --dry-run exits with 0 and writes nothing', async (args, text) => {
  const place = await filledPlace()
  const options = { ...place, env: { HOME: place.cwd } }
  const before = { ...contentsOf(place.root), ...contentsOf(place.cwd) }
  const stdout = await runWell([...args, '--dry-run'], options)
  expect(stdout).toContain(text)
  if (args[0] !== 'export') JSON.parse(await runWell([...args, '--dry-run', '--json'], options))
  expect({ ...contentsOf(place.root), ...contentsOf(place.cwd) }).toEqual(before)
})

test('every command that writes takes --dry-run', () => {
  const readers = new Set([
    ...[
      'list',
      'show',
      'search',
      'history',
      'start',
      'recover',
      'log',
      'tail',
      'grep',
      'diff',
      'verify',
    ],
    ...['stats', 'status', 'summaries', 'checkpoint list', 'checkpoint show', 'sidechain list'],
    ...['sidechain show', 'archive list', 'trash list', 'hooks status', 'config', 'completion'],
    'view',
    // They serve a program, which has no use for it.
    ...['hooks run', 'mcp', 'serve'],
  ])
  const without = commands.filter(
    ({ options = [] }) => !options.some((it) => it.name === 'dry-run'),
  )
  expect(new Set(without.map(({ name }) => name))).toEqual(readers)
})

test('append --dry-run rejects what append would reject', async () => {
  const place = newPlace({ onTestFinished })
  const args = ['append', 'demo', '--type', 'No Type', '--dry-run']
  expect(await runCli(args, place)).toMatchObject({ stdout: '', exitCode: 2 })
})

test('--apply and --dry-run cannot be combined', async () => {
  const place = await filledPlace()
  const answer = await runCli(['archive', 'demo', '--apply', '--dry-run'], place)
  expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
})

test('no two commands differ by one letter', () => {
  const words = [...new Set([...COMMANDS.keys()].flatMap((name) => name.split(' ')))]
  for (const one of words) expect(words).not.toContain(`${one}s`)
})

test('an earlier spelling runs the same command and no help lists it', async () => {
  const place = await filledPlace()
  const help = await runWell(['--help'])
  for (const [alias, name] of ALIASES) {
    expect(COMMANDS.has(name)).toBe(true)
    expect(help).not.toMatch(new RegExp(`^ {2}${alias} {2}`, 'm'))
  }
  const listed = await runWell(['checkpoints', 'list'], place)
  expect(await runWell(['checkpoint', 'list'], place)).toBe(listed)
  const input = JSON.stringify({ session_id: 'demo', hook_event_name: 'Stop' })
  expect(await runCli(['hook', 'Stop'], { ...place, input })).toMatchObject({ exitCode: 0 })
  expect(await runWell(['help', 'hook'])).toContain('Usage: jsonl-session hooks run')
})

test('--order asc and desc replace --forward and --reverse, which still work', async () => {
  const place = await filledPlace()
  const log = (...args: string[]) => runWell(['log', 'demo', ...args], place)
  expect(await log('--order', 'desc')).toBe(await log('--reverse'))
  expect(await log('--order', 'asc')).toBe(await log())
  const history = (...args: string[]) => runWell(['history', '--all', ...args], place)
  expect(await history('--order', 'asc')).toBe(await history('--forward'))
  const both = await runCli(['log', 'demo', '--order', 'asc', '--reverse'], place)
  expect(both.exitCode).toBe(2)
})
