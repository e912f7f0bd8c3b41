// Exports that are incomplete, or not exports.

import { expect, it } from 'vitest'
import { EXPORT_TYPES, EXPORT_VERSION, type SessionEvent } from '../../../lib/format/index.js'
import { ExportReader } from '../../../lib/interchange/index.js'

const line = (type: string, payload: unknown): SessionEvent => ({
  type,
  payload,
  ...{ uuid: 'u', prev_uuid: null, ts: '2026-01-31T12:00:00.000Z' },
})
const BEGIN = line(EXPORT_TYPES.begin, { export: EXPORT_VERSION, session_id: 's', view: 'history' })
const log = (channel: string, name: unknown = 's') => line(EXPORT_TYPES.log, { channel, name })
const END = line(EXPORT_TYPES.end, { logs: 1, events: 0, damaged: 0 })

function take(...lines: readonly SessionEvent[]) {
  const reader = new ExportReader()
  const steps = lines.map((event) => reader.read(event))
  reader.finish()
  return steps
}

it('a complete export is read step by step', () => {
  expect(take(BEGIN, log('transcript'), END).map(({ kind }) => kind)).toEqual([
    'begin',
    'log',
    'end',
  ])
})

it.each([
  ['without a line', [], /it holds no event/],
  ['of another kind', [line('user', {})], /it begins with "user"/],
  ['without its first facts', [line(EXPORT_TYPES.begin, null)], /version undefined/],
  [
    'without its session',
    [line(EXPORT_TYPES.begin, { export: EXPORT_VERSION, view: 'history' })],
    /does not name its session/,
  ],
  ['with an event of no log', [BEGIN, line('user', {})], /does not name the log of an event/],
  ['with a log of another kind', [BEGIN, log('history')], /a log of an unknown kind/],
  ['with a log without a name', [BEGIN, log('transcript', 7)], /a log of an unknown kind/],
  ['that names no log', [BEGIN, line(EXPORT_TYPES.log, null)], /a log of an unknown kind/],
  ['with a sidechain first', [BEGIN, log('sidechain')], /transcript must come first/],
  ['with two transcripts', [BEGIN, log('transcript'), log('transcript')], /must come first/],
  ['with another one in it', [BEGIN, log('transcript'), BEGIN], /A second export begins/],
  ['with fewer lines than it had', [BEGIN, END], /should hold 1 logs, and holds 0/],
  ['that is cut off', [BEGIN, log('transcript')], /last line is missing/],
  [
    'with lines after its end',
    [BEGIN, log('transcript'), END, END],
    /continues after its last line/,
  ],
])('an export %s is refused', (_, lines, words) => {
  expect(() => take(...lines)).toThrow(words)
})

it('reports the length of damaged bytes, where it is known', () => {
  const lengths = [{ length: 7 }, { length: -7 }, { length: 1e15 }, { length: '7' }, {}, null]
  const torn = { length: 7, reason: 'torn_tail' }
  const damage = [...lengths, torn].map((payload) => line(EXPORT_TYPES.damage, payload))
  const end = line(EXPORT_TYPES.end, { logs: 1, events: 0, damaged: damage.length })
  const steps = take(BEGIN, log('transcript'), ...damage, end)
  expect(steps.slice(2, -1).map((step) => 'length' in step && step.length)).toEqual([
    ...[7, 0, 0, 0, 0, 0, 0],
  ])
})
