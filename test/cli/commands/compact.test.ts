import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rowsOf, runCli, runInTerminal, runWell } from '../command-line.js'
import { eventsIn, newPlace, openSession, type Place, storeSession } from '../stored.js'

const FROM_STDIN = ['--summary-file', '-']

async function seen(place: Place): Promise<unknown[]> {
  const rows = rowsOf(await runWell(['show', 'demo', '--json'], place))
  return rows.map(({ type, uuid }) => (type === 'summary' ? 'summary' : uuid))
}

test('compact puts the text of a file in the place of everything', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  const file = join(place.cwd, 'notes.md')
  writeFileSync(file, '\ufeff# What happened\n\nThey said hello.\n')
  const before = readFileSync(path)
  const stdout = await runWell(['compact', 'demo', '--summary-file', 'notes.md'], place)
  const [summary, boundary] = eventsIn(path).slice(-2)
  expect(stdout).toBe(`compacted demo: 6 → 1 messages; boundary ${boundary!['uuid']}\n`)
  expect(summary).toMatchObject({
    type: 'summary',
    payload: { text: '# What happened\n\nThey said hello.' },
  })
  expect(boundary).toMatchObject({
    type: 'compaction_boundary',
    payload: { strategy: 'external', headUuid: null, messages_summarized: 6 },
  })
  expect(readFileSync(path).subarray(0, before.length)).toEqual(before)
  expect(await seen(place)).toEqual(['summary'])
})

test('compact --json prints the names of both events, and null for what is not known', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  const input = 'They said hello.'
  const stdout = await runWell(['compact', 'demo', ...FROM_STDIN, '--json'], { ...place, input })
  const [summary, boundary] = eventsIn(path).slice(-2)
  expect(JSON.parse(stdout)).toEqual({
    sessionId: 'demo',
    boundaryUuid: boundary!['uuid'],
    summaryUuid: summary!['uuid'],
    strategy: 'external',
    tokensBefore: (boundary!['payload'] as { tokens_before: number }).tokens_before,
    tokensAfter: null,
    needsRetry: false,
    contextEpoch: 1,
  })
})

test.for([
  { args: ['--keep-from', 'u2'], left: ['summary', 'u2', 'c1', 'r1', 'a2'] },
  { args: ['--up-to', 'a1'], left: ['summary', 'u2', 'c1', 'r1', 'a2'] },
  { args: ['--up-to', 'a2'], left: ['summary'] },
  { args: ['--from', 'u2'], left: ['u1', 'a1', 'summary'] },
  { args: ['--from', 'u1'], left: ['summary'] },
])('compact $args leaves $left', async ({ args, left }, t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  await runWell(['compact', 'demo', ...FROM_STDIN, ...args], { ...place, input: 'words' })
  expect(await seen(place)).toEqual(left)
})

test('compact twice counts up', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const epochs = []
  for (const input of ['one', 'two']) {
    const args = ['compact', 'demo', ...FROM_STDIN, '--json']
    epochs.push(JSON.parse(await runWell(args, { ...place, input })).contextEpoch)
  }
  expect(epochs).toEqual([1, 2])
})

test('compact of a session that another process has open exits with 5', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  t.onTestFinished(() => session.release())
  const answer = await runCli(['compact', 'demo', ...FROM_STDIN], { ...place, input: 'words' })
  expect(answer.stderr).toContain('ERR_LOCKED')
  expect(answer).toMatchObject({ stdout: '', exitCode: 5 })
})

test('compact that waits for a person to type says so', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const args = ['compact', 'demo', ...FROM_STDIN, '--root', place.root]
  const { stdout, stderr, exitCode } = await runInTerminal(args, { input: 'typed' })
  expect(stderr).toContain('Waiting for the summary')
  expect(stdout).toMatch(/^compacted demo/)
  expect(exitCode).toBe(0)
})

test.for([
  { args: ['demo'], reason: 'compact needs a summary: --summary-file', exitCode: 2 },
  { args: ['demo', ...FROM_STDIN], input: ' \n', reason: 'The summary is empty', exitCode: 2 },
  { args: ['demo', '--summary-file', '/no/such'], reason: 'ERR_NOT_FOUND', exitCode: 3 },
  { args: ['demo', '--summary-file', '/'], reason: 'EISDIR', exitCode: 2 },
  { args: ['demo', ...FROM_STDIN, '--up-to', 'no'], reason: '"no" is not among', exitCode: 3 },
  { args: ['demo', ...FROM_STDIN, '--from', 'no'], reason: '"no" is not among', exitCode: 3 },
  { args: ['demo', ...FROM_STDIN, '--keep-from', 'no'], reason: '"no" is not among', exitCode: 3 },
  {
    args: ['demo', ...FROM_STDIN, '--keep-from', 'u1'],
    reason: 'ERR_NOTHING_TO_COMPACT',
    exitCode: 2,
  },
  {
    args: ['demo', ...FROM_STDIN, '--from', 'a1', '--up-to', 'u2'],
    reason: 'cannot be combined',
    exitCode: 2,
  },
  { args: ['nobody', ...FROM_STDIN], reason: 'No session "nobody"', exitCode: 3 },
])(
  'compact $args writes nothing: $reason',
  async ({ args, input = 'words', reason, exitCode }, t) => {
    const place = newPlace(t)
    const path = await storeSession(place, 'demo')
    const before = readFileSync(path)
    const answer = await runCli(['compact', ...args], { ...place, input })
    expect(answer.stderr).toContain(reason)
    expect(answer).toMatchObject({ stdout: '', exitCode })
    expect(readFileSync(path)).toEqual(before)
  },
)
