// Files that are open: as big as they were, still the same, and closed again.

import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { environmentFrom, newUuid, systemEnvironment } from '../../../lib/environment/index.js'
import {
  isTemporaryOf,
  removeTemporary,
  temporaryPath,
} from '../../../lib/log/files/atomic-file.js'
import { isPrefixOf } from '../../../lib/log/files/copy-log.js'
import { toLogSettings } from '../../../lib/log/options.js'
import {
  openForReading,
  openIfThere,
  readEventAt,
  statIfThere,
  withOpenLog,
} from '../../../lib/log/read/open-for-reading.js'
import { LogFile } from '../../../lib/log/write/log-file.js'
import { FaultyDisk } from '../../helpers/faulty-disk.js'
import { line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const coded = (code: string) => expect.objectContaining({ code }) as Error
const openCount = () => readdirSync('/proc/self/fd').length

function fileOf(content: string | Buffer): string {
  const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  writeFileSync(path, content)
  return path
}

describe('a log that is written to', () => {
  function opened(content: string, disk = systemEnvironment.fs) {
    const path = fileOf(content)
    const fd = openSync(path, 'a+')
    onTestFinished(() => closeSync(fd))
    return { path, file: new LogFile(path, fd, disk) }
  }

  test('is torn where its last byte is no newline', () => {
    for (const [content, isTailTorn] of [
      ['', false],
      ['x', true],
      ['x\n', false],
      ['x\ny', true],
      ['\n', false],
    ] as const) {
      const { file } = opened(content)
      expect([file.size, file.isTailTorn]).toEqual([content.length, isTailTorn])
    }
  })

  test('takes over what others added, and is torn as that is', () => {
    const { path, file } = opened('x\n')
    appendFileSync(path, 'yz')
    expect([file.size, file.sizeOnDisk()]).toEqual([2, 4])
    file.accept(4)
    expect([file.size, file.isTailTorn]).toEqual([4, true])
    file.write(Buffer.from('\nw\n'))
    expect([file.size, file.isTailTorn, file.sizeOnDisk()]).toEqual([7, false, 7])
  })

  test('is not the same once it is gone, cut, or another one', () => {
    const code = 'ERR_FILE_REPLACED'
    const gone = opened('x\n')
    rmSync(gone.path)
    expect(() => gone.file.sizeOnDisk()).toThrow(coded(code))
    const cut = opened('x\ny\n')
    writeFileSync(cut.path, 'x\n')
    expect(() => cut.file.sizeOnDisk()).toThrow(coded(code))
    const other = opened('x\n')
    writeFileSync(`${other.path}.new`, 'x\nlonger\n')
    renameSync(`${other.path}.new`, other.path)
    expect(() => other.file.sizeOnDisk()).toThrow(
      expect.objectContaining({ code, details: { path: other.path } }) as Error,
    )
  })

  test('reports a short write, and continues after one that was completed', () => {
    const disk = new FaultyDisk()
    const { path, file } = opened('', environmentFrom(disk.environment).fs)
    disk.fail({ call: 'writeSync', takes: 2 })
    file.write(Buffer.from('..abcdef..'), 2, 8)
    expect(readFileSync(path, 'utf8')).toBe('abcdef')
    expect(file.size).toBe(6)
    disk.fail({ call: 'writeSync', takes: 2 })
    disk.fail({ call: 'writeSync', takes: 1 })
    expect(() => file.write(Buffer.from('ghijkl'))).toThrow(
      expect.objectContaining({
        code: 'ERR_APPEND_PARTIAL',
        details: { path, written: 3, wanted: 6 },
      }) as Error,
    )
    expect([file.size, file.sizeOnDisk()]).toEqual([6, 9])
  })
})

describe.runIf(process.platform === 'linux')('a log that is read', () => {
  test('is closed again where it is refused', () => {
    const path = fileOf('x')
    const folder = `${path}.folder`
    mkdirSync(folder)
    const before = openCount()
    expect(() => openForReading(folder, systemEnvironment)).toThrow(coded('ERR_UNSAFE_PATH'))
    expect(() => openForReading(`${path}.missing`, systemEnvironment)).toThrow(
      coded('ERR_NOT_FOUND'),
    )
    expect(() => openForReading(5 as never, systemEnvironment)).toThrow(/must be a string/)
    expect(openIfThere(`${path}.missing`, systemEnvironment)).toBeUndefined()
    expect(() => openIfThere(folder, systemEnvironment)).toThrow(coded('ERR_UNSAFE_PATH'))
    expect(() => openIfThere('x'.repeat(5000), systemEnvironment)).toThrow(coded('ERR_IO'))
    expect(openCount()).toBe(before)
  })

  test('is closed by whom it was opened by', () => {
    const path = fileOf('abc')
    const fd = openSync(path, 'r')
    const before = openCount()
    expect(withOpenLog(path, ({ size, path: at }) => [size, at], systemEnvironment)).toEqual([
      3,
      path,
    ])
    expect(() =>
      withOpenLog(
        path,
        () => {
          throw new Error('no')
        },
        systemEnvironment,
      ),
    ).toThrow('no')
    expect(withOpenLog(fd, (log) => log, systemEnvironment)).toMatchObject({
      path: `descriptor ${fd}`,
      fd,
      size: 3,
    })
    expect(openCount()).toBe(before)
    closeSync(fd)
    expect(() => withOpenLog(2 ** 20, () => 0, systemEnvironment)).toThrow(coded('ERR_IO'))
  })

  test('exists or not, and an obstacle is an error', () => {
    const path = fileOf('abc')
    expect(statIfThere(path, systemEnvironment)?.size).toBe(3)
    expect(statIfThere(`${path}.missing`, systemEnvironment)).toBeUndefined()
    expect(() => statIfThere('x'.repeat(5000), systemEnvironment)).toThrow(coded('ERR_IO'))
  })
})

test('an event is read where it begins, however long it is, and nowhere else', () => {
  const [short, long] = ['x', 'y'.repeat(70_000)].map((content) =>
    line('user', { uuid: content[0]!, payload: { content } }),
  ) as [Buffer, Buffer]
  const last = line('user', { uuid: 'z' }).subarray(0, -1)
  const path = fileOf(Buffer.concat([short, long, Buffer.from('damage\n'), last]))
  withOpenLog(
    path,
    (log) => {
      const uuidAt = (offset: number) => readEventAt(log, offset)?.uuid
      const end = short.length + long.length
      expect([0, short.length, end + 7].map(uuidAt)).toEqual(['x', 'y', 'z'])
      expect([1, end, log.size, log.size + 1].map(uuidAt)).toEqual(Array(4).fill(undefined))
    },
    systemEnvironment,
  )
})

test('a file is the beginning of another, over several chunks, to the last byte', () => {
  const bytes = Buffer.alloc(600_000, 'abcdefg')
  const whole = fileOf(bytes)
  const isBeginning = (part: Buffer) => isPrefixOf(fileOf(part), whole, systemEnvironment)
  for (const length of [0, 1, 262_144, 262_145, 524_289, 600_000]) {
    expect(isBeginning(bytes.subarray(0, length))).toBe(true)
    if (length === 0) continue
    const changed = Buffer.from(bytes.subarray(0, length))
    changed[length - 1]! ^= 1
    expect(isBeginning(changed)).toBe(false)
  }
  expect(isBeginning(Buffer.concat([bytes, Buffer.from('x')]))).toBe(false)
})

test('random uuids are of version 4, and all different', () => {
  const uuids = Array.from({ length: 400 }, newUuid)
  for (const uuid of uuids) {
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
  expect(new Set(uuids).size).toBe(400)
  const letters = uuids.join('')
  for (const digit of '0123456789abcdef') expect(letters).toContain(digit)
})

test('a temporary file is hidden beside its own, known by its name, and gone without a word', () => {
  const path = fileOf('x')
  const temporary = temporaryPath(path, systemEnvironment)
  expect(temporary).toMatch(/\/\.log\.jsonl\.[0-9a-f-]{36}\.tmp$/)
  expect(temporaryPath(path, systemEnvironment)).not.toBe(temporary)
  const nameOf = (at: string) => at.slice(at.lastIndexOf('/') + 1)
  expect(isTemporaryOf(path, nameOf(temporary))).toBe(true)
  for (const name of ['log.jsonl', '.log.jsonl.x', 'log.jsonl.x.tmp', '.other.jsonl.x.tmp']) {
    expect(isTemporaryOf(path, name)).toBe(false)
  }
  writeFileSync(temporary, '')
  removeTemporary(temporary, systemEnvironment)
  removeTemporary(temporary, systemEnvironment)
  mkdirSync(temporary)
  expect(() => removeTemporary(temporary, systemEnvironment)).not.toThrow()
})

test('settings are the given options, else the defaults', () => {
  const settings = toLogSettings({})
  expect(settings).toMatchObject({
    durability: 'turn',
    hasLineNumbers: true,
    lock: { timeoutMs: 5000, useKernelLock: true },
  })
  expect(settings.onDiagnostic({} as never)).toBeUndefined()
  const now = () => 7
  expect(toLogSettings({ environment: { now } }).environment).toEqual({ ...systemEnvironment, now })
  expect(
    toLogSettings({ lineNumbers: false, useKernelLock: false, lockTimeoutMs: 0 }),
  ).toMatchObject({
    hasLineNumbers: false,
    lock: { timeoutMs: 0, useKernelLock: false },
  })
  for (const wrong of [
    { durability: 'never' },
    { lockTimeoutMs: -1 },
    { lockTimeoutMs: Number.NaN },
  ]) {
    expect(() => toLogSettings(wrong as never)).toThrow(coded('ERR_ARG'))
  }
})
