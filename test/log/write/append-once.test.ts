// One append by somebody who keeps nothing open, and what strangers do to it meanwhile.

import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import { appendOnce, type LogOptions, openLog, readLogSync } from '../../../lib/log/index.js'
import { appendOnceSync } from '../../../lib/log/write/append-once.js'
import { id, line, record } from '../../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'

const SAID = { type: 'user', payload: { content: 'x' } } as const
const HEADER = { type: 'session_header', payload: { format: 1, session_id: 's' } } as const
const disk = systemEnvironment.fs
/** What stands behind it is a value of it, so no reader may take it for a record. */
const HALF = '{"type":"user","payload":'

const newPath = (t: TestContext) => join(temporaryFolder(t), 'log.jsonl')

function eventsOf(path: string) {
  return [...readLogSync(path)].map((entry) =>
    entry.kind === 'event'
      ? { type: entry.event.type, uuid: entry.event.uuid, prev: entry.event.prev_uuid }
      : { reason: entry.reason },
  )
}

/** A stranger comes in between: before each write of ours, and before each look at the file. */
function disturbed({ write = [], look = [] }: Record<string, (() => void)[]>) {
  const told: Diagnostic[] = []
  const environment = {
    fs: {
      ...disk,
      writeSync(...args: Parameters<typeof disk.writeSync>) {
        write.shift()?.()
        return disk.writeSync(...args)
      },
      statSync(path: string) {
        if (path.endsWith('.jsonl')) look.shift()?.()
        return disk.statSync(path)
      },
    },
  }
  const onDiagnostic = (diagnostic: Diagnostic) => told.push(diagnostic)
  return { told, options: { environment, onDiagnostic } satisfies LogOptions }
}

test('a log that is empty begins with its header, and the answer is of the events alone', async (t) => {
  const path = newPath(t)
  const [first] = await appendOnce(path, [SAID], { header: HEADER })
  const [second] = await appendOnce(path, [SAID], { header: HEADER })
  const [header, one, two] = eventsOf(path)
  expect(header).toMatchObject({ type: 'session_header', prev: null })
  expect(one).toEqual({ type: 'user', uuid: first!.uuid, prev: header!.uuid })
  expect(two).toEqual({ type: 'user', uuid: second!.uuid, prev: first!.uuid })
  expect(eventsOf(path)).toHaveLength(3)
})

test('a link to an event that is not there is kept, and reported', async (t) => {
  const path = newPath(t)
  const { told, options } = disturbed({})
  await appendOnce(path, [SAID], options)
  await appendOnce(path, [{ ...SAID, uuid: 'mine', prev_uuid: 'gone' }], options)
  await Promise.resolve()
  expect(eventsOf(path)[1]).toMatchObject({ uuid: 'mine', prev: 'gone' })
  expect(told).toMatchObject([{ code: 'dangling_prev', file: path, uuid: 'gone' }])
})

test('the receipt of a repeated event has its line if lines are counted', async (t) => {
  const path = newPath(t)
  const events = [SAID, { ...SAID, uuid: 'mine' }]
  const [, first] = await appendOnce(path, events)
  const { byteOffset } = first!
  const mine = [{ ...SAID, uuid: 'mine' }]
  const repeated = { uuid: 'mine', byteOffset, duplicate: true }
  expect(await appendOnce(path, mine, { lineNumbers: false })).toEqual([repeated])
  expect(await appendOnce(path, mine, { lineNumbers: true })).toEqual([
    { ...repeated, lineNumber: 2 },
  ])
})

test('a lock that is held is waited for shortly where nothing can be awaited, then named', async (t) => {
  const path = newPath(t)
  const log = await openLog(path)
  expect(() => appendOnceSync(path, [SAID])).toThrow(
    expect.objectContaining({ code: 'ERR_LOCKED' }) as Error,
  )
  await log.close()
  expect(appendOnceSync(path, [SAID])).toHaveLength(1)
})

test('the receipt has the offset after the whole line of another process', async (t) => {
  const path = newPath(t)
  await appendOnce(path, [SAID])
  const theirs = line('user', { uuid: id(7) })
  const { told, options } = disturbed({ write: [() => appendFileSync(path, theirs)] })
  const before = statSync(path).size
  const [receipt] = await appendOnce(path, [SAID], { ...options, lineNumbers: true })
  expect(receipt).toMatchObject({ byteOffset: before + theirs.length, lineNumber: 3 })
  expect(eventsOf(path).map(({ uuid }) => uuid)).toContain(receipt!.uuid)
  await Promise.resolve()
  expect(told.map(({ code }) => code)).toEqual(['foreign_writer'])
})

test('after the partial line of another process our lines are written again, in order', async (t) => {
  const path = newPath(t)
  await appendOnce(path, [SAID])
  const half = () => appendFileSync(path, HALF)
  const { options } = disturbed({ write: [half] })
  const receipts = await appendOnce(path, [SAID, SAID, SAID], { ...options, lineNumbers: true })
  const entries = [...readLogSync(path)]
  for (const { uuid, byteOffset, lineNumber } of receipts) {
    const found = entries.findLast((entry) => entry.kind === 'event' && entry.event.uuid === uuid)
    expect(found).toMatchObject({ byte_offset: byteOffset, line_number: lineNumber })
  }
  const last = eventsOf(path).slice(-3)
  expect(last.map(({ uuid }) => uuid)).toEqual(receipts.map(({ uuid }) => uuid))
  expect(last[1]!.prev).toBe(last[0]!.uuid)
})

test('a half line behind ours is ended before ours is written once more', async (t) => {
  const path = newPath(t)
  await appendOnce(path, [SAID])
  const half = () => appendFileSync(path, HALF)
  const { options } = disturbed({ write: [half], look: [() => {}, half] })
  const [receipt] = await appendOnce(path, [SAID], options)
  expect(eventsOf(path).at(-1)).toMatchObject({ uuid: receipt!.uuid })
  expect(eventsOf(path).filter(({ uuid }) => uuid === receipt!.uuid)).toHaveLength(1)
})

test('fails with ERR_IO if another process keeps writing in between', async (t) => {
  const path = newPath(t)
  const half = () => appendFileSync(path, HALF)
  const { options } = disturbed({ write: Array.from({ length: 9 }, () => half) })
  await expect(appendOnce(path, [SAID], options)).rejects.toMatchObject({
    code: 'ERR_IO',
  })
})

test('lines of ours that are gone are not written again: it is another file', async (t) => {
  const path = newPath(t)
  await appendOnce(path, [SAID])
  const text = readFileSync(path)
  const replace = () => writeFileSync(path, Buffer.concat([text, Buffer.alloc(1000, 0x0a)]))
  const { options } = disturbed({ look: [() => {}, replace] })
  await expect(appendOnce(path, [SAID], options)).rejects.toMatchObject({
    code: 'ERR_FILE_REPLACED',
  })
})

test('reads a record that another process joined to a torn line; a copied line does not move the tip', async (t) => {
  const first = line('user', { uuid: id(1) })
  const second = record('user', { uuid: id(2), prev_uuid: id(1) })
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([first, second.subarray(0, 30)]))
  const rest = () => appendFileSync(path, Buffer.concat([second.subarray(30), Buffer.from('\n')]))
  const copy = () => appendFileSync(path, first)
  // The rest of the line comes before the first look, a copy of the first one right after it.
  const { options } = disturbed({ look: [rest], write: [copy] })
  const log = await openLog(path, { ...options, lineNumbers: true })
  const receipt = log.appendSync(SAID)
  expect(log.tip).toBe(receipt.uuid)
  await log.append(SAID)
  await log.close()
  const events = eventsOf(path)
  expect(events.map(({ uuid }) => uuid).slice(0, 3)).toEqual([id(1), id(2), id(1)])
  expect(events[3]).toMatchObject({ uuid: receipt.uuid, prev: id(2) })
  expect(events[4]).toMatchObject({ prev: receipt.uuid })
})

test('another process that writes after our line does not move it', async (t) => {
  const path = newPath(t)
  await appendOnce(path, [SAID])
  const theirs = () => appendFileSync(path, line('user', { uuid: id(7) }))
  const before = statSync(path).size
  const { options } = disturbed({ look: [() => {}, theirs] })
  const [receipt] = await appendOnce(path, [SAID], { ...options, lineNumbers: true })
  expect(receipt).toMatchObject({ byteOffset: before, lineNumber: 2 })
})

test('without line numbers a moved offset is returned alone', async (t) => {
  const path = newPath(t)
  await appendOnce(path, [SAID])
  const theirs = line('user', { uuid: id(7) })
  const { options } = disturbed({ write: [() => appendFileSync(path, theirs)] })
  const before = statSync(path).size
  const [receipt] = await appendOnce(path, [SAID], { ...options, lineNumbers: false })
  expect(receipt).toEqual({ uuid: receipt!.uuid, byteOffset: before + theirs.length })
})

test('a payload that depends on its place is made for that place, and redacted there', async (t) => {
  const path = newPath(t)
  await appendOnce(path, [SAID])
  const byte_offset = statSync(path).size
  const payload = { content: 'x' }
  const redact: LogOptions['redact'] = (given) => ({ ...given, content: 'gone' })
  const placed = { type: 'user', payload, payloadAt: (at: number) => ({ content: 'y', at }) }
  await appendOnce(path, [placed], { redact })
  await appendOnce(path, [{ ...placed, payloadAt: () => payload }])
  const payloads = [...readLogSync(path)].map(
    (entry) => entry.kind === 'event' && entry.event.payload,
  )
  expect(payloads.slice(1)).toEqual([{ content: 'gone', at: byte_offset }, payload])
  const failing = {
    ...placed,
    payloadAt: () => {
      throw new RangeError('no place')
    },
  }
  await expect(appendOnce(path, [failing])).rejects.toThrow(RangeError)
})
