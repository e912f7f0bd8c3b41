// Lines without an envelope, written under the lock by somebody who keeps nothing open.

import { appendFileSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import { type LockedLogOptions, readLogSync, withLockedLog } from '../../../lib/log/index.js'
import { FaultyDisk } from '../../helpers/faulty-disk.js'
import { bareLine } from '../../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'

const append = (path: string, line: object, options: LockedLogOptions = {}) =>
  withLockedLog(path, options, (log) => log.append(line))

const read = (path: string) =>
  [...readLogSync(path, { bare: true })].map((entry) => ({
    what: entry.kind === 'event' ? (entry.event as unknown as { n: unknown }).n : entry.reason,
    byte_offset: entry.byte_offset,
  }))

/** A stranger writes these before the next writes of ours, one each. */
function disturbedBy(path: string, ...texts: string[]): LockedLogOptions['environment'] {
  const disk = systemEnvironment.fs
  return {
    fs: {
      ...disk,
      writeSync(...args) {
        const text = texts.shift()
        if (text !== undefined) appendFileSync(path, text)
        return disk.writeSync(...args)
      },
    },
  }
}

test('a line is whole and checksum-verified, and its offset is returned', async (t) => {
  const path = join(temporaryFolder(t), 'new', 'log.jsonl')
  const offsets = [await append(path, { n: 1 }), await append(path, { n: 2 })]
  expect(read(path)).toEqual(
    offsets.map((byte_offset, index) => ({ what: index + 1, byte_offset })),
  )
  expect(readFileSync(path, 'utf8')).toMatch(/^\{"n":1,"crc":"[0-9a-f]{8}"\}\n\{"n":2,/)
  expect(existsSync(`${path}.lock`)).toBe(false)
})

test('a torn tail is isolated and never cut off', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '{"n":0}\n{"n":')
  const byte_offset = await append(path, { n: 1 })
  expect(byte_offset).toBe(14)
  expect(read(path)).toEqual([
    { what: 0, byte_offset: 0 },
    { what: 'bad_line', byte_offset: 8 },
    { what: 1, byte_offset },
  ])
})

test('our line is found after the whole line of another process', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '')
  const diagnostics: Diagnostic[] = []
  const byte_offset = await append(
    path,
    { n: 1 },
    { environment: disturbedBy(path, '{"n":7}\n'), onDiagnostic: (it) => diagnostics.push(it) },
  )
  expect(byte_offset).toBe(8)
  expect(read(path)).toEqual([
    { what: 7, byte_offset: 0 },
    { what: 1, byte_offset },
  ])
  expect(diagnostics.map(({ code }) => code)).toEqual(['foreign_writer'])
})

test('after the partial line of another process our line is written again, and is read once', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '{"n":0}\n')
  const byte_offset = await append(path, { n: 1 }, { environment: disturbedBy(path, '{"n":') })
  expect(read(path)).toEqual([
    { what: 0, byte_offset: 0 },
    { what: 'bad_line', byte_offset: 8 },
    { what: 1, byte_offset },
  ])
})

test('a line joined to a complete foreign record is readable, and not written again', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '')
  const byte_offset = await append(path, { n: 1 }, { environment: disturbedBy(path, '{"n":7}') })
  expect(read(path)).toEqual([
    { what: 7, byte_offset: 0 },
    { what: 1, byte_offset },
  ])
})

test('fails with ERR_IO if another process keeps writing in between', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '')
  const environment = disturbedBy(path, ...Array<string>(20).fill('{"n":'))
  await expect(append(path, { n: 1 }, { environment })).rejects.toMatchObject({ code: 'ERR_IO' })
})

test('a full disk leaves a fragment that the next line isolates', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '')
  const disk = new FaultyDisk()
  disk.fail({ call: 'writeSync', takes: 5 })
  disk.fail({ call: 'writeSync', code: 'ENOSPC' })
  const { environment } = disk
  await expect(append(path, { n: 1 }, { environment })).rejects.toMatchObject({
    code: 'ERR_NO_SPACE',
  })
  await append(path, { n: 2 }, { environment })
  expect(read(path).map(({ what }) => what)).toEqual(['bad_line', 2])
})

test('a failed sync is reported, and the lock is released', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '')
  const disk = new FaultyDisk()
  disk.fail({ call: 'fdatasyncSync' })
  await expect(append(path, { n: 1 }, { environment: disk.environment })).rejects.toMatchObject({
    code: 'ERR_DURABILITY_UNKNOWN',
  })
  await append(path, { n: 2 }, { lockTimeoutMs: 0 })
})

test('after a rename the step must begin again: nothing is written into the old file', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '{"n":0}\n')
  const renaming = withLockedLog(path, {}, (log) => {
    renameSync(path, `${path}.1`)
    return log.append({ n: 1 })
  })
  await expect(renaming).rejects.toMatchObject({ code: 'ERR_FILE_REPLACED' })
  expect(statSync(`${path}.1`).size).toBe(8)
  await append(path, { n: 1 })
  expect(read(path).map(({ what }) => what)).toEqual([1])
})

test('what JSON would lose is refused before anything is written', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '')
  await expect(append(path, { n: Number.NaN })).rejects.toMatchObject({ code: 'ERR_SERIALIZE' })
  expect(statSync(path).size).toBe(0)
})

test('a foreign line of the same length is not taken for ours, also after a torn one', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '{"n":')
  const theirs = `${String(bareLine({ n: 7 }))}`
  const byte_offset = await append(
    path,
    { n: 1 },
    {
      environment: disturbedBy(path, `9}\n${theirs}`),
    },
  )
  expect(read(path).find(({ what }) => what === 1)).toEqual({ what: 1, byte_offset })
  expect(read(path).map(({ what }) => what)).toEqual([9, 7, 1])
})
