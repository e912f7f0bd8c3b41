// One event more behind the lines of a write: in the same write, told to nobody.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  appendOnce,
  openLog,
  openMemoryLog,
  type PendingWrite,
  readLogSync,
} from '../../../lib/log/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const event = (content: string) => ({ type: 'user', payload: { content } })
const title = { type: 'session_meta', payload: { title: 'A title' } }
const typesIn = (path: string) =>
  [...readLogSync(path)].map((entry) => (entry.kind === 'event' ? entry.event.type : entry.kind))

test('a trailing event follows all lines of its write, off-chain and without a receipt', async (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const log = await openLog(path, {
    trailingEvent: ({ lines }) => (lines.length > 1 ? title : undefined),
  })
  const receipts = await Promise.all([log.append(event('one')), log.append(event('two'))])
  expect(log.tip).toBe(receipts[1]!.uuid)
  const last = await log.append(event('three'))
  expect(last.lineNumber).toBe(4)
  await log.close()
  expect(typesIn(path)).toEqual(['user', 'user', 'session_meta', 'user'])
})

test('a trailing event is requested once per write, with its lines and their start and end', async (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const writes: PendingWrite[] = []
  const trailingEvent = ({ lines, ...place }: PendingWrite) => {
    writes.push({ lines: lines.map(({ type, payloadJson }) => ({ type, payloadJson })), ...place })
    return undefined
  }
  await appendOnce(path, [event('one')], { trailingEvent })
  const middle = statSync(path).size
  const log = await openLog(path, { trailingEvent })
  await log.appendAll([event('two'), title])
  await log.close()
  expect(writes).toEqual([
    { lines: [{ type: 'user', payloadJson: '{"content":"one"}' }], start: 0, end: middle },
    {
      lines: [
        { type: 'user', payloadJson: '{"content":"two"}' },
        { type: 'session_meta', payloadJson: '{"title":"A title"}' },
      ],
      start: middle,
      end: log.size,
    },
  ])
})

test('a one-shot and a memory log have trailing events, too; retries that write nothing have none', async (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const trailingEvent = () => title
  const named = { ...event('one'), uuid: '0c1f0000-0000-4000-8000-000000000001' }
  const answers = [
    await appendOnce(path, [named], { trailingEvent }),
    await appendOnce(path, [named], { trailingEvent }),
  ]
  expect(answers.map((answer) => answer.map(({ duplicate }) => duplicate))).toEqual([
    [undefined],
    [true],
  ])
  expect(typesIn(path)).toEqual(['user', 'session_meta'])
  const memory = openMemoryLog('demo', { trailingEvent })
  memory.appendSync(event('one'))
  expect(memory.entries.map((entry) => entry.event.type)).toEqual(['user', 'session_meta'])
})
