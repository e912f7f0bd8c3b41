// Strangers who write at the worst moment, and lines that only their neighbours prove.

import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { appendOnce, openLog, readLogBackwardSync, readLogSync } from '../../../lib/log/index.js'
import { type WriterFiles, withFiles } from '../../helpers/faulty-disk.js'
import { bareLine, record } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const SAID = { type: 'user', payload: { content: 'x' } } as const
const newPath = () => join(temporaryFolder({ onTestFinished }), 'log.jsonl')

/** A disk on which somebody writes right before and right after our first write. */
function disturbedDisk(path: string, { before, after }: { before: string; after: string }) {
  const disk = systemEnvironment.fs
  let count = 0
  const writeSync: WriterFiles['writeSync'] = (fd, bytes, start, length) => {
    const isFirst = ++count === 1
    if (isFirst) appendFileSync(path, before)
    const written = disk.writeSync(fd, bytes, start, length)
    if (isFirst) appendFileSync(path, after)
    return written
  }
  return withFiles({ writeSync })
}

test.each([
  ['before it', { before: 'half', after: '' }],
  ['before it, with a value open', { before: '{"half":', after: '' }],
  ['before and after it, with values open', { before: '{"half":', after: '{"half":' }],
  ['before and after it', { before: 'half', after: 'and half' }],
  ['after it', { before: '', after: 'half' }],
  ['whole before it', { before: `${record('user', { uuid: 'theirs' })}\n`, after: '' }],
])('a line disturbed by a stranger %s is read once, where its receipt says', async (_, words) => {
  for (const isOneShot of [true, false]) {
    const path = newPath()
    const environment = disturbedDisk(path, words)
    const options = { environment, useKernelLock: false, lineNumbers: true } as const
    const append = async () => {
      if (isOneShot) return (await appendOnce(path, [SAID], options))[0]
      const log = await openLog(path, options)
      onTestFinished(() => log.close())
      return log.append(SAID)
    }
    const receipt = (await append())!
    const entries = [...readLogSync(path)]
    const ours = entries.filter(
      (entry) => entry.kind === 'event' && entry.event.uuid === receipt.uuid,
    )
    expect(ours).toHaveLength(1)
    expect(ours[0]).toMatchObject({
      byte_offset: receipt.byteOffset,
      line_number: receipt.lineNumber,
    })
  }
})

/** Of every entry, from the end on, what was told of it. */
function toldBackward(...lines: readonly Buffer[]): (string | undefined)[] {
  const path = newPath()
  writeFileSync(path, Buffer.concat(lines))
  const entries = readLogBackwardSync(path, { bare: true })
  return [...entries].map(({ diagnostics }) => diagnostics?.map(({ code }) => code).join(' '))
}

/** Whole, but with a checksum of other bytes. */
const changed = bareLine({ n: 1 })
changed.write('2', changed.indexOf('1'))

test('a wrong checksum is damage if another line is checksum-verified', () => {
  expect(toldBackward(changed)).toEqual(['unverified'])
  expect(toldBackward(bareLine({ n: 3 }), changed)).toEqual(['crc_mismatch', undefined])
  expect(toldBackward(changed, bareLine({ n: 3 }))).toEqual([undefined, 'crc_mismatch'])
  const mark = Buffer.from([0xef, 0xbb, 0xbf])
  expect(toldBackward(mark, bareLine({ n: 3 }), changed)[0]).toBe('crc_mismatch')
  const [plain, proven] = [Buffer.from('{"n":4}'), bareLine({ n: 3 })]
  expect(toldBackward(plain, proven, changed)[0]).toBe('crc_mismatch')
  expect(toldBackward(plain, Buffer.from('\n'), changed)[0]).toBe('unverified')
})
