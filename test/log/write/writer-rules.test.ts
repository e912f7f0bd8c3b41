// When a writer writes, looks and syncs, and when it does not.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type LogOptions, openLog, readLogSync } from '../../../lib/log/index.js'
import { FaultyDisk } from '../../helpers/faulty-disk.js'
import { id, line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const SAID = { type: 'user', payload: { content: 'x' } } as const
const THOUGHT = { type: 'assistant', payload: { content: 'x' } } as const
const newPath = () => join(temporaryFolder({ onTestFinished }), 'log.jsonl')

/** A log whose clock stands still, and what it asks of the disk. */
async function watched(path: string, options: LogOptions = {}) {
  const disk = new FaultyDisk()
  const environment = { ...disk.environment, now: () => Date.UTC(2026, 0, 1) }
  const log = await openLog(path, { ...options, environment })
  onTestFinished(() => log.close())
  const countOf = async (call: string, step: () => Promise<unknown>) => {
    const before = disk.calls.length
    await step()
    return disk.calls.slice(before).filter((made) => made.startsWith(call)).length
  }
  return { log, countOf }
}

test('flush() updates the file, the size and the tip before any append resolves', async () => {
  const path = newPath()
  const log = await openLog(path)
  const held = log.append({ ...THOUGHT, uuid: id(1) })
  expect([log.size, log.tip]).toEqual([0, null])
  log.flush()
  expect(log.tip).toBe(id(1))
  expect([...readLogSync(path)]).toHaveLength(1)
  await held
  await log[Symbol.asyncDispose]()
  await expect(log.append(SAID)).rejects.toMatchObject({ code: 'ERR_CLOSED', details: { path } })
  ;(await openLog(path, { lockTimeoutMs: 0 })).closeSync()
})

test('under the kernel lock the file is looked at where a sync is due, and not for other lines', async () => {
  const { log, countOf } = await watched(newPath())
  const looksOf = (step: () => Promise<unknown>) => countOf('statSync', step)
  await log.append(SAID)
  expect(await looksOf(() => log.append(THOUGHT))).toBe(0)
  expect(await looksOf(() => log.append(SAID))).toBe(2)
  const both = () => Promise.all([log.append(SAID), log.append(THOUGHT)])
  expect(await looksOf(both)).toBe(2)
  expect(await looksOf(() => log.appendAll([THOUGHT, SAID, THOUGHT]))).toBe(2)
})

test('without syncs no line causes a check', async () => {
  const { log, countOf } = await watched(newPath(), { durability: 'none' })
  await log.append(SAID)
  expect(await countOf('statSync', () => log.append(SAID))).toBe(0)
  expect(await countOf('fdatasync', () => log.append(SAID))).toBe(0)
})

test('what was in the file before does not count as unsynced', async () => {
  const path = newPath()
  const content = 'x'.repeat(100_000)
  const lines = Array.from({ length: 90 }, (_, n) =>
    line('user', { uuid: id(n), prev_uuid: n === 0 ? null : id(n - 1), payload: { content } }),
  )
  writeFileSync(path, Buffer.concat(lines))
  const { log, countOf } = await watched(path)
  expect(log.tip).toBe(id(89))
  for (let count = 0; count < 3; count++) {
    expect(await countOf('fdatasync', () => log.append(THOUGHT))).toBe(0)
  }
})
