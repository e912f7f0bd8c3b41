// A stopped process (a debugger, job control, a laptop lid) is not dead: it may continue in the middle
// of a step, so until then no other process may write.

import { mkdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { appendOnce, openLog } from '../../lib/log/index.js'
import { lockPathOf } from '../../lib/log/lock/inspect.js'
import { AT_ONCE_MS } from '../helpers/at-once.js'
import { runs } from '../helpers/effort.js'
import { seededRandom } from '../helpers/random.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { problemsOf } from './check.js'
import { isSignedBy, makeLockOld } from './old-lock.js'
import { startWriter } from './start-child.js'

const SIZES = [300, 40_000, 60, 2000, 200_000]
const STOPS = runs(6, 2)
const LOOK_MS_MAX = 50

// The lock timeout is long, so an answer within a second did not wait for it.
const PATIENT = { durability: 'none', lockTimeoutMs: 30_000 } as const

const KINDS = [
  { name: 'with the kernel lock', options: PATIENT },
  { name: 'without it', options: { ...PATIENT, useKernelLock: false } },
] as const

const onLinux = test.runIf(process.platform === 'linux')

// Requirements: 003-30, 003-44, T7
onLinux.for(KINDS)(
  'a stopped process keeps its lock: others fail immediately with its pid, and it continues undisturbed: $name',
  async ({ options }, t) => {
    const random = seededRandom(t)
    const path = join(temporaryFolder(t), 's.jsonl')
    const holder = startWriter({ path, how: 'lease', name: 'h', sizes: SIZES, pauseMs: 1, options })
    await holder.ready()
    holder.go()
    for (let stop = 0; stop < STOPS; stop++) {
      await holder.ackCount(holder.acks.length + 3)
      await sleep(random.below(10))
      await holder.stop()
      // As after an hour: a process that judges the age alone would take the lock.
      makeLockOld(path)
      const before = readFileSync(path)
      const refusal = { code: 'ERR_LOCKED', details: { pid: holder.pid, state: 'stopped' } }
      const since = performance.now()
      await expect(openLog(path, options)).rejects.toMatchObject(refusal)
      const event = { type: 'user', payload: { content: 'intruder' } } as const
      await expect(appendOnce(path, [event], options)).rejects.toMatchObject(refusal)
      expect(performance.now() - since).toBeLessThan(AT_ONCE_MS)
      expect(readFileSync(path).equals(before)).toBe(true)
      holder.signal('SIGCONT')
    }
    await holder.ackCount(holder.acks.length + 3)
    holder.finish()
    expect(await holder.ended).toMatchObject({ code: 0, errors: '' })
    expect(problemsOf(path, holder.acks)).toEqual([])
  },
)

// Requirements: 003-30, T7
onLinux.for(KINDS)(
  'one-shots that are stopped at any moment neither lose a line nor fork the chain: $name',
  async ({ options }, t) => {
    const random = seededRandom(t)
    const path = join(temporaryFolder(t), 's.jsonl')
    const writers = ['a', 'b', 'c'].map((name) =>
      startWriter({ path, how: 'once', name, sizes: SIZES, pauseMs: 1, options }),
    )
    await Promise.all(writers.map((writer) => writer.ready()))
    for (const writer of writers) writer.go()
    for (let stop = 0; stop < 2 * STOPS; stop++) {
      const stopped = random.pick(writers)
      await stopped.ackCount(stopped.acks.length + 1)
      await sleep(random.below(4))
      await stopped.stop()
      const others = writers.filter((writer) => writer !== stopped)
      const progress = others.map((writer) => writer.ackCount(writer.acks.length + 2))
      // If it holds the lock just now, the others wait with it.
      await Promise.race([Promise.all(progress), sleep(LOOK_MS_MAX)])
      stopped.signal('SIGCONT')
      await Promise.all(progress)
    }
    for (const writer of writers) writer.finish()
    for (const writer of writers) expect(await writer.ended).toMatchObject({ code: 0, errors: '' })
    const acks = writers.flatMap((writer) => writer.acks)
    expect(problemsOf(path, acks)).toEqual([])
  },
)

// The soak makes locks look old. It must not do so to a lock that a running process is about to sign,
// or the harness itself would fork the chain.
test('a lock belongs to a process only after that process has signed it', async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  mkdirSync(lockPathOf(path))
  expect(isSignedBy(path, process.pid)).toBe(false)
  rmdirSync(lockPathOf(path))
  const log = await openLog(path, { useKernelLock: false })
  expect(isSignedBy(path, process.pid)).toBe(true)
  expect(isSignedBy(path, process.pid + 1)).toBe(false)
  rmdirSync(lockPathOf(path))
  mkdirSync(join(path, '..', 'takes the inode'))
  mkdirSync(lockPathOf(path))
  expect(isSignedBy(path, process.pid), 'it is another’s by now').toBe(false)
  await log.close()
})
