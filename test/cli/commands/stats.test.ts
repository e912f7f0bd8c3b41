import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { line } from '../../helpers/lines.js'
import { runCli, runInTerminal, runWell } from '../command-line.js'
import { newPlace, type Said, storeSession } from '../stored.js'

test('stats --json counts a store', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const stats = JSON.parse(await runWell(['stats', '--by', 'type', '--json'], place))
  expect(stats).toMatchObject({
    by: 'type',
    total: { sessions: 1, files: 1, toolCalls: 1, errors: 0 },
    tools: [{ name: 'Bash', calls: 1, errors: 0 }],
  })
  const events = Object.fromEntries(
    (stats.groups as { key: string; events: number }[]).map(({ key, events }) => [key, events]),
  )
  expect(events).toMatchObject({ user: 2, assistant: 2, tool_call: 1, tool_result: 1 })
})

test('stats in a pipe are numbers parted by tabs; in a terminal a chart with a total', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  await storeSession(place, 'small', { second: 60, said: [['user', 'x1', 'hi']] })
  const rows = (await runWell(['stats'], place)).trimEnd().split('\n')
  expect(rows.map((row) => row.split('\t').length)).toEqual([11, 11])
  expect(rows[0]).toMatch(/^demo\t\d+\t\d+\t0\t0\t0\t1\t0\t0\t0\t-$/)
  const { stdout } = await runInTerminal(['stats', '--root', place.root], {
    columns: 120,
    env: { NO_COLOR: '1' },
  })
  const [heading, first, second, total] = stdout.split('\n')
  expect(heading).toMatch(/^SESSION +SIZE +EVENTS/)
  expect(first).toMatch(/^demo .*█{15,}$/)
  expect(second!.match(/█/g)!.length).toBeLessThan(first!.match(/█/g)!.length)
  expect(total).toMatch(/^total of 2 sessions/)
  expect(stdout).toContain('tools: Bash 1')
})

test('stats --top shows the largest files of the store', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const stdout = await runWell(['stats', '--top', '1'], place)
  expect(stdout).toMatch(/^\d+\ttranscripts\t.*demo\.jsonl\n$/)
  expect(JSON.parse(await runWell(['stats', '--top', '1', '--json'], place))).toMatchObject({
    files: [{ kind: 'transcripts' }],
  })
  const { stdout: shown } = await runInTerminal(['stats', '--top', '1', '--root', place.root], {
    env: { NO_COLOR: '1' },
  })
  expect(shown).toMatch(/transcripts +1 files? .*█/)
})

test('stats of nothing is exit 1, and wrong use exit 2', async (t) => {
  const place = newPlace(t)
  expect(await runCli(['stats'], place)).toMatchObject({ exitCode: 1, stdout: '' })
  expect((await runCli(['stats', '--by', 'mood'], place)).exitCode).toBe(2)
  expect((await runCli(['stats', '--top', '3', '--by', 'day'], place)).exitCode).toBe(2)
  expect((await runCli(['stats', '--since', 'yore'], place)).exitCode).toBe(2)
})

test('stats by project shows folders by their names, and large counts shortly', async (t) => {
  const place = newPlace(t)
  const said = (input_tokens: number, output_tokens: number): Said[] => [
    ['assistant', 'a1', { content: 'x', usage: { input_tokens, output_tokens } }],
    ['tool_call', 'c1', { tool_call_id: 't1', name: 'Bash', input: {} }],
    ['tool_result', 'r1', { tool_call_id: 't1', content: 'no', is_error: true }],
  ]
  await storeSession(place, 'one', { project: '/work/shop', said: said(12_345, 2_500_000) })
  await storeSession(place, 'two', { project: '/', said: said(1, 1) })
  const env = { NO_COLOR: '1' }
  const args = ['stats', '--by', 'project', '--root', place.root]
  const wide = await runInTerminal(args, { columns: 120, env })
  expect(wide.stdout).toMatch(/^shop .* 12k +0 +2\.5M +\? .*$/m)
  expect(wide.stdout).toMatch(/^\/ .* 1 +0 +1 +\? /m)
  expect(wide.stdout).toContain('tools: Bash 2 (2 failed)')
  const narrow = await runInTerminal(args, { columns: 60, env })
  expect(narrow.stdout).not.toMatch(/[█▏▎▍▌▋▊▉]/)
  for (const row of narrow.stdout.trimEnd().split('\n')) expect(row.length).toBeLessThan(61)
})

test('stats without tools list none, and files without a session are counted', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'one', { said: [['user', 'u1', 'hi']] })
  const lost = line('user', { payload: { content: 'who am I' } })
  writeFileSync(join(place.root, '.transcripts', 'lost.jsonl'), lost)
  const args = ['stats', '--by', 'project']
  expect(await runWell(args, place)).toMatch(/^-\t/m)
  const { stdout } = await runInTerminal([...args, '--root', place.root], { columns: 120 })
  expect(stdout).toMatch(/^- /m)
  expect(stdout).not.toContain('tools:')
  const empty = newPlace(t)
  expect(await runCli(['stats', '--top', '3'], empty)).toMatchObject({ stdout: '', exitCode: 1 })
})

test('a time of which nothing is counted is answered with no', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  expect(await runCli(['stats', '--since', '2100-01-01'], place)).toEqual({
    stdout: '',
    stderr: 'There is nothing to count\n',
    exitCode: 1,
  })
})
