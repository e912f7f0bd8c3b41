// When the disk is asked, for whom, and what happens to those who come after it refused.

import { fstatSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { systemEnvironment } from '../../lib/environment/index.js'
import {
  AtomicFile,
  appendOnce,
  type LogOptions,
  type NewEvent,
  openLog,
  readLogSync,
  withLockedLog,
} from '../../lib/log/index.js'
import { appendOnceSync } from '../../lib/log/write/append-once.js'
import { FaultyDisk, withFiles } from '../helpers/faulty-disk.js'
import { temporaryFile, temporaryFolder } from '../helpers/temporary.js'
import { type FileCall, watchFiles } from '../helpers/watched-files.js'

const SAID = { type: 'user', payload: { content: 'x' } } as const
const THOUGHT = { type: 'assistant', payload: { content: 'x' } } as const
const coded = (code: string) => expect.objectContaining({ code }) as Error

const newPath = (t: Pick<TestContext, 'onTestFinished'>) =>
  join(temporaryFolder(t), 'folder', 'log.jsonl')

function syncsOf(disk: FaultyDisk): number {
  return disk.calls.filter((call) => call.startsWith('fdatasync')).length
}

test.each([
  ['none', SAID, 0],
  ['turn', THOUGHT, 0],
  ['turn', SAID, 1],
  ['always', THOUGHT, 1],
] as const)('a one-shot under %s is synced as its event asks', async (durability, event, count) => {
  const disk = new FaultyDisk()
  const path = newPath({ onTestFinished })
  const options = { durability, environment: disk.environment }
  await appendOnce(path, [event], options)
  expect(syncsOf(disk)).toBe(count)
  appendOnceSync(path, [event], options)
  expect(syncsOf(disk)).toBe(2 * count)
})

test('a line without an envelope is synced unless durability is none', async (t) => {
  for (const durability of ['none', 'turn', 'always'] as const) {
    const disk = new FaultyDisk()
    const options = { durability, environment: disk.environment }
    await withLockedLog(newPath(t), options, (log) => log.append({ n: 1 }))
    expect(syncsOf(disk)).toBe(durability === 'none' ? 0 : 1)
  }
})

test('close syncs what was not synced before, unless durability is none', async (t) => {
  for (const durability of ['none', 'turn'] as const) {
    const disk = new FaultyDisk()
    const log = await openLog(newPath(t), { durability, environment: disk.environment })
    await log.append(THOUGHT)
    expect(syncsOf(disk)).toBe(0)
    await log.close()
    expect(syncsOf(disk)).toBe(durability === 'none' ? 0 : 1)
  }
})

test('the folder of a new log is synced once, with its first sync', async (t) => {
  const path = newPath(t)
  const synced: string[] = []
  const after = ({ name, path: of }: FileCall) => {
    if (name === 'fsyncSync') synced.push(of)
  }
  t.onTestFinished(watchFiles(dirname(dirname(path)), { after }))
  const log = await openLog(path)
  await log.append(THOUGHT)
  expect(synced).toEqual([])
  await log.append(SAID)
  await log.append(SAID)
  log.appendSync(SAID)
  expect(synced).toEqual([dirname(path)])
  await log.close()
  await (await openLog(path)).append(SAID)
  expect(synced).toHaveLength(1)
})

test.each([['awaited'], ['at once']])(
  'a folder that cannot be synced leaves in doubt what was written: %s',
  async (manner) => {
    const path = newPath({ onTestFinished })
    const log = await openLog(path)
    const stop = watchFiles(dirname(dirname(path)), {
      before: ({ name }) => (name === 'fsyncSync' ? { code: 'EIO', errno: -5 } : undefined),
    })
    onTestFinished(stop)
    const code = 'ERR_DURABILITY_UNKNOWN'
    if (manner === 'awaited') await expect(log.append(SAID)).rejects.toThrow(coded(code))
    else expect(() => log.appendSync(SAID)).toThrow(coded(code))
    stop()
    const { size } = statSync(path)
    await expect(log.append(SAID)).rejects.toThrow(coded(code))
    expect(() => log.appendSync(SAID)).toThrow(coded(code))
    expect(statSync(path).size, 'nothing more is written').toBe(size)
    await log.close()
  },
)

test('a failed sync rejects all callers that wait for it, and the file is closed', async (t) => {
  const disk = new FaultyDisk()
  const log = await openLog(newPath(t), { environment: disk.environment })
  disk.fail({ call: 'fdatasync' })
  const first = log.append(SAID)
  await Promise.resolve()
  log.flush()
  const second = log.append(SAID)
  log.flush()
  const failed = coded('ERR_DURABILITY_UNKNOWN')
  await expect(first).rejects.toThrow(failed)
  await expect(second).rejects.toThrow(failed)
  await expect(log.sync()).rejects.toThrow(failed)
  await log.close()
})

test('a clock that is set back makes a look due, and so does much that was written', async (t) => {
  let now = Date.UTC(2026, 0, 1)
  let looks = 0
  const { fs } = systemEnvironment
  const statSync = (path: string) => {
    looks++
    return fs.statSync(path)
  }
  const environment = { now: () => now, ...withFiles({ statSync }) }
  const log = await openLog(newPath(t), { durability: 'none', environment })
  const looksOf = async (event: NewEvent = THOUGHT) => {
    const before = looks
    await log.append(event)
    return looks - before
  }
  await looksOf()
  expect(await looksOf()).toBe(0)
  now -= 1
  expect(await looksOf()).toBe(1)
  expect(await looksOf()).toBe(0)
  now += 49
  expect(await looksOf()).toBe(0)
  now += 1
  expect(await looksOf()).toBe(1)
  await looksOf({ type: 'assistant', payload: { content: 'x'.repeat(5 * 1024 * 1024) } })
  expect(await looksOf()).toBe(1)
  expect(await looksOf()).toBe(0)
  await log.close()
})

test('nothing listens for the end of the process once every log is closed', async (t) => {
  const count = () => process.listeners('exit').filter(({ name }) => name === 'writeAll').length
  const before = count()
  const [one, two] = [await openLog(newPath(t)), await openLog(newPath(t))]
  expect(count()).toBe(1)
  await one.close()
  expect(count()).toBe(1)
  await two.close()
  expect(count()).toBe(before)
})

test('a whole file leaves no trace of itself but its name', (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'file')
  const file = new AtomicFile(path, systemEnvironment)
  file.write(Buffer.from('x'))
  expect(readdirSync(folder)).toHaveLength(1)
  file.abandon()
  file.abandon()
  expect(readdirSync(folder)).toEqual([])
  expect(() => fstatSync(file.fd)).toThrow('EBADF')
  const other = new AtomicFile(path, systemEnvironment)
  other.write(Buffer.from('y'))
  other.finish()
  expect(readdirSync(folder)).toEqual(['file'])
  expect(() => fstatSync(other.fd)).toThrow('EBADF')
  expect(() => new AtomicFile(join(path, 'below'), systemEnvironment)).toThrow(coded('ERR_IO'))
  expect(() => new AtomicFile(join(folder, 'not', 'there'), systemEnvironment)).toThrow()
  expect(readdirSync(folder)).toEqual(['file'])
})

test('a uuid, a link and a time are checked before anything is written', async (t) => {
  const path = newPath(t)
  const log = await openLog(path)
  for (const field of ['uuid', 'prev_uuid'] as const) {
    await expect(log.append({ ...SAID, [field]: 5 as never })).rejects.toThrow(TypeError)
    for (const value of ['', 'a"b', 'é', 'x'.repeat(129)]) {
      await expect(log.append({ ...SAID, [field]: value })).rejects.toThrow(coded('ERR_ARG'))
    }
  }
  await expect(log.append({ ...SAID, ts: 'yesterday' })).rejects.toThrow(coded('ERR_ARG'))
  for (const payload of [null, 'text', 5, undefined]) {
    await expect(log.append({ type: 'user', payload: payload as never })).rejects.toThrow()
  }
  expect(statSync(path).size).toBe(0)
  await log.close()
})

test('a link may name an event of the same batch, and what is redacted is not written', async (t) => {
  const path = newPath(t)
  const redact: LogOptions['redact'] = (payload) => ({ ...payload, content: 'gone' })
  const log = await openLog(path, { redact })
  const named = (uuid: string, prev_uuid?: string) => ({
    ...SAID,
    uuid,
    ...(prev_uuid && { prev_uuid }),
  })
  await log.appendAll([named('a'), named('b'), named('c', 'a'), named('d', 'c')])
  await expect(log.appendAll([named('e'), named('f', 'nobody')])).rejects.toThrow(
    coded('ERR_UNKNOWN_PREV'),
  )
  await log.close()
  const events = [...readLogSync(path)].map((entry) =>
    entry.kind === 'event' ? entry.event : undefined,
  )
  expect(events.map((event) => [event?.uuid, event?.prev_uuid])).toEqual([
    ['a', null],
    ['b', 'a'],
    ['c', 'a'],
    ['d', 'c'],
  ])
  expect(events[0]?.payload).toEqual({ content: 'gone' })
})

test('line numbers are right after a torn line, and after lines of other processes', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', 'torn')
  const log = await openLog(path, { lineNumbers: true })
  const receipts = [await log.append(THOUGHT), await log.append(THOUGHT)]
  expect(receipts.map(({ lineNumber }) => lineNumber)).toEqual([2, 3])
  await log.close()
  expect([...readLogSync(path)].map(({ line_number }) => line_number)).toEqual([1, 2, 3])
})
