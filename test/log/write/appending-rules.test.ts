// What one append may not do to another, to the chain and to the disk.

import { appendFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  appendOnce,
  type LogOptions,
  type NewEvent,
  openLog,
  openMemoryLog,
  readLogSync,
} from '../../../lib/log/index.js'
import { FaultyDisk } from '../../helpers/faulty-disk.js'
import { id, line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { type FileCall, watchFiles } from '../../helpers/watched-files.js'

const SAID = { type: 'user', payload: { content: 'x' } } as const
const HEADER: NewEvent = { type: 'session_header', payload: { session_id: 's', format: 1 } }
const ADVISORY = { useKernelLock: false } as const

const newPath = () => join(temporaryFolder({ onTestFinished }), 'folder', 'log.jsonl')
const eventsOf = (path: string) =>
  [...readLogSync(path)].flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []))

async function newLog(options: LogOptions = {}) {
  const path = newPath()
  const log = await openLog(path, options)
  onTestFinished(() => log.close())
  return { path, log }
}

test('a rejected append does not affect the others of its tick', async () => {
  const { path, log } = await newLog()
  const [first, refused, last] = await Promise.allSettled([
    log.append(SAID),
    log.append({ ...SAID, prev_uuid: 'nobody' }),
    log.append(SAID),
  ])
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'ERR_UNKNOWN_PREV' } })
  expect(first).toMatchObject({ status: 'fulfilled', value: { byteOffset: 0 } })
  expect(last?.status).toBe('fulfilled')
  const [one, two] = eventsOf(path)
  expect(eventsOf(path)).toHaveLength(2)
  expect(two?.prev_uuid).toBe(one?.uuid)
})

test('a batch with a rejected event writes nothing and keeps the tip', async () => {
  const { path, log } = await newLog()
  const { uuid } = await log.append(SAID)
  const all = log.appendAll([SAID, { ...SAID, prev_uuid: 'nobody' }])
  const next = log.append(SAID)
  await expect(all).rejects.toMatchObject({ code: 'ERR_UNKNOWN_PREV' })
  await next
  expect(eventsOf(path).map(({ prev_uuid }) => prev_uuid)).toEqual([null, uuid])
})

test('a header is first in an empty log and in the first batch', async () => {
  const { path, log } = await newLog()
  await expect(log.appendAll([SAID, HEADER])).rejects.toMatchObject({ code: 'ERR_ARG' })
  expect(eventsOf(path)).toEqual([])
  await log.appendAll([HEADER, SAID])
  await expect(log.append(HEADER)).rejects.toMatchObject({ code: 'ERR_ARG' })
  expect(eventsOf(path).map(({ type }) => type)).toEqual(['session_header', 'user'])
})

test('an event that exists already causes no disk access', async () => {
  const disk = new FaultyDisk()
  const { log } = await newLog({ environment: disk.environment })
  await log.append({ ...SAID, uuid: id(1) })
  const before = disk.calls.length
  expect(await log.append({ ...SAID, uuid: id(1) })).toMatchObject({ duplicate: true })
  expect(disk.calls.slice(before)).not.toContain('writeSync')
})

test('an off-chain event of another process does not move the tip', async () => {
  const { path, log } = await newLog(ADVISORY)
  const { uuid } = await log.append(SAID)
  appendFileSync(path, line('turn_end', { uuid: id(7) }))
  await log.append(SAID)
  appendFileSync(path, line('turn_end', { uuid: id(8) }))
  await log.append(SAID)
  const events = eventsOf(path)
  expect(events.map(({ type }) => type)).toEqual(['user', 'turn_end', 'user', 'turn_end', 'user'])
  expect(events[2]?.prev_uuid).toBe(uuid)
  expect(events[4]?.prev_uuid).toBe(events[2]?.uuid)
})

test('a copied event of another process does not move the tip, a new one does', async () => {
  const { path, log } = await newLog(ADVISORY)
  const first = await log.append(SAID)
  const second = await log.append(SAID)
  const [{ uuid: copied } = { uuid: '' }] = eventsOf(path)
  expect(copied).toBe(first.uuid)
  appendFileSync(path, line('user', { uuid: first.uuid, prev_uuid: 'older' }))
  await log.append(SAID)
  expect(eventsOf(path).at(-1)?.prev_uuid).toBe(second.uuid)
  appendFileSync(path, line('user', { uuid: id(9), prev_uuid: 'elsewhere' }))
  await log.append(SAID)
  expect(eventsOf(path).at(-1)?.prev_uuid).toBe(id(9))
})

test('a one-shot makes the name of a new log durable, and of an old one not again', async () => {
  const path = newPath()
  const synced: string[] = []
  const after = ({ name, path: of }: FileCall) => {
    if (name === 'fsyncSync') synced.push(of)
  }
  onTestFinished(watchFiles(dirname(dirname(path)), { after }))
  await appendOnce(path, [SAID])
  expect(synced).toEqual([dirname(path)])
  await appendOnce(path, [SAID])
  expect(synced).toHaveLength(1)
})

test('a one-shot looks behind a torn line, and numbers its lines from the start', async () => {
  const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  writeFileSync(path, 'half a line')
  const [receipt] = await appendOnce(path, [SAID], { lineNumbers: true })
  expect(receipt).toMatchObject({ byteOffset: 'half a line\n'.length, lineNumber: 2 })
  expect(readdirSync(dirname(path))).toEqual(['log.jsonl'])
})

test('a log in memory keeps the rules of one on the disk', async () => {
  const log = openMemoryLog('x')
  const { uuid } = await log.append({ ...SAID, uuid: id(1) })
  expect(await log.append({ ...SAID, uuid: id(1) })).toMatchObject({ uuid, duplicate: true })
  await expect(log.append({ ...SAID, prev_uuid: 'nobody' })).rejects.toMatchObject({
    code: 'ERR_UNKNOWN_PREV',
  })
  await log.append(SAID)
  expect(log.entries.map((entry) => entry.event.prev_uuid)).toEqual([null, uuid])
  await log.close()
  await expect(log.append(SAID)).rejects.toMatchObject({ code: 'ERR_CLOSED' })
})

test('rejects an event that follows an off-chain event: no reader would find it', async () => {
  const { path, log } = await newLog()
  await log.append(HEADER)
  await log.append({ type: 'turn_end', uuid: 'end', payload: {} })
  await log.append({ type: 'note', uuid: 'note', prev_uuid: null, payload: {} })
  for (const prev_uuid of ['end', 'note']) {
    const refused = log.append({ ...SAID, prev_uuid })
    await expect(refused).rejects.toMatchObject({ code: 'ERR_UNKNOWN_PREV' })
  }
  const together = log.appendAll([
    { type: 'turn_end', uuid: 'next', payload: {} },
    { ...SAID, prev_uuid: 'next' },
  ])
  await expect(together).rejects.toMatchObject({ code: 'ERR_UNKNOWN_PREV' })
  expect(eventsOf(path)).toHaveLength(3)
})

test('an event can follow an earlier one of its own write that is on the chain, and no other', async () => {
  const { path, log } = await newLog()
  await log.append({ ...SAID, uuid: 'a' })
  const events = ['b', 'c'].map((uuid) => ({ ...SAID, uuid }))
  await log.appendAll([...events, { ...SAID, uuid: 'd', prev_uuid: 'b' }])
  expect(eventsOf(path).map(({ prev_uuid }) => prev_uuid)).toEqual([null, 'a', 'b', 'b'])
  const end = { type: 'turn_end', payload: {}, uuid: 'end' }
  await expect(log.appendAll([end, { ...SAID, prev_uuid: 'end' }])).rejects.toMatchObject({
    code: 'ERR_UNKNOWN_PREV',
  })
})
