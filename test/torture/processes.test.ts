// Many processes, one log. Each is a stranger to the others: they share nothing but the file.

import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { type FollowOptions, readLogSync } from '../../lib/log/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { problemsOf } from './check.js'
import { runTogether, type WriterTask } from './child.js'
import { followUntil, uuidsOf } from './follow-until.js'
import { startWriter } from './start-child.js'

const SMALL = [300, 2000, 60]
// One line in five is longer than what streams and `appendFile` write in one piece.
const WITH_LONG_LINES = [300, 2000, 700_000, 60, 5000]

// Nobody holds a lock for long, but on a busy machine it may be long until one's turn.
const PATIENT = { lockTimeoutMs: 40_000 } as const

test('8 processes with lines of 700 KB leave whole lines, one chain, and receipts that are true (003-20, 003-30, T3)', async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  const acks = await runTogether(
    writers(8, { path, how: 'once', sizes: WITH_LONG_LINES, count: 25, options: PATIENT }),
  )
  expect(acks).toHaveLength(8 * 25)
  expect(problemsOf(path, acks)).toEqual([])
  expect(uuidsOf(path)).toHaveLength(acks.length)
})

test('16 processes of one-shots leave as many lines as acknowledgements, and two followers see each event once and in order (003-20, 003-30, T3)', async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  const total = 16 * 40
  const followers = [following(t, path, total), following(t, path, total, { pollMs: 20 })]
  const options = { ...PATIENT, durability: 'none' } as const
  const acks = await runTogether(
    writers(16, { path, how: 'once', sizes: SMALL, count: 40, options }),
  )
  expect(problemsOf(path, acks)).toEqual([])
  const inFile = uuidsOf(path)
  expect(inFile).toHaveLength(total)
  expect(new Set(inFile)).toEqual(new Set(acks.map(({ uuid }) => uuid)))
  for (const seen of await Promise.all(followers)) expect(seen).toEqual(inFile)
})

test('writers with the kernel lock and writers without it keep each other out (003-30, T3)', async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  const children = [true, false].flatMap((useKernelLock) => {
    const options = { ...PATIENT, durability: 'none', useKernelLock } as const
    const name = useKernelLock ? 'kernel' : 'advisory'
    return writers(4, { path, how: 'once', sizes: WITH_LONG_LINES, count: 15, options, name })
  })
  const acks = await runTogether(children)
  expect(acks).toHaveLength(8 * 15)
  expect(problemsOf(path, acks)).toEqual([])
})

test('processes that begin the same session at once write one header, and all follow it (003-30)', async (t) => {
  const root = temporaryFolder(t)
  const acks = await runTogether(
    writers(6, { path: root, how: 'transcript', sizes: SMALL, count: 5, options: PATIENT }),
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
