// What an end waits for, and that nothing is open after it.

import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { appendOnceSync } from '../../lib/log/append-once.js'
import { openLog, readLogSync, systemEnvironment } from '../../lib/log/index.js'
import { lockPathOf } from '../../lib/log/lock/lock-directory.js'
import { readOwnerRecord } from '../../lib/log/lock/owner-record.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { type FileCall, watchFiles } from '../helpers/watched-files.js'

const SAID = { type: 'user', payload: { content: 'x' } } as const
const newPath = () => join(temporaryFolder({ onTestFinished }), 'log.jsonl')
const openCount = () => readdirSync('/proc/self/fd').length

test.runIf(process.platform === 'linux').each(['none', 'turn', 'always'] as const)(
  'nothing is open after the end of a log: %s',
  async (durability) => {
    const before = openCount()
    for (const isSync of [true, false]) {
      const log = await openLog(newPath(), { durability })
      await log.append(SAID)
      if (isSync) log.closeSync()
      else await log.close()
      await log.close()
      expect(openCount()).toBe(before)
    }
  },
)

/** A disk whose syncs are done when the test says so. */
function slowDisk() {
  const { disk } = systemEnvironment
  const waiting: (() => void)[] = []
  const fdatasync: typeof disk.fdatasync = (_, done) => void waiting.push(() => done(null))
  return {
    environment: { disk: { ...disk, fdatasync } },
    waiting,
    finish: () => {
      for (const done of waiting.splice(0)) done()
    },
  }
}

const later = () => new Promise(setImmediate)

describe('an end', () => {
  test.each(['none', 'turn'] as const)(
    'waits for a sync that is under way: %s',
    async (durability) => {
      const disk = slowDisk()
      const log = await openLog(newPath(), { durability, environment: disk.environment })
      const synced = log.sync()
      let isClosed = false
      const closed = log.close().then(() => {
        isClosed = true
      })
      await later()
      expect(isClosed).toBe(false)
      disk.finish()
      await synced
      while (!isClosed) {
        disk.finish()
        await later()
      }
      await closed
    },
  )

  test.each(['none', 'turn', 'always'] as const)(
    'writes what was appended and not awaited, and answers it: %s',
    async (durability) => {
      const path = newPath()
      const log = await openLog(path, { durability })
      const appended = log.append({ ...SAID, uuid: 'last' })
      await log.close()
      await expect(appended).resolves.toMatchObject({ uuid: 'last', byte_offset: 0 })
      expect([...readLogSync(path)]).toMatchObject([{ event: { uuid: 'last' } }])
    },
  )

  test('asks for no sync where nobody wants one', async () => {
    const disk = slowDisk()
    const log = await openLog(newPath(), { durability: 'none', environment: disk.environment })
    await log.append(SAID)
    await log.close()
    expect(disk.waiting).toEqual([])
  })
})

test('those who ask while a sync is under way share the next one, and wait for it', async () => {
  const disk = slowDisk()
  const log = await openLog(newPath(), { durability: 'always', environment: disk.environment })
  const order: string[] = []
  const first = log.append(SAID).then(() => order.push('first'))
  await later()
  expect(disk.waiting).toHaveLength(1)
  const others = ['second', 'third'].map((name) => log.append(SAID).then(() => order.push(name)))
  await later()
  expect([order, disk.waiting.length]).toEqual([[], 1])
  disk.finish()
  await first
  await later()
  expect([order, disk.waiting.length]).toEqual([['first'], 1])
  disk.finish()
  await Promise.all(others)
  expect(order).toEqual(['first', 'second', 'third'])
  log.closeSync()
})

describe('where nothing can be awaited', () => {
  test('a lock that is let go within a few tries is had, and signed as a short one', () => {
    const path = newPath()
    writeFileSync(path, '')
    mkdirSync(lockPathOf(path))
    let tries = 0
    const records: unknown[] = []
    const before = ({ name, path: at }: FileCall) => {
      if (name === 'mkdirSync' && ++tries === 4) rmdirSync(lockPathOf(path))
      if (name === 'writeSync' && at === path) records.push(readOwnerRecord(path))
      return undefined
    }
    onTestFinished(watchFiles(dirname(path), { before }))
    appendOnceSync(path, [SAID], { useKernelLock: false })
    expect(records).toMatchObject([{ mode: 'once', kernel: false }])
    expect([...readLogSync(path)]).toHaveLength(1)
    expect(readdirSync(dirname(path))).toEqual(['log.jsonl'])
  })
})
