// What is made is private whatever the mask, and what others do meanwhile is waited out.

import { closeSync, constants, existsSync, fstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import {
  canonicalLogPath,
  createPrivateFile,
  openLogFile,
  syncFolder,
} from '../../../lib/log/files/open-file.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { type FileCall, watchFiles } from '../../helpers/watched-files.js'

const newPath = () => join(temporaryFolder({ onTestFinished }), 'log.jsonl')
const coded = (code: string) => expect.objectContaining({ code }) as Error

/** Lets that call fail on its n-th time. */
function failAt(path: string, at: string, nth: number, code: string): void {
  let count = 0
  const before = ({ name }: FileCall) =>
    name === at && ++count === nth ? { code, errno: -1 } : undefined
  onTestFinished(watchFiles(dirname(path), { before }))
}

test.each([0o000, 0o022, 0o077, 0o277, 0o777])('a file is for its owner alone: mask %o', (mask) => {
  const path = newPath()
  const before = process.umask(mask)
  onTestFinished(() => void process.umask(before))
  const fd = createPrivateFile(path, constants.O_WRONLY, systemEnvironment)
  expect(fstatSync(fd).mode & 0o777).toBe(0o600)
  closeSync(fd)
  const shared = createPrivateFile(`${path}.shared`, constants.O_WRONLY, {
    mode: 0o640,
    fs: systemEnvironment.fs,
  })
  expect(fstatSync(shared).mode & 0o777).toBe(0o640)
  closeSync(shared)
  expect(() => createPrivateFile(path, constants.O_WRONLY, systemEnvironment)).toThrow('EEXIST')
  const log = join(dirname(path), 'a', 'b', 'log.jsonl')
  const opened = openLogFile(log, systemEnvironment)
  expect(opened.wasCreated).toBe(true)
  closeSync(opened.fd)
  expect([log, dirname(log), dirname(dirname(log))].map((at) => statSync(at).mode & 0o777)).toEqual(
    [0o600, 0o700, 0o700],
  )
})

test.each(['EEXIST', 'ENOENT'])(
  'a file that another one makes or removes meanwhile is opened: %s',
  (code) => {
    const path = newPath()
    failAt(path, 'openSync', 2, code)
    const { fd, wasCreated } = openLogFile(path, systemEnvironment)
    closeSync(fd)
    expect([wasCreated, existsSync(path)]).toEqual([true, true])
  },
)

test('reports a file that is created and removed again and again, without waiting', () => {
  const path = newPath()
  let opens = 0
  const before = ({ name }: FileCall) => {
    if (name === 'openSync') opens++
    return name === 'openSync' ? { code: opens % 2 ? 'ENOENT' : 'EEXIST', errno: -2 } : undefined
  }
  onTestFinished(watchFiles(dirname(path), { before }))
  expect(() => openLogFile(path, systemEnvironment)).toThrow(
    expect.objectContaining({ code: 'ERR_IO', details: { path } }) as Error,
  )
  expect(opens).toBe(32)
})

test.each(['EINVAL', 'EPERM', 'EISDIR'])(
  'a folder that cannot be synced by its nature is not: %s',
  (code) => {
    const path = newPath()
    failAt(path, 'fsyncSync', 1, code)
    expect(() => syncFolder(path, systemEnvironment)).not.toThrow()
  },
)

test('a folder that the disk refuses to sync is an error', () => {
  const path = newPath()
  failAt(path, 'fsyncSync', 1, 'EIO')
  expect(() => syncFolder(path, systemEnvironment)).toThrow(coded('ERR_IO'))
})

test('a path has one name, and its folder is there then', () => {
  const path = join(dirname(newPath()), 'a', 'b', 'log.jsonl')
  const canonical = canonicalLogPath(
    join(dirname(path), '..', 'b', '.', 'log.jsonl'),
    systemEnvironment,
  )
  expect(canonical).toBe(canonicalLogPath(path, systemEnvironment))
  expect(statSync(dirname(path)).isDirectory()).toBe(true)
  const file = openLogFile(path, systemEnvironment)
  closeSync(file.fd)
  expect(() => canonicalLogPath(join(path, 'below', 'log.jsonl'), systemEnvironment)).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^ERR_/) as string }) as Error,
  )
})
