// A valid log, changed in thousands of ways. A reader may lose what was destroyed; it must not return
// what was never written, and must report what it lost.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readLogSync } from '../../lib/log/index.js'
import { runs } from '../helpers/effort.js'
import { line } from '../helpers/lines.js'
import { Random, seededRandom } from '../helpers/random.js'
import { memoryFolder, temporaryFile } from '../helpers/temporary.js'
import {
  findProblems,
  readBackward,
  readForResume,
  readForward,
  SMALL_CHUNKS,
} from './changed-log.js'
import { KNOWN_SEEDS } from './known-seeds.js'

// Requirement: 003-64
test('no reader returns an altered event without a mark or loses one without a report, in thousands of changed logs', (t) => {
  const random = seededRandom(t)
  const path = join(memoryFolder(t), 's.jsonl')
  expect(findProblems(path, readForward, { random, count: runs(5000) })).toEqual([])
})

// Requirement: 003-64
test('the same holds for a reader from the end', (t) => {
  const random = seededRandom(t)
  const path = join(memoryFolder(t), 's.jsonl')
  expect(findProblems(path, readBackward, { random, count: runs(1000) })).toEqual([])
})

// Requirement: 003-64
test('the same holds for the reader of a resume, which parses no payload', (t) => {
  const random = seededRandom(t)
  const path = join(memoryFolder(t), 's.jsonl')
  expect(findProblems(path, readForResume, { random, count: runs(500) })).toEqual([])
})

// An agent that reads logs has their lines in its own log. The line that quotes one is damaged at
// every bit in turn; the quoted record has a valid checksum, and is still not an event of this log.
test('a record quoted in another one is never taken for an event, however the line around it is damaged', (t) => {
  const quoted = JSON.parse(String(line('user', { uuid: 'quoted', payload: { content: 'x' } })))
  const payload = { content: 'cat log', log: [quoted, quoted], note: 'end' }
  const first = line('user', { uuid: 'first' })
  const around = line('tool_result', { uuid: 'around', prev_uuid: 'first', payload })
  const path = join(memoryFolder(t), 's.jsonl')
  const fooledBy: number[] = []
  for (let at = 0; at < around.length - 1; at++) {
    const isTaken = [0, 1, 2, 3, 4, 5, 6, 7].some((bit) => {
      const changed = Buffer.from(around)
      changed[at]! ^= 1 << bit
      writeFileSync(path, Buffer.concat([first, changed]))
      return hasQuotedEvent(path)
    })
    if (isTaken) fooledBy.push(at)
  }
  expect(fooledBy).toEqual([])
})

// Found by the soak: swapped blocks broke the quotes around the list that held the record.
test('a record quoted in a list is not an event where another object of a payload follows it', (t) => {
  const quoted = String(line('user', { uuid: 'quoted' })).trimEnd()
  const broken = `{"type":"user","ts":"2026 ips"prev_uuid":"a","payload":{"log":[${quoted}{"content":"x"}\n`
  const path = temporaryFile(t, 's.jsonl', Buffer.concat([line('user'), Buffer.from(broken)]))
  expect(hasQuotedEvent(path)).toBe(false)
})

// Requirement: 003-64
test.for(KNOWN_SEEDS.mutations)(
  'a case that the soak once reported as altered stays fixed: $name',
  ({ seed, lines }, t) => {
    const path = join(memoryFolder(t), 's.jsonl')
    for (const read of [readForward, readBackward, readForResume]) {
      const random = new Random(seed)
      expect(findProblems(path, read, { random, count: 1, lines })).toEqual([])
    }
  },
)

function hasQuotedEvent(path: string): boolean {
  for (const entry of readLogSync(path, SMALL_CHUNKS)) {
    if (entry.kind === 'event' && entry.event.uuid === 'quoted' && !entry.unverified) return true
  }
  return false
}
