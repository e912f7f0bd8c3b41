// A process or a machine can die at any byte. A valid log is cut at every byte of its last three
// records, or filled with NULs from there, and must be readable and appendable each time.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { appendOnce, openLog, type Receipt, readLogSync } from '../../lib/log/index.js'
import { line } from '../helpers/lines.js'
import { temporaryFile } from '../helpers/temporary.js'
import { exceptDamage, problemsOf } from './check.js'

const TEXTS = ['plain', 'plain too', 'zwei ü', '漢字 \u2028 é', '👩‍👩‍👧 and \\ "quotes"']
const UUIDS = ['a', 'b', 'c', 'd', 'e']

const lines = UUIDS.map((uuid, index) =>
  line(index % 2 === 0 ? 'user' : 'assistant', {
    uuid,
    prev_uuid: UUIDS[index - 1] ?? null,
    payload: { content: TEXTS[index] },
  }),
)
const whole = Buffer.concat(lines)
/** Where each record ends, its newline not counted. */
const ends = lines.map((_, index) => Buffer.concat(lines.slice(0, index + 1)).length - 1)
const third = ends[1]! + 1

const next = { type: 'user', payload: { content: 'next' } } as const
const NO_SYNC = { durability: 'none' } as const

const WAYS = [
  {
    name: 'a lease',
    async append(path: string): Promise<Receipt> {
      await using log = await openLog(path, NO_SYNC)
      return await log.append(next)
    },
  },
  {
    name: 'a one-shot',
    async append(path: string): Promise<Receipt> {
      return (await appendOnce(path, [next], NO_SYNC))[0]!
    },
  },
]

// Requirements: 003-64, 003-69, T4
test.for(WAYS)(
  'a log that is cut at any byte of its last three records keeps every whole one and can be appended to: $name',
  async ({ append }, t) => {
    const path = temporaryFile(t, 's.jsonl', '')
    for (let cut = third; cut <= whole.length; cut++) {
      await expectRecovery(path, whole.subarray(0, cut), cut, append)
    }
  },
)

// Requirement: 003-64
test('a log that ends in NULs keeps every whole record and can be appended to', async (t) => {
  const path = temporaryFile(t, 's.jsonl', '')
  const [, , c, d] = ends as [number, number, number, number]
  const insideCharacter = whole.indexOf('漢') + 1
  const cuts = [0, third, third + 1, c - 1, c, d, d + 1, insideCharacter, whole.length]
  for (const cut of cuts) {
    for (const length of [1, 17, 512, 4096, 300_000]) {
      const tail = Buffer.concat([whole.subarray(0, cut), Buffer.alloc(length)])
      for (const { append } of WAYS) await expectRecovery(path, tail, cut, append)
    }
  }
})

async function expectRecovery(
  path: string,
  bytes: Buffer,
  cut: number,
  append: (path: string) => Promise<Receipt>,
): Promise<void> {
  writeFileSync(path, bytes)
  const kept = UUIDS.filter((_, index) => ends[index]! <= cut)
  expect(uuidsOf(path), `read at ${cut}`).toEqual(kept)
  expect(readFileSync(path).equals(bytes), `the reader changes nothing at ${cut}`).toBe(true)
  expect(readdirSync(dirname(path))).toEqual(['s.jsonl'])

  const receipt = await append(path)
  expect(uuidsOf(path), `read again at ${cut}`).toEqual([...kept, receipt.uuid])
  const acks = [...kept.map((uuid) => ({ uuid })), receipt]
  expect(exceptDamage(problemsOf(path, acks)), `at ${cut}`).toEqual([])
  const isPrefixSame = readFileSync(path).subarray(0, bytes.length).equals(bytes)
  expect(isPrefixSame, `the old bytes stay at ${cut}`).toBe(true)
}

function uuidsOf(path: string): string[] {
  return [...readLogSync(path)].flatMap((entry) =>
    entry.kind === 'event' ? [entry.event.uuid] : [],
  )
}
