import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  fstatSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { canonicalLogPath, openLogFile, syncFolder } from '../../../lib/log/files/open-file.js'

const isPosix = process.platform !== 'win32'

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'jsonl-session-open-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8)

// Descriptors are given out lowest first, so a leak shows as a higher number.
function nextDescriptor(): number {
  const { fd } = openLogFile(join(temporaryFolder(), 'probe.jsonl'), systemEnvironment)
  closeSync(fd)
  return fd
}

function expectRefusal(path: string, found: string): void {
  const before = nextDescriptor()
  expect(() => openLogFile(path, systemEnvironment)).toThrow(
    expect.objectContaining({
      code: 'ERR_UNSAFE_PATH',
      message: expect.stringContaining(found),
    }),
  )
  expect(nextDescriptor()).toBe(before)
}

test('a missing log is created with its folders, private from the start', () => {
  const path = join(temporaryFolder(), 'one', 'two', 'a.jsonl')
  const { fd, wasCreated } = openLogFile(path, systemEnvironment)
  expect(wasCreated).toBe(true)
  expect(fstatSync(fd).size).toBe(0)
  closeSync(fd)
  if (isPosix) {
    expect(modeOf(path)).toBe('600')
    expect(modeOf(join(path, '..'))).toBe('700')
    expect(modeOf(join(path, '..', '..'))).toBe('700')
  }
})

test('an existing log is opened for append, and keeps its bytes and its mode', () => {
  const path = join(temporaryFolder(), 'a.jsonl')
  writeFileSync(path, 'first\n')
  chmodSync(path, 0o640)
  const { fd, wasCreated } = openLogFile(path, systemEnvironment)
  expect(wasCreated).toBe(false)
  writeSync(fd, 'second\n')
  closeSync(fd)
  expect(readFileSync(path, 'utf8')).toBe('first\nsecond\n')
  if (isPosix) expect(modeOf(path)).toBe('640')
})

test.runIf(isPosix)('an existing folder keeps its mode', () => {
  const folder = join(temporaryFolder(), 'shared')
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  closeSync(openLogFile(join(folder, 'a.jsonl'), systemEnvironment).fd)
  expect(modeOf(folder)).toBe('755')
})

test.runIf(isPosix)('a symbolic link is refused, dangling or not', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'target'), '')
  symlinkSync('target', join(folder, 'link.jsonl'))
  symlinkSync('nowhere', join(folder, 'dangling.jsonl'))
  expectRefusal(join(folder, 'link.jsonl'), 'link.jsonl is a symbolic link')
  expectRefusal(join(folder, 'dangling.jsonl'), 'dangling.jsonl is a symbolic link')
  expect(readdirSync(folder)).toEqual(['dangling.jsonl', 'link.jsonl', 'target'])
})

test('a directory is refused', () => {
  const path = join(temporaryFolder(), 'a.jsonl')
  mkdirSync(path)
  expectRefusal(path, 'a.jsonl is a directory')
})

test.runIf(isPosix)('refuses a named pipe without waiting for its other end', () => {
  const path = join(temporaryFolder(), 'a.jsonl')
  execFileSync('mkfifo', [path])
  expectRefusal(path, 'a.jsonl is a named pipe')
})

test.runIf(isPosix)('a socket is refused', async () => {
  const path = join(temporaryFolder(), 'a.jsonl')
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path, resolve))
  expectRefusal(path, 'a.jsonl is a socket')
  await new Promise((resolve) => server.close(resolve))
})

test.runIf(isPosix)('a device is refused', () => {
  expectRefusal('/dev/null', '/dev/null is a device')
})

test('a file with two names is refused', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'a.jsonl'), '')
  linkSync(join(folder, 'a.jsonl'), join(folder, 'b.jsonl'))
  expectRefusal(join(folder, 'a.jsonl'), 'a.jsonl has 2 names (hard links)')
})

test.runIf(isPosix)('a folder that everybody may write to is refused, unless it is sticky', () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o777)
  expectRefusal(join(folder, 'a.jsonl'), `${folder} is writable for all users (mode 777)`)
  expect(readdirSync(folder)).toEqual([])
  chmodSync(folder, 0o1777)
  closeSync(openLogFile(join(folder, 'a.jsonl'), systemEnvironment).fd)
})

test('a folder that is a file, or a link to nowhere, is an error and not a loop', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  symlinkSync('nowhere', join(folder, 'dangling'))
  expect(() => openLogFile(join(folder, 'file', 'a.jsonl'), systemEnvironment)).toThrow(
    'Could not open',
  )
  expect(() => openLogFile(join(folder, 'dangling', 'a.jsonl'), systemEnvironment)).toThrow()
  expect(() =>
    openLogFile(join(folder, 'dangling', 'deeper', 'a.jsonl'), systemEnvironment),
  ).toThrow()
  expect(() => canonicalLogPath(join(folder, 'dangling', 'a.jsonl'), systemEnvironment)).toThrow(
    'ENOENT',
  )
})

test('a canonical path goes through the real folder, which is created if missing', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'real'))
  symlinkSync('real', join(folder, 'alias'))
  expect(canonicalLogPath(join(folder, 'alias', '.', 'a.jsonl'), systemEnvironment)).toBe(
    join(folder, 'real', 'a.jsonl'),
  )
  expect(canonicalLogPath(join(folder, 'alias', 'new', 'a.jsonl'), systemEnvironment)).toBe(
    join(folder, 'real', 'new', 'a.jsonl'),
  )
  expect(readdirSync(join(folder, 'real'))).toEqual(['new'])
})

test('the folder of a new log can be synced', () => {
  const path = join(temporaryFolder(), 'a.jsonl')
  closeSync(openLogFile(path, systemEnvironment).fd)
  expect(() => syncFolder(path, systemEnvironment)).not.toThrow()
  expect(() => syncFolder(join(path, '..', 'missing', 'a.jsonl'), systemEnvironment)).toThrow(
    expect.objectContaining({ code: 'ERR_NOT_FOUND' }),
  )
})
