import { expect, test } from 'vitest'
import { runCli, runInTerminal, runWell } from '../command-line.js'
import { newPlace, storeSession } from '../stored.js'

const said = (text: string) => [['user', 'u1', text]] as const

// Requirements: 001-72, 001-77
test('search prints the best place of each session, best first', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'one', { project: '/work/net', said: said('the trunk of a tree') })
  await storeSession(place, 'two', { project: '/work/net', said: said('focus on\ntrunk ports') })
  const stdout = await runWell(['search', 'Trunk', 'ports'], place)
  expect(stdout).toBe(
    'two  net  2026-01-01\n  focus on trunk ports\none  net  2026-01-01\n  the trunk of a tree\n',
  )
})

test('search --json prints the fields of the specification', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const found = JSON.parse(await runWell(['search', 'files', '--json'], place))
  expect(found).toEqual({
    query: 'files',
    hits: [
      {
        sessionId: 'demo',
        project: place.cwd,
        updatedAt: '2026-01-01T00:00:06.000Z',
        excerpt: 'list the files',
        rank: -2,
      },
    ],
    count: 1,
    message: expect.stringContaining('list the files'),
    skipped: [],
  })
})

// Requirement: 001-76
test('search looks at the whole store, unless a project or a session is named', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'here')
  await storeSession(place, 'there', { project: '/elsewhere', second: 60 })
  const keys = async (...args: string[]) => {
    const { hits } = JSON.parse(await runWell(['search', 'hello', '--json', ...args], place))
    return (hits as { sessionId: string }[]).map(({ sessionId }) => sessionId)
  }
  expect(await keys()).toEqual(['there', 'here'])
  expect(await keys('--limit', '1')).toEqual(['there'])
  expect(await keys('--project', place.cwd)).toEqual(['here'])
  expect(await keys('--session', 'here')).toEqual(['here'])
})

test('search without a hit is exit 1, and says so', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const answer = await runCli(['search', 'juniper'], place)
  expect(answer).toEqual({
    stdout: '',
    stderr: 'Nothing was found for "juniper".\n',
    exitCode: 1,
  })
  expect(await runCli(['search', 'juniper', '--json'], place)).toMatchObject({
    stdout: expect.stringContaining('"hits":[]'),
    stderr: '',
    exitCode: 1,
  })
})

test.for([
  { args: [], reason: "missing required argument 'query'", exitCode: 2 },
  { args: [' '], reason: 'A search needs a query', exitCode: 2 },
  { args: ['x', '--limit', 'many'], reason: '--limit takes a whole number', exitCode: 2 },
  { args: ['x', '--session', 'nobody'], reason: 'No session "nobody"', exitCode: 3 },
])('search $args is refused: $reason', async ({ args, reason, exitCode }, t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const answer = await runCli(['search', ...args], place)
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode })
})

test('control characters in recorded text cannot move the cursor', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: said('needle \u001b[2J\u202e end') })
  const { stdout } = await runInTerminal(['search', 'needle', '--root', place.root, '--no-color'])
  expect(stdout).toContain('needle [2J end')
})

test('search colours the words it found on a terminal, and nothing in a pipe', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: said('Trunk\x1b[2J of a PORT, and trunk ports') })
  const args = ['search', 'trunk', 'ports', '--root', place.root]
  const { stdout } = await runInTerminal(args)
  const mark = (text: string) => `\x1b[1m\x1b[31m${text}\x1b[39m\x1b[22m`
  expect(stdout.split('\n')[1]).toBe(`  ${mark('Trunk')} [2J of a PORT, and ${mark('trunk ports')}`)
  expect((await runInTerminal([...args, '--no-color'])).stdout).not.toContain('\x1b')
  expect(await runWell(['search', 'trunk', 'ports'], place)).not.toContain('\x1b')
})
