// A search that knows the text of our lines asks of every other line whether it may hold it.

import { closeSync, fstatSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { prefilteredLines, searchBuffer } from '../../../lib/log/read/prefiltered-lines.js'
import { bareLine, line, record } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

function opened(...lines: readonly Buffer[]) {
  const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  writeFileSync(path, Buffer.concat(lines))
  const fd = openSync(path, 'r')
  onTestFinished(() => closeSync(fd))
  return { path, fd, size: fstatSync(fd).size, fs: systemEnvironment.fs }
}

/** Nothing is found, and every line may hold it: so those are told that were asked. */
const ASKING = { find: () => -1, mayHold: () => true }

function askedOf(...lines: readonly Buffer[]): number[] {
  const offsets: number[] = []
  const buffer = searchBuffer()
  for (const { line } of prefilteredLines(opened(...lines), ASKING, { buffer })) {
    offsets.push(line.byte_offset)
  }
  return offsets
}

test('a line that begins and ends as ours is not asked', () => {
  expect(askedOf(line('user'), line('user', { uuid: 'x', payload: { text: 'é' } }))).toEqual([])
})

test('a line with one letter of its beginning or its end changed is asked', () => {
  const ours = line('user', { uuid: 'u' })
  const places = [...Array(9).keys(), ...[...Array(18).keys()].map((at) => ours.length - 19 + at)]
  for (const at of places) {
    const changed = Buffer.from(ours)
    changed[at] = 0x3f
    expect(askedOf(ours, changed, ours), `byte ${at}`).toEqual([ours.length])
  }
})

test('a line too short to be ours is asked, and a torn one', () => {
  const short = Buffer.from('{"type":"\n')
  const overlap = Buffer.from('{"type":,"crc":"01234567"}\n')
  expect(askedOf(short, overlap)).toEqual([0, short.length])
  const torn = record('user').subarray(0, -1)
  expect(askedOf(line('user'), torn)).toEqual([line('user').length])
})

test('each found line is yielded once and decodes, also without an envelope', () => {
  const log = opened(bareLine({ prompt: 'needle' }), line('user'), bareLine({ prompt: 'other' }))
  const needle = Buffer.from('needle')
  const finder = {
    find: (bytes: Buffer, from: number) => bytes.indexOf(needle, from),
    mayHold: () => false,
  }
  const found: unknown[] = []
  for (const walked of prefilteredLines(log, finder)) found.push(...walked.decode())
  expect(found).toMatchObject([{ kind: 'event', event: { prompt: 'needle' }, byte_offset: 0 }])
  expect(found[0]).not.toHaveProperty('diagnostics')
})

test('reports a wrong checksum of a bare line if another line is verified', () => {
  const changed = bareLine({ n: 1 })
  changed.write('2', changed.indexOf('1'))
  const finder = { mayHold: () => true }
  const codes: unknown[] = []
  for (const walked of prefilteredLines(opened(changed, bareLine({ n: 3 })), finder)) {
    for (const entry of walked.decode()) codes.push(entry.diagnostics?.map(({ code }) => code))
  }
  expect(codes).toEqual([['crc_mismatch'], undefined])
})

test('an end ends a search', () => {
  const signal = AbortSignal.abort(new Error('enough'))
  expect(() => [...prefilteredLines(opened(line('user')), ASKING, { signal })]).toThrow('enough')
})
