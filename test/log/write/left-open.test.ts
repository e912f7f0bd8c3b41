// Nothing stays behind: no descriptor, no half file, no folder that others may enter for a moment.

import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { copyLog, isPrefixOf } from '../../../lib/log/files/copy-log.js'
import { createFolder } from '../../../lib/log/files/open-file.js'
import { writeSmallFileAtomic } from '../../../lib/log/files/write-small-file.js'
import { toLogSettings } from '../../../lib/log/options.js'
import { replaceLog } from '../../../lib/log/write/replace-log.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { type FileCall, watchFiles } from '../../helpers/watched-files.js'

const openCount = () => readdirSync('/proc/self/fd').length

function fileOf(content: string): string {
  const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  writeFileSync(path, content)
  return path
}

describe.runIf(process.platform === 'linux')('no descriptor stays open', () => {
  test('of two files that are compared', () => {
    const [part, whole] = [fileOf('ab'), fileOf('abc')]
    const before = openCount()
    expect([
      isPrefixOf(part, whole, systemEnvironment),
      isPrefixOf(whole, part, systemEnvironment),
    ]).toEqual([true, false])
    expect(() => isPrefixOf(part, `${whole}.missing`, systemEnvironment)).toThrow()
    expect(openCount()).toBe(before)
  })

  test('of a small file that is written atomically', () => {
    const path = fileOf('old')
    const before = openCount()
    writeSmallFileAtomic(path, 'new', systemEnvironment)
    expect(openCount()).toBe(before)
  })

  test('of a copy, whole or not, and nothing of one that is not', () => {
    const from = fileOf('one\ntwo\n')
    const to = join(dirname(from), 'copy')
    const before = openCount()
    const request = { from, to, opening: Buffer.from('x\n'), later: [] }
    expect(() => copyLog({ ...request, end: 100 }, systemEnvironment)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^ERR_/) as string }) as Error,
    )
    expect(readdirSync(dirname(from))).toEqual(['log.jsonl'])
    copyLog({ ...request, end: 4 }, systemEnvironment)
    expect(readdirSync(dirname(from)).sort()).toEqual(['copy', 'log.jsonl'])
    expect(openCount()).toBe(before)
  })

  test('of a log that is replaced, or is not after all', async () => {
    const path = fileOf('one\ntwo\n')
    const before = openCount()
    const kept = [{ byte_offset: 4, length: 3 }]
    const beforeReplacing = async () => {}
    const fail = async () => {
      throw new Error('not now')
    }
    await expect(
      replaceLog(path, { choose: () => kept, beforeReplacing: fail }),
    ).rejects.toMatchObject({
      cause: { message: 'not now' },
    })
    expect(statSync(path).size).toBe(8)
    expect(await replaceLog(path, { choose: () => undefined, beforeReplacing })).toBe(false)
    expect(await replaceLog(path, { choose: () => kept, beforeReplacing })).toBe(true)
    expect(statSync(path).size).toBe(4)
    expect(readdirSync(dirname(path))).toEqual(['log.jsonl'])
    expect(openCount()).toBe(before)
  })
})

test('a folder is for its owner alone from its first moment, under any mask', () => {
  const before = process.umask()
  onTestFinished(() => void process.umask(before))
  for (const mask of [0, 0o022, 0o277]) {
    const folder = join(temporaryFolder({ onTestFinished }), 'a', 'b')
    const modes: number[] = []
    const after = ({ name, path }: FileCall) => {
      if (name === 'mkdirSync') modes.push(statSync(path).mode & 0o777)
    }
    const stop = watchFiles(dirname(dirname(folder)), { after })
    onTestFinished(stop)
    process.umask(mask)
    createFolder(folder, systemEnvironment)
    process.umask(before)
    stop()
    expect(modes.map((mode) => mode & 0o077)).toEqual([0, 0])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  }
})

test('a folder that is there is left as it is', () => {
  const folder = join(temporaryFolder({ onTestFinished }), 'a')
  mkdirSync(folder, { mode: 0o755 })
  const { mode } = statSync(folder)
  createFolder(folder, systemEnvironment)
  expect(statSync(folder).mode).toBe(mode)
})

describe('how long a lock is waited for', () => {
  afterEach(() => void vi.unstubAllEnvs())

  test.each([
    ['250', 250],
    ['0.5', 0.5],
    ['0', 5000],
    ['-5', 5000],
    ['x', 5000],
    ['Infinity', 5000],
    ['', 5000],
  ])('may come from outside: %j', (value, expected) => {
    vi.stubEnv('JSONL_SESSION_LOCK_TIMEOUT_MS', value)
    expect(toLogSettings({}).lock.timeoutMs).toBe(expected)
    expect(toLogSettings({ lockTimeoutMs: 7 }).lock.timeoutMs).toBe(7)
  })
})
