// Full disks, quotas, broken syncs: each leaves a typed error, a log that loads, and a writer
// that can go on.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLog, readLogSync } from '../../../lib/log/index.js'
import { FaultyDisk } from '../../helpers/faulty-disk.js'
import { temporaryFolder } from '../../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

async function faultyLog(t: Context, durability: 'none' | 'turn' | 'always' = 'none') {
  const disk = new FaultyDisk()
  const path = join(temporaryFolder(t), 's.jsonl')
  const log = await openLog(path, { durability, environment: disk.environment })
  t.onTestFinished(() => log.close().catch(() => {}))
  return { disk, path, log }
}

const note = (content: string) => ({ type: 'assistant', payload: { content } }) as const

function textsOf(path: string): unknown[] {
  return [...readLogSync(path)].map((entry) =>
    entry.kind === 'event' ? (entry.event.payload as { content: string }).content : entry.reason,
  )
}

// Requirement: T10
test.for([
  ['ENOSPC', { code: 'ENOSPC', errno: -28 }, 'ERR_NO_SPACE'],
  ['a quota, which Node does not know', { code: 'UNKNOWN', errno: -122 }, 'ERR_NO_SPACE'],
  ['a file size limit', { code: 'EFBIG', errno: -27 }, 'ERR_NO_SPACE'],
  ['a failing disk', { code: 'EIO', errno: -5 }, 'ERR_IO'],
  ['a disk gone read-only', { code: 'EROFS', errno: -30 }, 'ERR_READ_ONLY'],
  ['a write that was interrupted', { code: 'EINTR', errno: -4 }, 'ERR_IO'],
  ['a disk that asks to come again', { code: 'EAGAIN', errno: -11 }, 'ERR_IO'],
] as const)(
  '%s is a typed error; the tip stays and the next append is intact',
  async ([, fault, code], t) => {
    const { disk, path, log } = await faultyLog(t)
    const { uuid } = await log.append(note('a'))
    disk.fail({ call: 'writeSync', takes: 20, ...fault })
    await expect(log.append(note('lost'))).rejects.toMatchObject({ code })
    expect(log.tip).toBe(uuid)
    await log.append(note('b'))
    expect(textsOf(path)).toEqual(['a', 'bad_line', 'b'])
    const last = [...readLogSync(path)].at(-1)
    expect(last?.kind === 'event' && last.event.prev_uuid).toBe(uuid)
  },
)

// Requirement: T10
test('a short write is finished by a second one', async (t) => {
  const { disk, path, log } = await faultyLog(t)
  disk.fail({ call: 'writeSync', takes: 30 })
  await log.append(note('a'))
  expect(textsOf(path)).toEqual(['a'])
})

// Requirement: T10
test('a write that stays short without an error is ERR_APPEND_PARTIAL', async (t) => {
  const { disk, path, log } = await faultyLog(t)
  disk.fail({ call: 'writeSync', takes: 10 })
  disk.fail({ call: 'writeSync', takes: 10 })
  await expect(log.append(note('a'))).rejects.toMatchObject({ code: 'ERR_APPEND_PARTIAL' })
  await log.append(note('b'))
  expect(textsOf(path)).toEqual(['bad_line', 'b'])
})

test('a batch that broke in the middle acknowledges nothing; its whole lines can be retried by uuid', async (t) => {
  const { disk, path, log } = await faultyLog(t)
  await log.append(note('start'))
  const events = ['one', 'two', 'three'].map((content) => ({ ...note(content), uuid: content }))
  disk.fail({ call: 'writeSync', takes: 260, code: 'ENOSPC' })
  const broken = await Promise.allSettled(events.map((event) => log.append(event)))
  expect(broken.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  for (const event of events) await log.append(event)
  const entries = [...readLogSync(path)]
  const texts = entries.flatMap((entry) => (entry.kind === 'event' ? [entry.event.uuid] : []))
  expect(texts.slice(1)).toEqual(['one', 'two', 'three'])
})

test('an unreadable folder while writing is a typed error, and later appends work', async (t) => {
  const { disk, path, log } = await faultyLog(t)
  await log.append(note('a'))
  await log.sync()
  disk.fail({ call: 'writeSync', code: 'EIO' })
  disk.fail({ call: 'statSync', code: 'EIO' })
  await expect(log.append(note('b'))).rejects.toMatchObject({ code: 'ERR_IO' })
  await expect(log.append(note('c'))).rejects.toMatchObject({ code: 'ERR_IO' })
  await log.append(note('d'))
  expect(textsOf(path)).toEqual(['a', 'd'])
})

test('a failed sync poisons the writer: no retry, no further acknowledgement', async (t) => {
  const { disk, path, log } = await faultyLog(t, 'always')
  await log.append(note('a'))
  disk.fail({ call: 'fdatasync', code: 'EIO' })
  await expect(log.append(note('b'))).rejects.toMatchObject({ code: 'ERR_DURABILITY_UNKNOWN' })
  const syncs = disk.calls.filter((call) => call.startsWith('fdatasync')).length
  await expect(log.append(note('c'))).rejects.toMatchObject({ code: 'ERR_DURABILITY_UNKNOWN' })
  await expect(log.sync()).rejects.toMatchObject({ code: 'ERR_DURABILITY_UNKNOWN' })
  await log.close()
  expect(disk.calls.filter((call) => call.startsWith('fdatasync'))).toHaveLength(syncs)
  const before = readFileSync(path)
  await using again = await openLog(path)
  await again.append({ ...note('c'), uuid: 'c' })
  expect(readFileSync(path).subarray(0, before.length)).toEqual(before)
})

test('durability says when the disk is asked: never, at turns, always', async (t) => {
  const counts: Record<string, number> = {}
  for (const durability of ['none', 'turn', 'always'] as const) {
    const { disk, log } = await faultyLog(t, durability)
    await log.append({ type: 'user', payload: { content: 'prompt' } })
    await log.append(note('reply'))
    await log.append({
      type: 'tool_result',
      payload: { tool_call_id: 't', content: '', is_error: false },
    })
    await log.append({ type: 'turn_end', payload: {} })
    counts[durability] = disk.calls.filter((call) => call.startsWith('fdatasync')).length
  }
  expect(counts).toEqual({ none: 0, turn: 2, always: 4 })
})

test('synced appends share their syncs (group commit)', async (t) => {
  const { disk, log } = await faultyLog(t, 'always')
  await Promise.all(
    Array.from({ length: 16 }, async (_, producer) => {
      for (let index = 0; index < 10; index++) await log.append(note(`${producer}.${index}`))
    }),
  )
  const syncs = disk.calls.filter((call) => call === 'fdatasync').length
  expect(syncs).toBeLessThanOrEqual(40)
})

test('what is gathered without awaiting is written in bounded steps', async (t) => {
  const { disk, log } = await faultyLog(t)
  const appends = Array.from({ length: 64 }, () => log.append(note('x'.repeat(100_000))))
  const writesBeforeTheTickEnds = disk.calls.filter((call) => call === 'writeSync').length
  expect(writesBeforeTheTickEnds).toBeGreaterThanOrEqual(5)
  await Promise.all(appends)
})

test('a look at the file is taken at sync points and now and then, not for every line', async (t) => {
  const { disk, log } = await faultyLog(t)
  for (let index = 0; index < 1000; index++) await log.append(note('x'))
  expect(disk.calls.filter((call) => call === 'statSync').length).toBeLessThan(200)
})
