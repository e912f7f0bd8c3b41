// Two sessions from where they part.

import { expect, test } from 'vitest'
import { rowsOf, runCli, runInTerminal, runWell } from '../command-line.js'
import { CHAT, newPlace, openSession, type Place, storeSession } from '../stored.js'

async function say(place: Place, session: string, uuid: string, content: string): Promise<void> {
  const payload = JSON.stringify({ content })
  await runWell(['append', session, '--type', 'user', '--uuid', uuid, '--payload', payload], place)
}

const diffOf = async (place: Place, ...args: string[]) => {
  const { stdout, exitCode } = await runCli(['diff', ...args, '--json'], place)
  const [head, ...rows] = rowsOf(stdout)
  return {
    exitCode,
    common: head!['common'],
    rows: rows.map(({ session, event }) => [session, (event as { uuid: string }).uuid]),
  }
}

test('diff prints what a fork and its source have in common, and what each has after it', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: CHAT })
  await runWell(['fork', 'demo', '--at', 'u2', '--id', 'other'], place)
  await say(place, 'other', 'x1', 'show the first one')
  const { stdout, exitCode } = await runCli(['diff', 'demo', 'other'], place)
  expect(stdout).toMatch(
    new RegExp(
      [
        '^3 messages in common, up to u2, 2026-01-01T00:00:03Z',
        '',
        '--- demo',
        '- Assistant  2026-01-01T00:00:04Z  c1',
        '-   → Bash \\{"command":"ls"\\}',
        '-   ← a.txt',
        '-     b.txt',
        '-',
        '- Assistant  2026-01-01T00:00:06Z  a2',
        '- Two files.',
        '3 messages only in demo',
        '',
        '\\+\\+\\+ other',
        '\\+ User  \\S+  x1',
        '\\+ show the first one',
        '1 message only in other\\n$',
      ].join('\n'),
    ),
  )
  expect(exitCode).toBe(1)
  expect(await diffOf(place, 'demo', 'other')).toEqual({
    exitCode: 1,
    common: { events: 3, messages: 3, lastUuid: 'u2', lastTs: '2026-01-01T00:00:03.000Z' },
    rows: [
      ['demo', 'c1'],
      ['demo', 'r1'],
      ['demo', 'a2'],
      ['other', 'x1'],
    ],
  })
})

test('diff knows a fork of a fork, a resumed session and the beginning of an id', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: CHAT })
  await runWell(['fork', 'demo', '--at', 'u2', '--id', 'fork-one'], place)
  await say(place, 'fork-one', 'x1', 'one')
  await runWell(['fork', 'fork-one', '--id', 'fork-of-fork'], place)
  await say(place, 'fork-of-fork', 'x2', 'two')
  expect(await diffOf(place, 'fork-one', 'fork-of')).toMatchObject({
    common: { messages: 4, lastUuid: 'x1' },
    rows: [['fork-of', 'x2']],
  })
  expect(await diffOf(place, 'fork-of-fork', 'demo')).toMatchObject({
    common: { messages: 3, lastUuid: 'u2' },
    rows: [
      ['fork-of-fork', 'x1'],
      ['fork-of-fork', 'x2'],
      ['demo', 'c1'],
      ['demo', 'r1'],
      ['demo', 'a2'],
    ],
  })
  await runWell(['resume', 'demo', '--id', 'resumed', '--json'], place)
  await say(place, 'resumed', 'x3', 'three')
  expect(await diffOf(place, 'resumed', 'fork-of-fork')).toMatchObject({
    common: { lastUuid: 'u2' },
    rows: expect.arrayContaining([['resumed', 'x3']]),
  })
})

test('diff compares the branches that are active after a rewind', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo', { said: CHAT })
  await runWell(['fork', 'demo', '--id', 'other'], place)
  await session.rewind({ to: 'a1' })
  await session.append({ type: 'user', uuid: 'u3', payload: { content: 'something else' } })
  await session.release()
  const { common, rows } = await diffOf(place, 'demo', 'other')
  expect(common).toMatchObject({ messages: 2, lastUuid: 'a1' })
  expect(rows.filter(([name]) => name === 'demo').at(-1)).toEqual(['demo', 'u3'])
  expect(rows.filter(([name]) => name === 'other').map(([, uuid]) => uuid)).toEqual([
    'u2',
    'c1',
    'r1',
    'a2',
  ])
})

test('sessions with the same events have no difference', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  await runWell(['fork', 'demo', '--id', 'other'], place)
  const { stderr, exitCode } = await runCli(['diff', 'demo', 'other'], place)
  expect({ stderr, exitCode }).toEqual({
    stderr: 'demo and other have the same events\n',
    exitCode: 0,
  })
  expect((await runCli(['diff', 'demo', 'demo'], place)).exitCode).toBe(0)
})

test('sessions without a common event are refused with a reason', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  await storeSession(place, 'stranger', { said: [['user', 'z1', 'hello']] })
  const { stdout, stderr, exitCode } = await runCli(['diff', 'demo', 'stranger'], place)
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 })
  expect(stderr).toContain('demo and stranger have no event in common')
  expect((await runCli(['diff', 'demo', 'nobody'], place)).exitCode).toBe(3)
  expect((await runCli(['diff', 'demo'], place)).exitCode).toBe(2)
})

test('a terminal shows both sides in colour, and nothing of a message moves it', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: CHAT.slice(0, 2) })
  await runWell(['fork', 'demo', '--id', 'other'], place)
  await say(place, 'demo', 'x1', 'red\u001b[2J')
  await say(place, 'other', 'x2', 'green')
  const { stdout } = await runInTerminal(['diff', 'demo', 'other', '--root', place.root])
  expect(stdout).toContain('\u001b[31m- red [2J\u001b[39m')
  expect(stdout).toContain('\u001b[32m+ green\u001b[39m')
  expect(stdout).not.toContain('\u001b[2J')
})
