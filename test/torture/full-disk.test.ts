// A disk that is full and later has space again. Where this user may mount, it is a real one of
// 256 KiB; the same test runs everywhere on a simulated disk.

import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import type { EnvironmentOverrides } from '../../lib/environment/index.js'
import {
  appendOnce,
  type NewEvent,
  openLog,
  type Receipt,
  readLogSync,
} from '../../lib/log/index.js'
import { FaultyDisk } from '../helpers/faulty-disk.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { type Ack, countProblems, problemsOf } from './check.js'

const DISK_BYTES = 256 * 1024
const BALLAST_BYTES = 64 * 1024
const APPENDS_MAX = 1000

const refusal = whyNoMount()
const onSmallDisk = test.skipIf(refusal !== undefined)
const note = refusal === undefined ? '' : ` [skipped: ${refusal}]`

onSmallDisk(
  `a full disk loses no acknowledged event, and the log can be appended to once there is space${note} (T10)`,
  async (t) => {
    const folder = mountSmallDisk(t)
    const ballast = join(folder, 'ballast')
    writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES, 1))
    await expectToRecover(join(folder, 's.jsonl'), { free: () => rmSync(ballast) })
  },
)

onSmallDisk(
  `a log on a full disk can be read, an append is a typed error, and later appends work${note} (T10)`,
  async (t) => {
    const folder = mountSmallDisk(t)
    const ballast = join(folder, 'ballast')
    writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES, 1))
    const path = join(folder, 's.jsonl')
    const log = await openLog(path, { durability: 'none' })
    const { acks } = await fill((index) => log.append(eventOf(index)))
    await log.close()
    fillToTheBrim(join(folder, 'crumbs'))
    expect([...readLogSync(path)].filter(({ kind }) => kind === 'event')).toHaveLength(acks.length)
    for (const append of [appendByLease, appendOnce]) {
      const appending = append(path, [eventOf(APPENDS_MAX)])
      await expect(appending, append.name).rejects.toMatchObject({ code: 'ERR_NO_SPACE' })
    }
    rmSync(ballast)
    acks.push(...(await appendOnce(path, [eventOf(APPENDS_MAX)])))
    const problems = problemsOf(path, acks)
    expect(countProblems(problems)).toEqual({ damaged: 1 })
  },
)

// Requirement: T10
test('a simulated full disk loses no acknowledged event, and the log can be appended to once there is space', async (t) => {
  const disk = new FaultyDisk()
  const path = join(temporaryFolder(t), 's.jsonl')
  // A short write first, then the errno: that is how a real one fills up.
  const fillUp = () => {
    disk.fail({ call: 'writeSync', takes: 1000 })
    disk.fail({ call: 'writeSync', code: 'ENOSPC', errno: -28, isSticky: true })
  }
  const { environment } = disk
  await expectToRecover(path, { environment, fillUp, free: () => disk.mend() })
})

test.runIf(existsSync('/dev/full'))('rejects /dev/full as a log', async () => {
  const refused = { code: 'ERR_UNSAFE_PATH' }
  await expect(openLog('/dev/full')).rejects.toMatchObject(refused)
  await expect(appendOnce('/dev/full', [eventOf(0)])).rejects.toMatchObject(refused)
  expect(existsSync('/dev/full.lock')).toBe(false)
})

interface SmallDisk {
  readonly environment?: EnvironmentOverrides
  /** Called after twenty lines, by disks that do not fill up by themselves. */
  readonly fillUp?: () => void
  readonly free: () => void
}

async function expectToRecover(
  path: string,
  { environment, fillUp, free }: SmallDisk,
): Promise<void> {
  const log = await openLog(path, { durability: 'none', environment })
  const { acks, lost } = await fill((index) => {
    if (index === 20) fillUp?.()
    return log.append(eventOf(index))
  })
  expect(acks.length).toBeGreaterThan(10)
  expect(log.tip).toBe(acks.at(-1)!.uuid)
  await expect(log.append(eventOf(lost))).rejects.toMatchObject({ code: 'ERR_NO_SPACE' })
  expect(countProblems(problemsOf(path, acks))).toEqual({ damaged: 1 })
  free()
  for (let index = lost; index < lost + 5; index++) acks.push(await log.append(eventOf(index)))
  await log.close()
  // The fragment is alone on its line, and nothing else is wrong.
  expect(countProblems(problemsOf(path, acks))).toEqual({ damaged: 1 })
}

async function appendByLease(path: string, events: readonly NewEvent[]): Promise<Receipt[]> {
  await using log = await openLog(path)
  return await log.appendAll(events)
}

/** Appends until the disk is full. */
async function fill(
  append: (index: number) => Promise<Ack>,
): Promise<{ acks: Ack[]; lost: number }> {
  const acks: Ack[] = []
  for (let index = 0; index < APPENDS_MAX; index++) {
    try {
      acks.push(await append(index))
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_NO_SPACE' })
      return { acks, lost: index }
    }
  }
  throw new Error('The disk did not fill up')
}

/** The owner record of the lock freed a page, and a line would fit into that. */
function fillToTheBrim(path: string): void {
  for (;;) {
    try {
      appendFileSync(path, Buffer.alloc(4096, 1))
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' })
      return
    }
  }
}

function eventOf(index: number) {
  const content = `${index} é `.padEnd(3000, 'x')
  return { type: 'assistant', uuid: `e${index}`, payload: { content } } as const
}

function mountSmallDisk(t: Pick<TestContext, 'onTestFinished'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'jsonl-session-small-disk-'))
  t.onTestFinished(() => {
    unmount(folder)
    rmSync(folder, { recursive: true, force: true })
  })
  mount(folder)
  return folder
}

function whyNoMount(): string | undefined {
  if (process.platform !== 'linux') return 'tmpfs is of Linux'
  if (process.getuid?.() !== 0) return 'only root may mount'
  const folder = mkdtempSync(join(tmpdir(), 'jsonl-session-mount-'))
  try {
    mount(folder)
    unmount(folder)
    return undefined
  } catch {
    return 'mount does not work here'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function mount(folder: string): void {
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=700`, 'tmpfs', folder]
  execFileSync('mount', options, { stdio: 'ignore' })
}

function unmount(folder: string): void {
  try {
    execFileSync('umount', [folder], { stdio: 'ignore' })
  } catch {
    // Not mounted, or a file is still open after a failed test; then it goes with that.
    execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' })
  }
}
