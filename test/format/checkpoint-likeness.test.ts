// Lines of checkpoints that are alike share what they share, and differ where they differ.

import { expect, test } from 'vitest'
import { CHECKSUM_BYTES, writeChecksum } from '../../lib/format/checksum.js'
import { CheckpointPrefix } from '../../lib/format/index.js'
import { id, line } from '../helpers/lines.js'

interface Told {
  readonly id: string
  readonly uuid?: string
  readonly time?: string
  readonly project?: string | null
  readonly session?: string
}

const TIMES = ['2026-01-02T03:04:05.678Z', '2026-01-02T23:59:59.999Z', '1999-12-31T00:00:00.000Z']

function checkpoint({ id, uuid = id, time = TIMES[0]!, project = '/work', session = 's' }: Told) {
  const label = { session_key: session, created_at: time, project_normalized: project }
  return line('checkpoint', { uuid, ts: time, payload: { id, ...label, trigger: 'agent' } })
}

/** Reads the lines one behind the other, from a place that is not the start of the buffer. */
function* readBehind(before: string, lines: readonly Buffer[]): Generator<CheckpointPrefix> {
  const bytes = Buffer.concat([Buffer.from(before), ...lines])
  const prefix = new CheckpointPrefix()
  let start = before.length
  for (const { length } of lines) {
    expect(prefix.read(bytes, start, start + length - 1)).toBe(true)
    yield prefix
    start += length
  }
}

test.each([
  ['a uuid', [1, 2, 3, 4].map(id)],
  ['eight characters', ['aaaaaaaa', 'baaaaaaa', 'aaaaaaab', 'bbbbbbbb']],
  ['nine characters', ['aaaaaaaaa', 'baaaaaaaa', 'aaaaaaaab', 'aaaabaaaa']],
])('one label serves all lines that differ in id and time only: %s', (_, ids) => {
  const lines = ids.map((id, index) => checkpoint({ id, time: TIMES[index % 3]! }))
  const labels = new Set<object>()
  for (const { label } of readBehind('x'.repeat(1001), lines)) labels.add(label)
  const shared = { session_key: 's', project_normalized: '/work', trigger: 'agent' }
  expect([...labels]).toEqual([shared])
})

test('the label of another session, project or length is another one', () => {
  const lines = [
    checkpoint({ id: id(1) }),
    checkpoint({ id: id(2), session: 't' }),
    checkpoint({ id: id(3), session: 't', project: '/elsewhere' }),
    checkpoint({ id: id(4), session: 't', project: null }),
  ]
  const labels = []
  for (const { label } of readBehind('', lines)) labels.push(label)
  expect(labels.map(({ session_key }) => session_key).join('')).toBe('sttt')
  expect(labels.map((label) => label.project_normalized)).toEqual([
    '/work',
    '/work',
    '/elsewhere',
    null,
  ])
})

test.each(['x', 'cp1', 'seven77', 'eight888', 'nine99999', 'y'.repeat(128)])(
  'an id is told where it stands, and copied whole: %s',
  (id) => {
    const lines = [checkpoint({ id }), checkpoint({ id, time: TIMES[1]! })]
    const text = `between${Buffer.concat(lines).toString('latin1')}`
    for (const prefix of readBehind('between', lines)) {
      expect(text.slice(prefix.idStart, prefix.idEnd)).toBe(id)
      expect(text.slice(0, prefix.end)).toMatch(/"trigger":"agent"$/)
      const target = Buffer.alloc(id.length + 8, '.')
      prefix.copyId(new DataView(target.buffer, target.byteOffset, target.length), 3)
      expect(target.toString()).toBe(`...${id}.....`)
    }
  },
)

test('an id that is not its uuid is nothing, also behind a line of the same length', () => {
  for (const [good, bad] of [
    ['cp1', 'cp2'],
    ['a'.repeat(36), `${'a'.repeat(35)}b`],
    ['a'.repeat(36), `b${'a'.repeat(35)}`],
  ] as const) {
    const lines = [checkpoint({ id: good }), checkpoint({ id: good, uuid: bad })]
    const bytes = Buffer.concat(lines)
    const prefix = new CheckpointPrefix()
    const [first, second] = lines as [Buffer, Buffer]
    expect(prefix.read(bytes, 0, first.length - 1)).toBe(true)
    expect(prefix.read(bytes, first.length, first.length + second.length - 1)).toBe(false)
  }
})

test('times are read to the millisecond, of the same day and of another', () => {
  const times = [...TIMES, '2000-02-29T12:34:56.001Z', '2000-03-29T12:34:56.001Z', ...TIMES]
  const lines = times.map((time, index) => checkpoint({ id: id(index), time }))
  const read: number[] = []
  for (const { createdAtMs } of readBehind('', lines)) read.push(createdAtMs)
  expect(read).toEqual(times.map((time) => Date.parse(time)))
})

test('a project that is no text is nothing, though the line proves itself', () => {
  for (const wrong of ['\\q', '\xff\xff']) {
    const copy = Buffer.from(checkpoint({ id: id(1), project: 'pp' }))
    copy.write(wrong, copy.indexOf('"pp"') + 1, 'latin1')
    const covered = copy.length - 1 - CHECKSUM_BYTES
    writeChecksum(copy, covered, copy.subarray(0, covered))
    expect(new CheckpointPrefix().read(copy, 0, copy.length - 1)).toBe(false)
  }
})
