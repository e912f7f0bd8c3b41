// The checks of this folder, applied to writers and readers that are known to be wrong: a check that
// does not find them would find nothing in ours either. Each test runs twice: the wrong code fails,
// ours does not.
//
// The canary of the locks, a lone proper-lockfile on the lock of a dead process, is in
// test/log/lock/takeover.test.ts.

import {
  appendFileSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import writeFileAtomic from 'write-file-atomic'
import {
  type Environment,
  type EnvironmentOverrides,
  environmentFrom,
  systemEnvironment,
} from '../../lib/environment/index.js'
import {
  appendOnce,
  type LogOptions,
  type NewEvent,
  openLog,
  type Receipt,
  writeSmallFileAtomic,
} from '../../lib/log/index.js'
import { FaultyDisk } from '../helpers/faulty-disk.js'
import { line } from '../helpers/lines.js'
import { seededRandom } from '../helpers/random.js'
import { temporaryFile, temporaryFolder } from '../helpers/temporary.js'
import { watchFiles } from '../helpers/watched-files.js'
import { findProblems, type Reader, readForward } from './changed-log.js'
import { type Ack, problemsOf, type ReadEntry } from './check.js'
import { runTogether, type WriterTask } from './child.js'
import { startChild, startWriter } from './start-child.js'

type Append = (path: string, uuid: string) => Promise<void>

const HALVES = [
  {
    name: 'a text',
    half: '{"type":"user","ts":1767225600,"uuid":"n","prev_uuid":null,"payload":{"content":"al',
  },
  {
    name: 'a value',
    half: '{"type":"user","ts":1767225600,"uuid":"n","prev_uuid":null,"payload":',
  },
] as const

const NO_SYNC = { durability: 'none' } as const
const ADVISORY = { useKernelLock: false } as const

const appendNaively: Append = async (path, uuid) => {
  appendFileSync(path, foreignText(uuid))
}

const appendOurs: Append = async (path, uuid) => {
  await appendOnce(path, [eventOf(uuid)], NO_SYNC)
}

// Requirement: T4
test.for(HALVES)(
  'another process dies in the middle of $name: a plain append after it is lost, ours is not',
  async ({ half }, t) => {
    const lostBy = async (append: Append): Promise<readonly string[]> => {
      const path = temporaryFile(t, 's.jsonl', line('user', { uuid: 'first' }))
      const neighbour = startChild('half-line', { path, half })
      await neighbour.ready()
      neighbour.go()
      await neighbour.ackCount(1)
      await neighbour.kill()
      await append(path, 'mine')
      return lostOf(path, ['first', 'mine'])
    }
    expect(await lostBy(appendNaively)).toEqual(['mine'])
    expect(await lostBy(appendOurs)).toEqual([])
  },
)

test('a plain append without another writer passes the same check', async (t) => {
  const path = temporaryFile(t, 's.jsonl', line('user', { uuid: 'first' }))
  await appendNaively(path, 'mine')
  expect(lostOf(path, ['first', 'mine'])).toEqual([])
})

// The worst moment: the end of the file was looked at, and was good.
// Requirement: 003-68
test.for(
  HALVES.flatMap((half) => [
    { ...half, how: 'a lease under the kernel lock', append: appendByLease, options: {} },
    { ...half, how: 'a one-shot under it', append: appendOnce, options: {} },
    { ...half, how: 'a lease without it', append: appendByLease, options: ADVISORY },
    { ...half, how: 'a one-shot without it', append: appendOnce, options: ADVISORY },
  ]),
)(
  'a partial line, cut in $name, is written between check and write: a writer that checks only before loses its line, $how does not',
  async ({ half, append, options }, t) => {
    const naive = temporaryFile(t, 's.jsonl', line('user', { uuid: 'first' }))
    appendAfterALook(naive, 'mine', () => appendFileSync(naive, half))
    expect(lostOf(naive, ['first', 'mine'])).toEqual(['mine'])

    const ours = temporaryFile(t, 's.jsonl', line('user', { uuid: 'first' }))
    const environment = disturbed(() => appendFileSync(ours, half))
    await append(ours, [eventOf('mine')], { ...NO_SYNC, ...options, environment })
    expect(lostOf(ours, ['first', 'mine'])).toEqual([])
  },
)

// Requirement: T3
test('appendFile of node:fs/promises splits lines of 700 KB, and several processes mix the pieces; ours does not', async (t) => {
  const folder = temporaryFolder(t)
  const load = { sizes: [700_000], count: 6, options: { ...NO_SYNC, lockTimeoutMs: 30_000 } }
  const lostBy = async (how: WriterTask['how'], round: number): Promise<readonly string[]> => {
    const path = join(folder, `${how}-${round}.jsonl`)
    const acks = await runTogether(
      ['a', 'b', 'c', 'd'].map((name) => startWriter({ ...load, path, how, name })),
    )
    return lostOf(path, uuidsOf(acks))
  }
  let isLossSeen = false
  for (let round = 0; round < 10 && !isLossSeen; round++) {
    isLossSeen = (await lostBy('promises', round)).length > 0
  }
  expect(isLossSeen).toBe(true)
  expect(await lostBy('once', 0)).toEqual([])
})

// Requirements: A12, T11
test('a reader that only parses, or checks only existing checksums, returns altered events; ours does not', (t) => {
  const random = seededRandom(t)
  const path = temporaryFile(t, 's.jsonl', '')
  const kindsOf = (read: Reader) => {
    const findings = findProblems(path, read, { random, count: 800, findingsMax: 60 })
    return new Set(findings.flatMap(({ problems }) => problems.map(({ what }) => what)))
  }
  const parsed = kindsOf((_, changed) => parseOnly(changed))
  expect(parsed).toContain('altered')
  expect(parsed).toContain('passed_over')
  expect(kindsOf((_, changed) => verifyIfPresent(changed))).toContain('altered')
  // The mark is all that it lacked.
  const marking = (changed: Buffer) =>
    verifyIfPresent(changed).map((read) => ({ ...read, isDoubtful: !read.isProven }))
  expect(kindsOf((_, changed) => marking(changed))).toEqual(new Set())
  expect(kindsOf(readForward)).toEqual(new Set())
})

test('a writer that syncs again after a failed sync acknowledges what may be lost; ours does not', async (t) => {
  const acknowledgedAfterFailure = async (
    open: (path: string, environment: Environment) => Promise<(uuid: string) => Promise<unknown>>,
  ): Promise<number> => {
    const disk = new FaultyDisk()
    const path = join(temporaryFolder(t), 's.jsonl')
    const append = await open(path, environmentFrom(disk.environment))
    await append('before')
    // The kernel reports it once.
    disk.fail({ call: 'fdatasync', code: 'EIO' })
    disk.fail({ call: 'fdatasyncSync', code: 'EIO' })
    const answers = await Promise.allSettled(['x', 'y', 'z'].map(append))
    answers.push(...(await Promise.allSettled([append('later')])))
    return answers.filter(({ status }) => status === 'fulfilled').length
  }
  const naive = await acknowledgedAfterFailure(async (path, { fs: disk }) => {
    const fd = openSync(path, 'a')
    t.onTestFinished(() => closeSync(fd))
    return async (uuid) => {
      writeSync(fd, foreignText(uuid))
      try {
        disk.fdatasyncSync(fd)
      } catch {
        disk.fdatasyncSync(fd)
      }
    }
  })
  expect(naive).toBe(4)
  const ours = await acknowledgedAfterFailure(async (path, environment) => {
    const log = await openLog(path, { durability: 'always', environment })
    t.onTestFinished(() => log.close().catch(() => {}))
    return (uuid) => log.append(eventOf(uuid))
  })
  expect(ours).toBe(0)
})

// A disk that is nearly full takes what fits and says so in a number that must be looked at.
// Requirement: A12
test('unmodified write-file-atomic replaces a file by half of it without an error; ours writes the rest or keeps the old file', (t) => {
  const text = 'new '.repeat(1000)
  const afterShortWrite = (
    write: (path: string) => void,
    isFull: boolean,
  ): { left: string; code: string | undefined } => {
    const path = temporaryFile(t, 'settings.json', 'old')
    let writes = 0
    const unwatch = watchFiles(dirname(path), {
      before: ({ name }) => {
        if (name !== 'writeSync') return undefined
        writes++
        if (writes === 1) return { takes: 1024 }
        return isFull ? { code: 'ENOSPC', errno: -28 } : undefined
      },
    })
    let code: string | undefined
    try {
      write(path)
    } catch (error) {
      code = (error as NodeJS.ErrnoException).code
    } finally {
      unwatch()
    }
    expect(readdirSync(dirname(path))).toEqual(['settings.json'])
    return { left: readFileSync(path, 'utf8'), code }
  }
  const bare = (path: string) => writeFileAtomic.sync(path, Buffer.from(text))
  const ours = (path: string) => writeSmallFileAtomic(path, text, systemEnvironment)
  const half = { left: text.slice(0, 1024), code: undefined }
  expect(afterShortWrite(bare, false)).toEqual(half)
  expect(afterShortWrite(bare, true)).toEqual(half)
  expect(afterShortWrite(ours, false)).toEqual({ left: text, code: undefined })
  expect(afterShortWrite(ours, true)).toEqual({ left: 'old', code: 'ERR_NO_SPACE' })
})

function eventOf(uuid: string) {
  return { type: 'user', uuid, payload: { content: uuid } } as const
}

/** A line as most tools write it: no checksum, an order of its own. */
function foreignText(uuid: string): string {
  const ts = '2026-01-01T00:00:00.000Z'
  return `${JSON.stringify({ prev_uuid: null, type: 'user', payload: {}, uuid, ts })}\n`
}

function uuidsOf(acks: readonly Ack[]): string[] {
  return acks.map(({ uuid }) => uuid)
}

/** The bad ones are asked only whether what they acknowledged is there. */
function lostOf(path: string, uuids: readonly string[]): readonly string[] {
  const problems = problemsOf(
    path,
    uuids.map((uuid) => ({ uuid })),
  )
  return problems.flatMap(({ what, uuid }) => (what === 'lost' ? [uuid!] : []))
}

/** Knows of torn ends, but looks before it writes and not after. */
function appendAfterALook(path: string, uuid: string, disturb: () => void): void {
  const { size } = statSync(path)
  const last = Buffer.alloc(1)
  const fd = openSync(path, 'r')
  readSync(fd, last, 0, 1, size - 1)
  closeSync(fd)
  const start = last[0] === 0x0a ? '' : '\n'
  disturb()
  appendFileSync(path, start + foreignText(uuid))
}

/** A disk on which another process writes before the first write. */
function disturbed(disturb: () => void): EnvironmentOverrides {
  const disk = systemEnvironment.fs
  let isDisturbed = false
  return {
    fs: {
      ...disk,
      writeSync(...args) {
        if (!isDisturbed) disturb()
        isDisturbed = true
        return disk.writeSync(...args)
      },
    },
  }
}

async function appendByLease(
  path: string,
  events: readonly NewEvent[],
  options: LogOptions,
): Promise<Receipt[]> {
  await using log = await openLog(path, options)
  return await log.appendAll(events)
}

interface Line {
  readonly byte_offset: number
  readonly length: number
  readonly text: string
}

/** Bad lines are skipped, as in many a tool. */
function parseOnly(changed: Buffer): ReadEntry[] {
  return linesOf(changed).flatMap(({ byte_offset, length, text }) => {
    const event = parse(text)
    return event === undefined ? [] : [{ byte_offset, length, event }]
  })
}

/** Reports a wrong checksum, and says nothing of a line without one. */
function verifyIfPresent(changed: Buffer): (ReadEntry & { isProven: boolean })[] {
  return linesOf(changed).map(({ byte_offset, length, text }) => {
    const event = parse(text)
    const tail = /,"crc":"([0-9a-f]{8})"\}$/.exec(text)
    const isProven = tail !== null && crc32(text.slice(0, -18)) === Number.parseInt(tail[1]!, 16)
    const isReadable = event !== undefined && (isProven || tail === null)
    return { byte_offset, length, event: isReadable ? event : undefined, isProven }
  })
}

function linesOf(bytes: Buffer): Line[] {
  const lines: Line[] = []
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, from)
    const to = newline === -1 ? bytes.length : newline
    const text = bytes.toString('utf8', from, to)
    lines.push({ byte_offset: from, length: to - from, text })
    from = to + 1
  }
  return lines
}

function parse(text: string): { uuid: string; prev_uuid?: string | null } | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value?.uuid === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
