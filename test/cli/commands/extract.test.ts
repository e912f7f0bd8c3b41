import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BINARY, runCli, runWell } from '../command-line.js'
import { eventsIn, newPlace, type Place, storeSession } from '../stored.js'

const LONG = 'x'.repeat(600)

function storeLong(place: Place): Promise<string> {
  return storeSession(place, 'demo', {
    said: [
      ['user', 'u1', LONG],
      ['assistant', 'a1', 'Done.'],
    ],
  })
}

const cursorsIn = (path: string) =>
  eventsIn(path).filter(({ type }) => type === 'extract_cursor').length

// Requirements: 001-47, 001-55
test('extract prints what is new, once', async (t) => {
  const place = newPlace(t)
  const path = await storeLong(place)
  const text = `User: ${LONG}\nAssistant: Done.\n`
  expect(await runWell(['extract', 'demo', '--no-commit'], place)).toBe(text)
  expect(cursorsIn(path)).toBe(0)
  expect(await runWell(['extract', 'demo'], place)).toBe(text)
  expect(cursorsIn(path)).toBe(1)
  expect(await runCli(['extract', 'demo'], place)).toEqual({
    stdout: '',
    stderr: 'nothing extracted: too short\n',
    exitCode: 1,
  })
})

// Requirement: 001-56
test('extract --json prints the fields of the specification, and the text', async (t) => {
  const place = newPlace(t)
  const path = await storeLong(place)
  const delta = JSON.parse(await runWell(['extract', 'demo', '--json'], place))
  expect(delta).toEqual({
    queued: true,
    sessionId: 'demo',
    jobId: expect.any(String),
    text: `User: ${LONG}\nAssistant: Done.`,
    fromOffset: 0,
    toOffset: expect.any(Number),
    hasMore: false,
    oversize: false,
  })
  expect(eventsIn(path).at(-1)).toMatchObject({ uuid: delta.jobId })
  expect(await runCli(['extract', 'demo', '--json'], place)).toEqual({
    stdout: '{"skipped":true,"reason":"too_short"}\n',
    stderr: '',
    exitCode: 1,
  })
  expect(await runCli(['extract', 'nobody', '--json'], place)).toMatchObject({
    stdout: '{"skipped":true,"reason":"no_transcript"}\n',
    exitCode: 1,
  })
})

test('extract takes limits, and says that there is more', async (t) => {
  const place = newPlace(t)
  await storeLong(place)
  const args = ['extract', 'demo', '--max-chars', '610', '--min-chars', '1']
  const first = await runCli(args, place)
  expect(first).toEqual({
    stdout: `User: ${LONG}\n`,
    stderr: 'There is more: run the command again\n',
    exitCode: 0,
  })
  expect(await runWell(args, place)).toBe('Assistant: Done.\n')
})

test.runIf(process.platform === 'linux')(
  'what could not be written is not committed',
  async (t) => {
    const place = newPlace(t)
    const path = await storeLong(place)
    const child = spawn(process.execPath, [BINARY, 'extract', 'demo', '--root', place.root], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'ignore'],
    })
    const [exitCode] = await once(child, 'close')
    expect(exitCode).toBe(2)
    expect(cursorsIn(path)).toBe(0)
  },
)
