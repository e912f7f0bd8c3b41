// Many processes and one log: they share nothing but the file.

import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { type FollowOptions, readLogSync } from '../../lib/log/index.js'
import { scale } from '../helpers/effort.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { problemsOf } from './check.js'
import { runTogether, type WriterTask } from './child.js'
import { followUntil, uuidsOf } from './follow-until.js'
import { startWriter } from './start-child.js'

const SMALL = [300, 2000, 60]
// One line in five is longer than what streams and `appendFile` write in one piece (64 KiB).
const LONG = scale(700_000, 100_000)
const WITH_LONG_LINES = [300, 2000, LONG, 60, 5000]
const WRITERS = scale(8, 4)
const ONE_SHOT_WRITERS = scale(16, 6)

// No process holds a lock for long, but on a busy machine the wait may be long.
const PATIENT = { lockTimeoutMs: 40_000 } as const

// Requirements: 003-20, 003-30, T3
test(`${WRITERS} processes with lines of ${LONG / 1000} KB write whole lines and one chain, and every receipt is true`, async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  const acks = await runTogether(
    writers(WRITERS, { path, how: 'once', sizes: WITH_LONG_LINES, count: 25, options: PATIENT }),
  )
  expect(acks).toHaveLength(WRITERS * 25)
  expect(problemsOf(path, acks)).toEqual([])
  expect(uuidsOf(path)).toHaveLength(acks.length)
})

// Requirements: 003-20, 003-30, T3
test(`${ONE_SHOT_WRITERS} processes of one-shots write as many lines as they acknowledge, and two followers see each event once and in order`, async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  const total = ONE_SHOT_WRITERS * 40
  const followers = [following(t, path, total), following(t, path, total, { pollMs: 20 })]
  const options = { ...PATIENT, durability: 'none' } as const
  const acks = await runTogether(
    writers(ONE_SHOT_WRITERS, { path, how: 'once', sizes: SMALL, count: 40, options }),
  )
  expect(problemsOf(path, acks)).toEqual([])
  const inFile = uuidsOf(path)
  expect(inFile).toHaveLength(total)
  expect(new Set(inFile)).toEqual(new Set(acks.map(({ uuid }) => uuid)))
  for (const seen of await Promise.all(followers)) expect(seen).toEqual(inFile)
})

// Requirements: 003-30, T3
test('writers with the kernel lock and writers without it exclude each other', async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  const children = [true, false].flatMap((useKernelLock) => {
    const options = { ...PATIENT, durability: 'none', useKernelLock } as const
    const name = useKernelLock ? 'kernel' : 'advisory'
    return writers(WRITERS / 2, {
      path,
      how: 'once',
      sizes: WITH_LONG_LINES,
      count: 15,
      options,
      name,
    })
  })
  const acks = await runTogether(children)
  expect(acks).toHaveLength(WRITERS * 15)
  expect(problemsOf(path, acks)).toEqual([])
})

// Requirement: 003-30
test('processes that start the same session at the same time write one header, and all events follow it', async (t) => {
  const root = temporaryFolder(t)
  const acks = await runTogether(
    writers(scale(6, 3), {
      path: root,
      how: 'transcript',
      sizes: SMALL,
      count: 5,
      options: PATIENT,
    }),
  )
  const path = join(root, '.transcripts', 'shared.jsonl')
  expect(problemsOf(path, acks)).toEqual([])
  const types = [...readLogSync(path)].map((entry) => entry.kind === 'event' && entry.event.type)
  expect(types.indexOf('session_header')).toBe(0)
  expect(types.lastIndexOf('session_header')).toBe(0)
  expect(types).toHaveLength(1 + acks.length)
})

function writers(count: number, { name = 'w', ...task }: Omit<WriterTask, 'name'> & Named) {
  return Array.from({ length: count }, (_, index) =>
    startWriter({ ...task, name: `${name}${index}` }),
  )
}

interface Named {
  readonly name?: string
}

function following(t: TestContext, path: string, count: number, options: FollowOptions = {}) {
  const controller = new AbortController()
  t.onTestFinished(() => controller.abort())
  return followUntil(path, count, { ...options, signal: controller.signal })
}
