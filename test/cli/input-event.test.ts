// How people name an event: whole, by its beginning, or counted from the end.

import { expect, test } from 'vitest'
import { runCli, runWell } from './command-line.js'
import { CHAT, newPlace, type Said, storeSession } from './stored.js'

const SAID: readonly Said[] = [
  ['user', 'aaaa1111', 'first'],
  ['assistant', 'aaaa2222', 'second'],
  ['user', 'bbbb3333', 'third'],
  ...CHAT,
]

test('an event is named by the beginning of its uuid', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: SAID })
  const shown = await runWell(['show', 'demo', '--at', 'bbbb', '--text'], place)
  expect(shown).toBe('User: first\nAssistant: second\nUser: third\n')
})

test('a beginning that several events share is refused, and they are listed', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: SAID })
  const { exitCode, stderr } = await runCli(['show', 'demo', '--at', 'aaaa'], place)
  expect(exitCode).toBe(2)
  expect(stderr).toContain('"aaaa" matches 2 events: aaaa1111, aaaa2222')
})

test('-N is the Nth last message, in every command that takes an event', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: SAID })
  const forked = JSON.parse(await runWell(['fork', 'demo', '--at', '-3', '--json'], place))
  expect(forked.forkedFrom.atUuid).toBe('c1')
  const args = ['resume', 'demo', '--at', '-8', '--mode', 'inspect', '--json']
  const resumed = JSON.parse(await runWell(args, place))
  expect(resumed.messages.at(-1).uuid).toBe('aaaa2222')
  const exported = await runWell(['export', 'demo', '--at', '-9', '--format', 'text'], place)
  expect(exported).not.toContain('second')
  await runWell(['rewind', 'demo', '--to', '-7'], place)
  expect(await runWell(['show', 'demo', '--text'], place)).toMatch(/User: third\n$/)
})

test('a number beyond the first message says how many there are', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: SAID })
  for (const number of ['-10', '-0']) {
    const { exitCode, stderr } = await runCli(['show', 'demo', '--at', number], place)
    expect(exitCode).toBe(3)
    expect(stderr).toContain(`The model sees 9 messages`)
  }
})

test('what begins no event is reported as missing', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: SAID })
  const { exitCode, stderr } = await runCli(['show', 'demo', '--at', 'cccc'], place)
  expect(exitCode).toBe(3)
  expect(stderr).toContain('cccc')
})
