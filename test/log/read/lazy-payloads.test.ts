// Reading payloads later, and telling nothing where there is nothing to tell, change no entry.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readLogBackwardSync, readLogSync } from '../../../lib/log/index.js'
import { bareLine, foreignLine, line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

function fileOf(...lines: readonly (Buffer | string)[]): string {
  const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  writeFileSync(path, Buffer.concat(lines.map((each) => Buffer.from(each))))
  return path
}

const ours = (uuid: string) => line('user', { uuid, payload: { content: uuid } })

test('only of our own lines the payload is read when it is asked for, and it is the same', () => {
  const path = fileOf(
    ours('a'),
    line('user', { uuid: 'é', payload: { content: 'escaped' } }),
    foreignLine({ uuid: 'b', type: 'user', ts: 't', payload: { content: 'foreign' } }),
    ours('c'),
  )
  const read = (lazyPayloads: boolean) =>
    [...readLogBackwardSync(path, { lazyPayloads })].flatMap((entry) =>
      entry.kind === 'event' ? [entry.event] : [],
    )
  const isLater = (event: object) =>
    typeof Object.getOwnPropertyDescriptor(event, 'payload')?.get === 'function'
  expect(read(true).map(isLater)).toEqual([true, false, false, true])
  expect(read(false).map(isLater)).toEqual([false, false, false, false])
  expect(read(true).map(({ payload }) => payload)).toEqual(
    read(false).map(({ payload }) => payload),
  )
})

// Requirement: 003-64
test('a payload that was changed is damage, whether it is parsed or not', () => {
  const changed = ours('b')
  changed[changed.indexOf('"content":"b"') + 11] = 'x'.charCodeAt(0)
  const path = fileOf(ours('a'), changed, ours('c'))
  for (const lazyPayloads of [true, false]) {
    const reasons = [...readLogBackwardSync(path, { lazyPayloads })].map((entry) =>
      entry.kind === 'event' ? entry.event.uuid : entry.reason,
    )
    expect(reasons).toEqual(['c', 'crc_mismatch', 'a'])
  }
})

test('lines without an envelope are read all the same', () => {
  const path = fileOf(bareLine({ n: 1 }), bareLine({ n: 2 }))
  const entries = [...readLogBackwardSync(path, { lazyPayloads: true, bare: true })]
  expect(entries).toMatchObject([{ event: { n: 2 } }, { event: { n: 1 } }])
  for (const entry of entries) expect(entry).not.toHaveProperty('diagnostics')
})

test('a blank before a good line is not reported', () => {
  const [entry] = [...readLogSync(fileOf(' ', ours('a')))]
  expect(entry).toMatchObject({ kind: 'event', byte_offset: 1 })
  expect(entry).not.toHaveProperty('diagnostics')
  expect(entry).not.toHaveProperty('unverified')
})

test('an entry has a line number only if lines were counted', () => {
  const path = fileOf(
    ours('a'),
    'damage\n',
    foreignLine({ type: 'user', uuid: 'b', ts: 't' }),
    'torn',
  )
  for (const entry of readLogBackwardSync(path)) expect(entry).not.toHaveProperty('line_number')
  const numbers = [...readLogSync(path)].map(({ line_number }) => line_number)
  expect(numbers).toEqual([1, 2, 3, 4])
})
