// A few events of a session: the last ones, the failures, those around one.

import { appendFileSync, readSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSession } from '../../../lib/free-functions.js'
import { loadLatest, openContext, readBranch, readLastEntries } from '../../../lib/store/index.js'
import { rowsOf, runCli, runWell } from '../command-line.js'
import { CHAT, newPlace, openSession, type Place, type Said, storeSession } from '../stored.js'

const uuidsOf = (stdout: string) => rowsOf(stdout).map(({ uuid }) => uuid)

const failed = (number: number): readonly Said[] => [
  ['tool_call', `c${number}`, { tool_call_id: `t${number}`, name: 'Bash', input: { number } }],
  [
    'tool_result',
    `r${number}`,
    { tool_call_id: `t${number}`, content: `failure ${number}`, is_error: true },
  ],
]

const WITH_ERRORS: readonly Said[] = [
  ['user', 'u1', 'begin'],
  ...failed(1),
  ['assistant', 'a1', 'Once more.'],
  ...failed(2),
  ['assistant', 'a2', 'Hm.'],
  ...failed(3),
  ['assistant', 'a3', 'I give up.'],
]

test.for<[view: string[], uuids: string[]]>([
  [[], ['r1', 'a2']],
  [['--raw'], ['r1', 'a2']],
  [['--history'], ['r1', 'a2']],
  [['--projected'], ['r1', 'a2']],
  [['--text'], ['u2', 'a2']],
  [
    ['--at', 'u2'],
    ['a1', 'u2'],
  ],
  [
    ['--history', '--at', 'u2'],
    ['a1', 'u2'],
  ],
  [
    ['--raw', '--at', 'u2'],
    ['a1', 'u2'],
  ],
])('show --last 2 prints the last two of the view %j', async ([view, uuids], t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: CHAT })
  expect(uuidsOf(await runWell(['show', 'demo', '--last', '2', '--json', ...view], place))).toEqual(
    uuids,
  )
  const all = await runWell(['show', 'demo', '--last', '99', '--json', ...view], place)
  expect(all).toBe(await runWell(['show', 'demo', '--json', ...view], place))
})

test('show --last follows a rewind and a resumed session', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo', { said: CHAT })
  await session.rewind({ to: 'u2' })
  await session.append({ type: 'assistant', uuid: 'a3', payload: { content: 'Not now.' } })
  await session.release()
  const history = ['show', 'demo', '--history', '--last', '3', '--json']
  expect(rowsOf(await runWell(history, place)).map(({ type }) => type)).toEqual([
    'user',
    'rewind',
    'assistant',
  ])
  expect(uuidsOf(await runWell(['show', 'demo', '--last', '2', '--json'], place))).toEqual([
    'u2',
    'a3',
  ])
  await runWell(['resume', 'demo', '--id', 'next', '--json'], place)
  const args = ['show', 'next', '--text', '--last', '2', '--json']
  expect(uuidsOf(await runWell(args, place))).toEqual(['u2', 'a3'])
})

test('show --last 0 shows nothing and exits with 1', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  for (const view of [[], ['--raw'], ['--history'], ['--text'], ['--projected'], ['--errors']]) {
    const answer = await runCli(['show', 'demo', '--last', '0', ...view], place)
    expect(answer).toMatchObject({ stdout: '', exitCode: 1 })
  }
})

test('show --errors prints each failure below its call', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: WITH_ERRORS })
  expect(await runWell(['show', 'demo', '--errors', '--last', '2'], place)).toBe(
    `${[
      'Assistant  2026-01-01T00:00:05Z  c2',
      '  → Bash {"number":2}',
      '  ✗ failure 2',
      '  → Bash {"number":3}',
      '  ✗ failure 3',
    ].join('\n')}\n`,
  )
  const errors = (...args: string[]) =>
    runWell(['show', 'demo', '--errors', '--json', ...args], place)
  expect(uuidsOf(await errors())).toEqual(['r1', 'r2', 'r3'])
  expect(uuidsOf(await errors('--at', 'a2'))).toEqual(['r1', 'r2'])
  expect(uuidsOf(await errors('--at', 'a2', '--last', '1'))).toEqual(['r2'])
  expect(uuidsOf(await errors('--around', 'a2', '-C', '1'))).toEqual(['r2', 'a2', 'r3'])
})

test('show --errors finds what was compacted or abandoned since, and damaged lines', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo', { said: WITH_ERRORS })
  await session.rewind({ to: 'u1' })
  await session.release()
  appendFileSync(session.path, '{"type":"user", damaged\n')
  const { stdout, stderr } = await runCli(['show', 'demo', '--errors', '--json'], place)
  expect(uuidsOf(stdout)).toEqual(['r1', 'r2', 'r3'])
  expect(stderr).toContain('bad_line')
  expect(await runWell(['show', 'demo', '--errors', '--last', '1'], place)).toMatch(
    /^── damage at byte/,
  )
})

test('show --errors without a failure exits with 1 and says so', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  expect(await runCli(['show', 'demo', '--errors'], place)).toEqual({
    stdout: '',
    stderr: `Nothing failed in ${path}\n`,
    exitCode: 1,
  })
})

test('show --around prints an event between its neighbours, marked', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: CHAT })
  const around = (...args: string[]) => runWell(['show', 'demo', '--around', ...args], place)
  expect(uuidsOf(await around('u2', '--json')).slice(1)).toEqual([
    'u1',
    'a1',
    'u2',
    'c1',
    'r1',
    'a2',
  ])
  expect(uuidsOf(await around('-1', '-C', '1', '--json'))).toEqual(['r1', 'a2'])
  expect(uuidsOf(await around('r1', '-C0', '--json'))).toEqual(['r1'])
  expect(await around('u2', '-C', '1')).toBe(
    `${[
      'Assistant  2026-01-01T00:00:02Z  a1',
      'Hi.',
      '',
      '── this event u2 ──',
      '',
      'User  2026-01-01T00:00:03Z  u2',
      'list the files',
      '',
      'Assistant  2026-01-01T00:00:04Z  c1',
      '  → Bash {"command":"ls"}',
    ].join('\n')}\n`,
  )
})

test.for([
  ['--errors', '--history'],
  ['--errors', '--text'],
  ['--around', 'u1', '--projected'],
  ['--around', 'u1', '--last', '1'],
  ['--around', 'u1', '--at', 'u2'],
  ['-C', '2'],
  ['--last', 'many'],
])('show refuses what contradicts itself: %j', async (args, t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  expect((await runCli(['show', 'demo', ...args], place)).exitCode).toBe(2)
})

test('show --around an event that is not there exits with 3', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const { exitCode, stderr } = await runCli(['show', 'demo', '--around', 'nothing'], place)
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('No event "nothing"'),
  })
})

const KIBIBYTE = 1024

/** A session of about 4 MiB; the reads of what follows are counted. */
async function storeLong({ root, cwd }: Place) {
  const session = await createSession({ root, id: 'long', project: cwd, durability: 'none' })
  for (let number = 0; number < 256; number++) {
    const content = `${number} ${'x'.repeat(16 * KIBIBYTE)}`
    await session.append({ type: 'user', uuid: `event-${number}`, payload: { content } })
  }
  await session.release()
  let bytes = 0
  const counting: typeof readSync = ((...args: Parameters<typeof readSync>) => {
    const read = readSync(...args)
    bytes += read
    return read
  }) as typeof readSync
  const store = openContext({ root, environment: { fs: { readSync: counting } } })
  const bytesOf = async (work: () => unknown) => {
    bytes = 0
    await work()
    return bytes
  }
  return { store, path: session.path, bytesOf }
}

test('the last messages are read from the end of the file', async (t) => {
  const { store, path, bytesOf } = await storeLong(newPlace(t))
  const limit = 700 * KIBIBYTE
  const last = { count: 2, types: new Set(['user']) }
  const seen: string[] = []
  const ofHistory = await bytesOf(async () => {
    for await (const { entry } of readBranch(store, path, { last })) {
      if (entry.kind === 'event' && entry.event.type === 'user') seen.push(entry.event.uuid)
    }
  })
  expect(seen).toEqual(['event-254', 'event-255'])
  expect(ofHistory).toBeLessThan(limit)
  const options = { bytesMax: 16 * KIBIBYTE * KIBIBYTE }
  const ofView = await bytesOf(() =>
    loadLatest(store, path, options, ({ log }) => log.projection.entries.length > 2),
  )
  expect(ofView).toBeLessThan(limit)
  expect(await bytesOf(() => readLastEntries(store, path, 2))).toBeLessThan(limit)
})
