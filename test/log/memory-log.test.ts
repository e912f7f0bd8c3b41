// A log in memory says what a log on the disk would say, to the byte, and leaves nothing.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type LogHandle, type LogOptions, openLog, openMemoryLog } from '../../lib/log/index.js'
import { collect } from '../helpers/collect.js'
import { temporaryFolder } from '../helpers/temporary.js'

function options(): LogOptions {
  let count = 0
  return {
    lineNumbers: true,
    environment: { now: () => Date.UTC(2026, 0, 1) + count, newUuid: () => `u${count++}` },
  }
}

async function use(log: LogHandle): Promise<unknown[]> {
  const answers: unknown[] = []
  const take = async (answer: () => unknown) => {
    try {
      answers.push(await answer())
    } catch (error) {
      answers.push((error as { code: string }).code)
    }
  }
  const content = 'é 漢字 \u2028 "quoted"'
  await take(() => log.append({ type: 'session_header', payload: { format: 1 } as never }))
  await take(() => log.append({ type: 'user', uuid: 'mine', payload: { content } }))
  await take(() => log.append({ type: 'user', uuid: 'mine', payload: { content } }))
  await take(() => log.append({ type: 'user', uuid: 'mine', payload: { content: 'other' } }))
  await take(() => log.append({ type: 'user', prev_uuid: 'nobody', payload: { content } }))
  await take(() => log.append({ type: 'user', payload: { content: Number.NaN } as never }))
  await take(() => log.append({ type: 'session_header', payload: { format: 1 } as never }))
  await take(() =>
    log.appendAll([
      { type: 'assistant', payload: { content: 'a' } },
      { type: 'x-at', payload: { at: 0 }, payloadAt: (at) => ({ at }) },
    ]),
  )
  await take(() =>
    log.appendAll([
      { type: 'assistant', payload: { content: 'not alone' } },
      { type: 'user', prev_uuid: 'nobody', payload: { content } },
    ]),
  )
  await take(() => log.appendSync({ type: 'turn_end', payload: {} }))
  log.flush()
  answers.push(log.tip, log.size)
  const entries = await collect(log.read())
  answers.push(entries)
  await log.close()
  await take(() => log.append({ type: 'user', payload: { content } }))
  await log.close()
  return answers
}

test('it answers as a log on the disk does: receipts, refusals, entries', async (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const onDisk = await use(await openLog(path, options()))
  const inMemory = await use(openMemoryLog('log', options()))
  expect(inMemory).toEqual(onDisk)
  expect(inMemory).toContain('ERR_UUID_CONFLICT')
  expect(inMemory).toContain('ERR_UNKNOWN_PREV')
  expect(inMemory.at(-1)).toBe('ERR_CLOSED')
  expect(inMemory.at(-3)).toBe(readFileSync(path).length)
})

test('appends that were not awaited are there in the order of the calls', async () => {
  await using log = openMemoryLog('log')
  const uuids = Array.from({ length: 20 }, (_, index) => `u${index}`)
  const receipts = uuids.map((uuid) => log.append({ type: 'user', uuid, payload: { content: '' } }))
  expect(log.entries.map(({ event }) => event.uuid)).toEqual(uuids)
  expect((await Promise.all(receipts)).map(({ uuid }) => uuid)).toEqual(uuids)
  expect(log.path).toBe('memory:log')
})

test('an observer sees every line as it is written', async () => {
  const told: [string, number][] = []
  const observer = {
    wrote: ({ uuid }: { uuid: string }, offset: number) => told.push([uuid, offset]),
    foreign: () => told.push(['foreign', -1]),
  }
  await using log = openMemoryLog('log', { observer })
  await log.appendAll(
    ['a', 'b'].map((uuid) => ({ type: 'user', uuid, payload: { content: uuid } })),
  )
  expect(told).toEqual(log.entries.map(({ event, byte_offset }) => [event.uuid, byte_offset]))
})
