// Which lines are read by their bytes: those that are spelled as ours to the letter, and no others.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import type { Line } from '../../../lib/log/read/forward-lines.js'
import { withOpenLog } from '../../../lib/log/read/open-for-reading.js'
import { ScannedLine } from '../../../lib/log/read/scan.js'
import { UuidIndex } from '../../../lib/log/uuid-index.js'
import { findTip } from '../../../lib/log/write/find-tip.js'
import { line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const TIME = '2026-01-31T12:00:00.000Z'

interface Spelling {
  readonly type?: string
  readonly ts?: string
  readonly uuid?: string
  readonly prev?: string
  readonly end?: string
}

function spell({ type = 'user', ts = TIME, uuid = 'u-1', prev = '"p-1"', end }: Spelling): string {
  const head = `{"type":"${type}","ts":"${ts}","uuid":"${uuid}","prev_uuid":${prev},"payload":`
  return `${head}{"a":1}${end ?? ',"crc":"01234567"}'}`
}

/** What is read of a line in the middle of a buffer; `undefined` where it is not read. */
function read(text: string) {
  const bytes = Buffer.from(`before${text}after`, 'latin1')
  const [start, end] = [6, 6 + text.length]
  const view = new ScannedLine()
  const given = { bytes, start, end, byte_offset: 100, length: text.length } as Line
  if (!view.setLine(given)) return undefined
  const { type, uuid, prev_uuid, byte_offset, length } = view
  return { type, uuid, prev_uuid, byte_offset, length }
}

describe('a line', () => {
  test('of ours has type, uuid, link and offset', () => {
    const text = spell({})
    expect(read(text)).toEqual({
      type: 'user',
      uuid: 'u-1',
      prev_uuid: 'p-1',
      byte_offset: 100,
      length: text.length,
    })
    expect(read(spell({ prev: 'null' }))?.prev_uuid).toBe(null)
  })

  test('with any letter of its frame changed is not read', () => {
    const text = spell({ prev: 'null' })
    const payloadAt = text.indexOf('{"a"')
    const values = ['user', TIME, 'u-1'].map((value) => {
      const at = text.indexOf(value)
      return [at, at + value.length] as const
    })
    for (let at = 0; at < payloadAt; at++) {
      if (values.some(([from, to]) => at >= from && at < to)) continue
      expect(read(`${text.slice(0, at)}?${text.slice(at + 1)}`), `${at}`).toBeUndefined()
      expect(read(text.slice(0, at) + text.slice(at + 1)), `${at}`).toBeUndefined()
    }
    for (const end of ['}', ',"crc":"0123456x"}', ',"crc":"01234567"', ',"crc":"0123456"}']) {
      expect(read(spell({ end }))).toBeUndefined()
    }
  })

  const PLAIN = [' ', '!', '#', '[', ']', '~', 'A']
  const OTHERS = ['\\', '\x1f', '\n', '\x7f', '\x80', '\xff']

  test.each([
    ['type', 64, (value: string) => ({ type: value })],
    ['uuid', 128, (value: string) => ({ uuid: value })],
    ['prev_uuid', 128, (value: string) => ({ prev: `"${value}"` })],
  ] as const)('has a %s of one to %i plain characters', (field, most, change) => {
    const told = (value: string) => read(spell(change(value)))?.[field]
    for (const plain of PLAIN) expect(told(`a${plain}b`)).toBe(`a${plain}b`)
    for (const other of OTHERS) expect(told(`a${other}b`), JSON.stringify(other)).toBeUndefined()
    expect(told('a"b')).toBeUndefined()
    expect(told('')).toBeUndefined()
    expect(told('x')).toBe('x')
    expect(told('x'.repeat(most))).toBe('x'.repeat(most))
    expect(told('x'.repeat(most + 1))).toBeUndefined()
  })

  test('follows a uuid or nothing', () => {
    for (const prev of ['5', 'nul', 'true', '{}', '']) expect(read(spell({ prev }))).toBeUndefined()
  })

  test('has a time of twenty-four characters between + and Z', () => {
    const ends = ['+', 'Z', '9', ':']
    for (const end of ends) expect(read(spell({ ts: TIME.slice(0, -1) + end }))).toBeDefined()
    for (const end of ['*', '[', '"', ' ', 'z', '\x7f']) {
      expect(read(spell({ ts: TIME.slice(0, -1) + end })), end).toBeUndefined()
      expect(read(spell({ ts: end + TIME.slice(1) })), end).toBeUndefined()
    }
    expect(read(spell({ ts: TIME.slice(1) }))).toBeUndefined()
    expect(read(spell({ ts: `${TIME}0` }))).toBeUndefined()
  })

  test('that was decoded says what its event says, and one after the other', () => {
    const view = new ScannedLine()
    const event = { type: 'system', ts: TIME, uuid: 'é', prev_uuid: 'é0', payload: {} }
    view.setEntry({ kind: 'event', event, byte_offset: 7, length: 9 })
    expect(view).toMatchObject({ type: 'system', uuid: 'é', prev_uuid: 'é0', isCanonical: false })
    const index = new UuidIndex()
    view.addTo(index)
    const text = spell({ prev: 'null' })
    const bytes = Buffer.from(text)
    view.setLine({ bytes, start: 0, end: bytes.length, byte_offset: 70, length: 90 } as Line)
    expect(view).toMatchObject({ uuid: 'u-1', prev_uuid: null, byte_offset: 70, isCanonical: true })
    view.addTo(index)
    expect([index.find('é'), index.find('u-1')]).toEqual([7, 70])
  })
})

describe('the tip', () => {
  function tipOf(lines: readonly Buffer[], windowBytes: number): string | null {
    const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
    writeFileSync(path, Buffer.concat(lines))
    return withOpenLog(
      path,
      (log) => findTip(log, windowBytes, systemEnvironment).tip,
      systemEnvironment,
    )
  }
  const said = (uuid: string, prev_uuid: string | null) => line('user', { uuid, prev_uuid })
  const WINDOWS = [1, 300, 400, 700, 100_000]

  test('is on the chain, however many off-chain events follow', () => {
    const end = line('turn_end', { uuid: 'end', payload: { note: 'x'.repeat(500) } })
    for (const window of [...WINDOWS, end.length, end.length + 1]) {
      expect(tipOf([said('a', null), said('b', 'a'), end], window)).toBe('b')
      expect(tipOf([said('a', null), said('b', 'a'), end, end], window)).toBe('b')
    }
  })

  test('is no line that was changed', () => {
    const changed = said('c', 'b')
    changed.write('x', changed.indexOf('"payload":{}') + 1)
    const damaged = Buffer.from(said('d', 'b'))
    damaged.write('e', damaged.indexOf('"d"') + 1)
    for (const window of WINDOWS) {
      expect(tipOf([said('a', null), said('b', 'a'), changed], window)).toBe('b')
      expect(tipOf([said('a', null), said('b', 'a'), damaged], window)).toBe('b')
    }
  })

  test('is a boundary at its recorded offset, also with a repeated uuid', () => {
    const before = [said('a', null), said('b', 'a')]
    const self = Buffer.concat(before).length
    const boundary = (at: number) =>
      line('compaction_boundary', {
        uuid: 'a',
        prev_uuid: 'elsewhere',
        payload: { offsets: { self: at } },
      })
    expect(tipOf([...before, boundary(self)], 100_000)).toBe('a')
    expect(tipOf([...before, boundary(self + 1)], 100_000)).toBe('b')
  })
})
