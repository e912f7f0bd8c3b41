// What a look at the file finds, and what is done about it: no more than is needed.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type LogOptions, openLog, readLogSync, withLockedLog } from '../../../lib/log/index.js'
import { id, line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { type FileCall, watchFiles } from '../../helpers/watched-files.js'

const SAID = { type: 'user', payload: { content: 'x' } } as const
const THOUGHT = { type: 'assistant', payload: { content: 'x' } } as const
const NUMBERED = { useKernelLock: false, lineNumbers: true } as const

const newPath = () => join(temporaryFolder({ onTestFinished }), 'log.jsonl')

async function open(path: string, options: LogOptions = {}) {
  const log = await openLog(path, options)
  onTestFinished(() => log.close())
  return log
}

const eventsOf = (path: string) =>
  [...readLogSync(path)].flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []))

test('only from the first line that cannot be read is written once more', async () => {
  const path = newPath()
  const environment = { now: () => Date.UTC(2026, 0, 1) }
  const log = await open(path, { environment })
  await log.append(SAID)
  const whole = await log.append(THOUGHT)
  // What stands where a value is expected is taken for a part of it.
  appendFileSync(path, '{"half":')
  const glued = await log.append(THOUGHT)
  const behind = await log.append(THOUGHT)
  const last = await log.append(SAID)
  const events = eventsOf(path).slice(1)
  const uuids = [whole, glued, behind, last].map(({ uuid }) => uuid)
  // The one behind the glued line could be read, and would hang from nothing without it: so it is
  // there twice, and the one before it is not.
  const countOf = ({ uuid: wanted }: { uuid: string }) =>
    events.filter(({ uuid }) => uuid === wanted).length
  expect([whole, glued, behind, last].map(countOf)).toEqual([1, 1, 2, 1])
  expect([...new Set(events.map(({ uuid }) => uuid))].sort()).toEqual([...uuids].sort())
  expect(events.at(-1)).toMatchObject({ uuid: last.uuid, prev_uuid: behind.uuid })
})

test('a line that is written again is isolated from the partial line before it, at the first try', async () => {
  const path = newPath()
  const environment = { now: () => Date.UTC(2026, 0, 1) }
  const log = await open(path, { environment })
  await log.append(SAID)
  appendFileSync(path, '{"half":')
  const glued = await log.append(THOUGHT)
  appendFileSync(path, '{"half":')
  await log.append(SAID)
  const copies = readFileSync(path, 'utf8').split(`,"uuid":"${glued.uuid}"`).length - 1
  expect(copies).toBe(2)
  expect(eventsOf(path).map(({ uuid }) => uuid)).toContain(glued.uuid)
})

test('line numbers include the lines that another process added', async () => {
  const path = newPath()
  writeFileSync(path, line('user', { uuid: id(1) }))
  const log = await open(path, NUMBERED)
  appendFileSync(path, line('user', { uuid: id(2), prev_uuid: id(1) }))
  expect(await log.append(SAID)).toMatchObject({ lineNumber: 3 })
  appendFileSync(path, Buffer.concat([line('turn_end', { uuid: id(3) }), Buffer.from('\n\n')]))
  expect(await log.append(SAID)).toMatchObject({ lineNumber: 7 })
  expect(await log.append(SAID)).toMatchObject({ lineNumber: 8 })
  const numbers = [...readLogSync(path)].map(({ line_number }) => line_number)
  expect(numbers).toEqual([1, 2, 3, 4, 7, 8])
})

test('line numbers of a new log include the partial line of another process', async () => {
  const path = newPath()
  const log = await open(path, NUMBERED)
  expect(await log.append(SAID)).toMatchObject({ lineNumber: 1 })
  appendFileSync(path, line('turn_end', { uuid: id(3) }))
  expect(await log.append(SAID)).toMatchObject({ lineNumber: 3 })
  appendFileSync(path, 'half')
  expect(await log.append(SAID)).toMatchObject({ lineNumber: 5 })
  expect(await log.append(SAID)).toMatchObject({ lineNumber: 6 })
})

test('lines without an envelope make the name of a new log durable, once', async () => {
  const path = join(dirname(newPath()), 'folder', 'history.jsonl')
  const synced: string[] = []
  const after = ({ name, path: of }: FileCall) => {
    if (name === 'fsyncSync') synced.push(of)
  }
  onTestFinished(watchFiles(dirname(dirname(path)), { after }))
  await withLockedLog(path, {}, (log) => log.append({ prompt: 'x' }))
  expect(synced).toEqual([dirname(path)])
  await withLockedLog(path, {}, (log) => log.append({ prompt: 'y' }))
  expect(synced).toHaveLength(1)
})

test('a file that was cut, or that lost our lines, is not written to any more', async () => {
  const path = newPath()
  const log = await open(path, { useKernelLock: false })
  const { byteOffset } = await log.append(SAID)
  expect(byteOffset).toBe(0)
  writeFileSync(path, '')
  await expect(log.append(SAID)).rejects.toMatchObject({
    code: 'ERR_FILE_REPLACED',
    details: { path },
  })
  expect(eventsOf(path)).toEqual([])
})
