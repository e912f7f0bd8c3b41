// The beginning of a checkpoint's line says the same as the whole of it, or nothing at all.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CHECKSUM_BYTES, writeChecksum } from '../../lib/format/checksum.js'
import { CheckpointPrefix } from '../../lib/format/index.js'
import { line } from '../helpers/lines.js'
import { checkpointLine, NOW } from '../store/checkpoint-lines.js'

function readAll(lines: readonly Buffer[]): (object | undefined)[] {
  const bytes = Buffer.concat(lines)
  const prefix = new CheckpointPrefix()
  let start = 0
  return lines.map(({ length }) => {
    const isRead = prefix.read(bytes, start, start + length - 1)
    start += length
    if (!isRead) return undefined
    const { label, createdAtMs, idStart, idEnd } = prefix
    return { id: bytes.toString('latin1', idStart, idEnd), createdAtMs, ...label }
  })
}

function expected({ id, session_key, created_at, project_normalized, trigger }: Payload): object {
  const createdAtMs = Date.parse(created_at)
  return { id, createdAtMs, session_key, project_normalized, trigger }
}

interface Payload {
  readonly id: string
  readonly session_key: string
  readonly created_at: string
  readonly project_normalized: string | null
  readonly trigger: string
}

const text = fc.oneof(
  fc.constantFrom('s1', 's2', '/work/app', 'a"b\\c', 'é', '日本', '\u2028', '\u0001', '\ud800'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
)
const payload: fc.Arbitrary<Payload> = fc.record({
  id: fc.constantFrom('cp1', 'cp2', 'x', '0'.repeat(36), '1'.repeat(36), 'y'.repeat(128)),
  session_key: text,
  created_at: fc
    .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  project_normalized: fc.option(fc.oneof(text, fc.constantFrom('/a', 'x'.repeat(4096)))),
  trigger: fc.constantFrom('periodic', 'agent', 'session_end'),
  digest: fc.string({ unit: 'binary', maxLength: 50 }),
})

test('of lines of ours it reads what the whole line says, whatever came before (000-14)', () => {
  const repeated = fc.array(fc.tuple(payload, fc.nat(3)), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(repeated, (drawn) => {
      const payloads = drawn.flatMap(([one, again]) => Array<Payload>(again + 1).fill(one))
      const lines = payloads.map((one) =>
        line('checkpoint', { uuid: one.id, ts: one.created_at, payload: one }),
      )
      expect(readAll(lines)).toEqual(payloads.map(expected))
    }),
    { numRuns: 300 },
  )
})

/** Lines that have the same form, and differ in a letter here or there. */
const alike = fc.record({
  id: fc.constantFrom('a'.repeat(36), `b${'a'.repeat(35)}`, `${'a'.repeat(35)}b`, 'a'.repeat(35)),
  uuid: fc.option(fc.constantFrom('c'.repeat(36), `${'a'.repeat(35)}c`), { freq: 3 }),
  created_at: fc.constantFrom(
    ...['2026-01-02T03:04:05.678Z', '2026-01-02T23:59:59.999Z', '2026-02-02T03:04:05.678Z'],
    ...['2025-01-02T03:04:05.678Z', '2026-01-03T03:04:05.678Z', '2026-01-02T03:04:05.679Z'],
  ),
  ts: fc.option(fc.constantFrom('2026-01-02T03:04:05.679Z'), { freq: 5 }),
  session_key: fc.constantFrom('s1', 's1', 's1', 's2', 's11'),
  project_normalized: fc.constantFrom('/work/a', '/work/a', '/work/a', '/work/b', null),
  trigger: fc.constantFrom('periodic', 'periodic', 'agent'),
})

test('lines that are almost like the one before say what they say alone', () => {
  fc.assert(
    fc.property(fc.array(alike, { minLength: 2, maxLength: 20 }), (drawn) => {
      const lines = drawn.map(({ uuid, ts, ...one }) => {
        const { id, session_key, created_at, project_normalized, trigger } = one
        const payload = { id, session_key, created_at, project_normalized, trigger, digest: 'x' }
        return line('checkpoint', { uuid: uuid ?? id, ts: ts ?? created_at, payload })
      })
      const alone = lines.flatMap((bytes) => readAll([bytes]))
      expect(readAll(lines)).toEqual(alone)
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['another type', line('checkpoint_tombstone', { payload: { target_id: 'x' } })],
  ['another order', line('checkpoint', { payload: { session_key: 's', id: 'x' } })],
  ['an id that is not its uuid', line('checkpoint', { uuid: 'u', payload: { id: 'x' } })],
  ['nothing', Buffer.from('\n')],
  ['half a line', checkpointLine({ number: 1 }).subarray(0, 150)],
  ['no UTF-8', notUtf8(checkpointLine({ number: 1, session: 'aa' }))],
  [
    'no UTF-8 in a line that proves itself',
    proven(notUtf8(checkpointLine({ number: 1, session: 'aa' }))),
  ],
  ['an escape that is none', proven(badEscape(checkpointLine({ number: 1, session: 'aa' })))],
  ['no checksum', withoutChecksum(checkpointLine({ number: 2 }))],
])('a line that is spelled otherwise says nothing: %s', (_, bytes) => {
  const whole = checkpointLine({ number: 2 })
  expect(readAll([whole, bytes, whole])[1]).toBeUndefined()
  expect(readAll([whole, bytes, whole])[2]).toMatchObject({ createdAtMs: NOW })
})

function notUtf8(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[copy.indexOf('"aa"') + 1] = 0xff
  return copy
}

function badEscape(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy.write('\\q', copy.indexOf('"aa"') + 1)
  return copy
}

/** The same line with a checksum that is right. */
function proven(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const covered = copy.length - 1 - CHECKSUM_BYTES
  writeChecksum(copy, covered, copy.subarray(0, covered))
  return copy
}

/** As long as it was, with spaces where the checksum stood. */
function withoutChecksum(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  return copy.fill(' ', copy.length - 1 - CHECKSUM_BYTES, copy.length - 1)
}
