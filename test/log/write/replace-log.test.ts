// A log takes the place of another under its lock, or everything stays as it was.

import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { appendOnce, inspectLock } from '../../../lib/log/index.js'
import { type ByteRange, replaceLog } from '../../../lib/log/internal.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const LINES = 'one\ntwo\nthree\n'
const ONE_AND_THREE: ByteRange[] = [
  { byte_offset: 0, length: 3 },
  { byte_offset: 8, length: 5 },
]

function logOf(text: string): string {
  const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  writeFileSync(path, text)
  return path
}

const nothing = async () => {}

/** Nothing but the log is left, and nobody holds it. */
function expectTidy(path: string): void {
  expect(readdirSync(join(path, '..'))).toEqual(['log.jsonl'])
  expect(inspectLock(path).verdict).not.toBe('held')
}

test('the lines that were chosen are the new log', async () => {
  const path = logOf(LINES)
  const { ino } = statSync(path)
  const choose = () => ONE_AND_THREE
  expect(await replaceLog(path, { choose, beforeReplacing: nothing })).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe('one\nthree\n')
  expect(statSync(path).ino).not.toBe(ino)
  expectTidy(path)
})

test('a last line without its newline gets one', async () => {
  const path = logOf('one\ntorn')
  const choose = () => [{ byte_offset: 4, length: 4 }]
  await replaceLog(path, { choose, beforeReplacing: nothing })
  expect(readFileSync(path, 'utf8')).toBe('torn\n')
})

test('nothing chosen leaves the very same file', async () => {
  const path = logOf(LINES)
  const { ino } = statSync(path)
  const replaced = replaceLog(path, { choose: () => undefined, beforeReplacing: nothing })
  expect(await replaced).toBe(false)
  expect(statSync(path).ino).toBe(ino)
  expectTidy(path)
})

test('what fails before the replacement leaves the log as it was', async () => {
  const path = logOf(LINES)
  const beforeReplacing = async () => {
    throw new Error('no account')
  }
  const replaced = replaceLog(path, { choose: () => ONE_AND_THREE, beforeReplacing })
  await expect(replaced).rejects.toMatchObject({ code: 'ERR_IO' })
  expect(readFileSync(path, 'utf8')).toBe(LINES)
  expectTidy(path)
})

test('does not lose the line of a process that ignores the lock', async () => {
  const path = logOf(LINES)
  const beforeReplacing = async () => appendFileSync(path, 'four\n')
  const replaced = replaceLog(path, { choose: () => ONE_AND_THREE, beforeReplacing })
  await expect(replaced).rejects.toMatchObject({ code: 'ERR_IO', message: /ignores the lock/ })
  expect(readFileSync(path, 'utf8')).toBe(`${LINES}four\n`)
  expectTidy(path)
})

test('what a dead process left is removed by the next', async () => {
  const path = logOf(LINES)
  writeFileSync(join(path, '..', '.log.jsonl.0.tmp'), 'half')
  await replaceLog(path, { choose: () => undefined, beforeReplacing: nothing })
  expectTidy(path)
})

test.each([true, false])(
  'a writer that waited for the lock writes into the new log (kernel lock: %s)',
  async (useKernelLock) => {
    const path = logOf('')
    await appendOnce(path, [{ type: 'acme.note', payload: {}, prev_uuid: null, uuid: 'first' }])
    let waiting: Promise<unknown> | undefined
    const beforeReplacing = async () => {
      const event = { type: 'acme.note', payload: {}, prev_uuid: null, uuid: 'second' }
      waiting = appendOnce(path, [event], { useKernelLock })
    }
    await replaceLog(path, { useKernelLock, choose: () => [], beforeReplacing })
    await waiting
    const text = readFileSync(path, 'utf8')
    expect([text.includes('"first"'), text.includes('"second"')]).toEqual([false, true])
    expect(existsSync(`${path}.lock`)).toBe(false)
  },
)
