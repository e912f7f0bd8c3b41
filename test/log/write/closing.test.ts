// What an end waits for, and that nothing is open after it.

import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { openLog, readLogSync } from '../../../lib/log/index.js'
import { lockPathOf, readOwnerRecord } from '../../../lib/log/lock/inspect.js'
import { appendOnceSync } from '../../../lib/log/write/append-once.js'
import { type WriterFiles, withFiles } from '../../helpers/faulty-disk.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { type FileCall, watchFiles } from '../../helpers/watched-files.js'

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
  const waiting: (() => void)[] = []
  const fdatasync: WriterFiles['fdatasync'] = (_, done) => void waiting.push(() => done(null))
  return {
    environment: withFiles({ fdatasync }),
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
      await expect(appended).resolves.toMatchObject({ uuid: 'last', byteOffset: 0 })
      expect([...readLogSync(path)]).toMatchObject([{ event: { uuid: 'last' } }])
    },
  )

  test('does not sync if durability is none', async () => {
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
  test('acquires a lock that is released within a few tries, and marks it as short', () => {
    const path = newPath()
    writeFileSync(path, '')
    mkdirSync(lockPathOf(path))
    let tries = 0
    const records: unknown[] = []
    const before = ({ name, path: at }: FileCall) => {
      if (name === 'mkdirSync' && ++tries === 4) rmdirSync(lockPathOf(path))
      if (name === 'writeSync' && at === path)
        records.push(readOwnerRecord(path, systemEnvironment.fs))
      return undefined
    }
    onTestFinished(watchFiles(dirname(path), { before }))
    appendOnceSync(path, [SAID], { useKernelLock: false })
    expect(records).toMatchObject([{ mode: 'once', kernel: false }])
    expect([...readLogSync(path)]).toHaveLength(1)
    expect(readdirSync(dirname(path))).toEqual(['log.jsonl'])
  })
})
