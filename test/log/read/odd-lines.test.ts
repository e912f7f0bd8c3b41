// Lines at the edges of what is read by its bytes: too long ones, and such that are almost ours.

import { closeSync, fstatSync, openSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { isUnverified, readLogBackwardSync, readLogSync } from '../../../lib/log/index.js'
import { undecodedLines } from '../../../lib/log/read/read-log.js'
import { scanLog } from '../../../lib/log/read/scan.js'
import { findTip } from '../../../lib/log/write/find-tip.js'
import { History } from '../../chain/history.js'
import { randomHistory, randomSteps, TAME } from '../../chain/random-history.js'
import { runs } from '../../helpers/effort.js'
import { bareLine, line, record } from '../../helpers/lines.js'
import { memoryFolder, temporaryFile } from '../../helpers/temporary.js'
import { watchFiles } from '../../helpers/watched-files.js'

const LINE_BYTES_MAX = 600
const CHUNKS = [16, 97, 599, 600, 601, 602, 1000, 5000]

function opened(t: TestContext, path: string) {
  const fd = openSync(path, 'r')
  t.onTestFinished(() => closeSync(fd))
  return { path, fd, size: fstatSync(fd).size, fs: systemEnvironment.fs }
}

/** A line of ours of exactly that length. */
function lineOf(length: number, uuid: string): Buffer {
  const empty = record('user', { uuid, payload: { content: '' } }).length
  return line('user', { uuid, payload: { content: 'x'.repeat(length - empty) } })
}

const short = line('user', { uuid: 'a' })
const exact = lineOf(LINE_BYTES_MAX, 'exact')
const large = lineOf(LINE_BYTES_MAX + 1, 'large')
const larger = lineOf(3000, 'larger')
const junk = Buffer.from(`${'?'.repeat(700)}\n`)
const torn = larger.subarray(0, 1500)
const bytes = Buffer.concat([short, exact, large, short, larger, junk, torn])

const tooLong = (uuid: string, length: number) => ({
  kind: 'event',
  event: { type: 'user', uuid, payload: null },
  unverified: true,
  length,
  diagnostics: [
    { code: 'oversize_line', uuid, length },
    { code: 'unverified', uuid, length },
  ],
})
const expected = [
  { kind: 'event', event: { uuid: 'a' }, byte_offset: 0 },
  { kind: 'event', event: { uuid: 'exact' }, length: LINE_BYTES_MAX },
  tooLong('large', LINE_BYTES_MAX + 1),
  { kind: 'event', event: { uuid: 'a' } },
  tooLong('larger', 3000),
  { kind: 'damage', reason: 'oversize_line', length: 700 },
  { kind: 'torn', reason: 'partial_tail', length: 1500 },
]

// Requirement: A40
test.each(CHUNKS.map((chunkBytes) => [chunkBytes]))(
  'a line over the limit keeps its place without its payload, in chunks of %i',
  (chunkBytes) => {
    const path = join(memoryFolder({ onTestFinished }), 'long.jsonl')
    writeFileSync(path, bytes)
    const sizes = { chunkBytes, lineBytesMax: LINE_BYTES_MAX }
    const forward = [...readLogSync(path, { sizes })]
    expect(forward).toMatchObject(expected)
    expect(forward.map(({ line_number }) => line_number)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect([...readLogBackwardSync(path, { sizes })].reverse()).toMatchObject(expected)
    expect(forward[1]).not.toHaveProperty('unverified')
    const [, , oversize] = forward
    expect(oversize?.kind === 'event' && isUnverified(oversize.event)).toBe(true)
    const seen: string[] = []
    scanLog(path, ({ uuid }) => seen.push(uuid), { sizes })
    expect(seen).toEqual(['a', 'exact', 'large', 'a', 'larger'])
    const bare = [...readLogSync(path, { sizes, bare: true })].map(({ kind }) => kind)
    expect(bare).toEqual(['event', 'event', 'damage', 'event', 'damage', 'damage', 'torn'])
  },
)

test('undecoded lines are visited from either end, and each decodes to itself', (t) => {
  const log = opened(t, temporaryFile(t, 'log.jsonl', bytes))
  const walk = (isBackward: boolean, to?: number) => {
    const found = []
    for (const { line, decode } of undecodedLines(log, {
      isBackward,
      ...(to !== undefined && { to }),
    })) {
      found.push([line.byte_offset, ...decode().map(({ kind }) => kind)])
    }
    return found
  }
  const forward = walk(false)
  expect(forward.map(([, kind]) => kind)).toEqual([
    ...['event', 'event', 'event', 'event', 'event', 'damage', 'torn'],
  ])
  expect(forward[1]![0]).toBe(short.length)
  expect(walk(true).reverse()).toEqual(forward)
  expect(walk(false, short.length)).toEqual(forward.slice(0, 1))
  expect(walk(false, log.size + 1000)).toEqual(forward)
})

const words = fc.constantFrom(
  'user',
  'a',
  '',
  'é',
  'a"b',
  'a\\b',
  '\u0001',
  '\u007f',
  'x'.repeat(300),
)
const odd = fc.oneof(words, fc.constantFrom(null, 5, true, undefined, ['a'], { uuid: 'inner' }))
const time = fc.oneof(
  { weight: 5, arbitrary: fc.constant('2026-01-01T12:00:00.000Z') },
  fc.constantFrom('2026-01-01T12:00:00.00"Z', '2026-01-01 12:00:00.000Z', '1', 1767225600, null),
  fc.constantFrom('2026-01-01T12:00:00.000z', '[026-01-01T12:00:00.000Z'),
)
const ORDERS = [
  ['type', 'ts', 'uuid', 'prev_uuid', 'payload'],
  ['type', 'ts', 'uuid', 'payload', 'prev_uuid'],
  ['type', 'uuid', 'ts', 'prev_uuid', 'payload'],
  ['uuid', 'type', 'ts', 'prev_uuid', 'payload'],
  ['type', 'ts', 'uuid', 'prev_uuid'],
  ['type', 'ts', 'uuid', 'prev_uuid', 'x', 'payload'],
]
const usual = fc.constantFrom('user', 'a', 'b')
const field = fc.oneof({ weight: 4, arbitrary: usual }, odd)
/** With a checksum that is right, so that only the spelling tells it from one of ours. */
const almostOurs = fc
  .record({
    type: field,
    ts: time,
    uuid: field,
    prev_uuid: fc.oneof(fc.constant(null), field),
    payload: fc.constantFrom({}, null, { uuid: 'inner' }, 5),
    order: fc.oneof({ weight: 3, arbitrary: fc.constant(ORDERS[0]!) }, fc.constantFrom(...ORDERS)),
  })
  .map(({ order, ...fields }) =>
    bareLine(Object.fromEntries(order.map((name) => [name, { ...fields, x: 1 }[name as 'type']]))),
  )

test('a line that is almost spelled as ours says to a scan what it says to a reader', (t) => {
  const path = join(memoryFolder(t), 'log.jsonl')
  const property = fc.property(fc.array(almostOurs, { minLength: 1, maxLength: 8 }), (lines) => {
    writeFileSync(path, Buffer.concat(lines))
    const read = [...readLogSync(path)].flatMap(({ kind, byte_offset, ...rest }) =>
      kind === 'event' && 'event' in rest
        ? [[byte_offset, rest.event.type, rest.event.uuid, rest.event.prev_uuid]]
        : [],
    )
    for (const verify of [false, true]) {
      const seen: unknown[] = []
      const note = (line: Parameters<Parameters<typeof scanLog>[1]>[0]) => {
        seen.push([line.byte_offset, line.type, line.uuid, line.prev_uuid])
      }
      scanLog(path, note, { verify })
      expect(seen).toEqual(read)
    }
  })
  fc.assert(property, { numRuns: runs(300) })
})

// Without copies: a copied block that fills the window would be taken for new lines.
test('the tip that is found in the last few lines is the one of the whole log', (t) => {
  const path = join(memoryFolder(t), 'log.jsonl')
  const property = fc.property(
    randomSteps(30, TAME),
    fc.integer({ min: 200, max: 3000 }),
    (steps, window) => {
      const history = randomHistory(steps)
      writeFileSync(path, history.bytes)
      const fd = openSync(path, 'r')
      const { tip } = findTip(
        { path, fd, size: history.size, fs: systemEnvironment.fs },
        window,
        systemEnvironment,
      )
      closeSync(fd)
      expect(tip).toBe(history.tip)
    },
  )
  fc.assert(property, { numRuns: runs(200) })
})

test.each([
  ['messages', (history: History, uuid: string) => history.m(uuid)],
  ['rewinds', (history: History, uuid: string) => history.rewind(uuid, 'm1')],
  ['compactions', (history: History, uuid: string) => history.compact({ summary: `S${uuid}` })],
])('a long log that ends with %s is asked at its end only', (_, add) => {
  const history = new History()
  history.m(...Array.from({ length: 3000 }, (_, index) => `m${index}`))
  for (let number = 0; number < 20; number++) add(history, `end${number}`)
  const path = join(memoryFolder({ onTestFinished }), 'asked.jsonl')
  writeFileSync(path, history.bytes)
  let count = 0
  const stop = watchFiles(dirname(path), {
    after: ({ name }, result) => {
      if (name === 'readSync') count += result as number
    },
  })
  const fd = openSync(path, 'r')
  try {
    expect(
      findTip({ path, fd, size: history.size, fs: systemEnvironment.fs }, 4000, systemEnvironment)
        .tip,
    ).toBe(history.tip)
  } finally {
    stop()
    closeSync(fd)
  }
  expect(count).toBeGreaterThan(0)
  expect(count).toBeLessThan(history.size / 2)
})
