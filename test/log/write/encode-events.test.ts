// Events that are written as one whole file.

import { expect, test } from 'vitest'
import { encodeEvents } from '../../../lib/log/internal.js'

const parse = (bytes: Buffer) =>
  bytes
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('events on the chain follow each other, others follow none; time and uuid are made', () => {
  let made = 0
  const environment = { now: () => 0, newUuid: () => `made-${++made}` }
  const user = (content: string) => ({ type: 'user', payload: { content } })
  const events = [
    user('a'),
    { type: 'turn_end', payload: {}, uuid: 'end' },
    { ...user('b'), uuid: 'b', ts: '2026-01-01T00:00:00.000Z' },
  ]
  expect(parse(encodeEvents(events, { environment }))).toMatchObject([
    { uuid: 'made-1', prev_uuid: null, ts: '1970-01-01T00:00:00.000Z' },
    { uuid: 'end', prev_uuid: null },
    { uuid: 'b', prev_uuid: 'made-1', ts: '2026-01-01T00:00:00.000Z' },
  ])
})
