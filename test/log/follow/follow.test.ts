// A follower is read step by step: `take` asks it for so many entries and waits for them. Where
// a test must see that nothing comes, the next real entry is the proof.

import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, type TestContext, test } from 'vitest'
import { type FollowEntry, type FollowOptions, followLog } from '../../../lib/log/follow/follow.js'
import { foreignLine, id, line, record } from '../../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'

const [a, b, c] = ['a', 'b', 'c'].map((uuid) => line('user', { uuid })) as [Buffer, Buffer, Buffer]

// Long enough that only a hint of the file system can be the reason when a test passes.
const NEVER_MS = 1_000_000

test('entries come once, in order, with line numbers, as the file grows', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([a, b]))
  const take = follow(t, path)
  expect((await take(2)).map(shown)).toEqual(['a@1', 'b@2'])
  appendFileSync(path, c)
  appendFileSync(path, Buffer.concat([Buffer.from('\n'), a]))
  expect((await take(2)).map(shown)).toEqual(['c@3', 'a@5'])
})

// Requirements: T12, G-13
test('a line written in two parts is never lost and never half', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', a)
  const take = follow(t, path)
  await take(1)
  for (const cut of [1, 40, b.length - 1]) {
    const next = take(2)
    appendFileSync(path, b.subarray(0, cut))
    await sleep(120)
    appendFileSync(path, b.subarray(cut))
    appendFileSync(path, c)
    expect((await next).map(uuidOf)).toEqual(['b', 'c'])
  }
})

test('the last line of a burst is seen without the clock', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', a)
  const take = follow(t, path, { pollMs: NEVER_MS })
  await take(1)
  // The watcher needs its time to stand; a hint greets it, so nothing is lost before.
  await sleep(300)
  for (let round = 0; round < 5; round++) {
    const next = take(6)
    for (let n = 0; n < 6; n++) {
      appendFileSync(path, line('user', { uuid: `${round}.${n}` }))
      // Inside the 50 ms in which chokidar swallows changes.
      await sleep(8)
    }
    expect((await next).map(uuidOf)).toEqual([0, 1, 2, 3, 4, 5].map((n) => `${round}.${n}`))
  }
})

test('the clock alone is enough', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'later', 'log.jsonl')
  const take = follow(t, path, { pollMs: 20 })
  const next = take(1)
  await sleep(60)
  mkdirSync(join(folder, 'later'))
  writeFileSync(path, a)
  expect((await next).map(uuidOf)).toEqual(['a'])
})

test('a file that does not exist yet is waited for', async (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const take = follow(t, path, { pollMs: NEVER_MS })
  const next = take(1)
  await sleep(300)
  writeFileSync(path, a)
  expect((await next).map(uuidOf)).toEqual(['a'])
})

test('a cursor continues where another follower stopped', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([a, b]))
  const [first] = await follow(t, path)(1)
  const take = follow(t, path, { cursor: first!.cursor })
  const [second] = await take(1)
  expect(uuidOf(second!)).toBe('b')
  appendFileSync(path, c)
  expect((await follow(t, path, { cursor: second!.cursor })(1)).map(uuidOf)).toEqual(['c'])
})

test('a cursor between two records of one line repeats none of them', async (t) => {
  const glued = Buffer.concat([record('user', { uuid: 'x' }), record('user', { uuid: 'y' }), b])
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([a, glued, c]))
  const whole = await follow(t, path)(5)
  expect(whole.map(uuidOf)).toEqual(['a', 'x', 'y', 'b', 'c'])
  for (const [index, { cursor }] of whole.slice(0, 4).entries()) {
    const rest = await follow(t, path, { cursor })(4 - index)
    expect(rest.map(uuidOf)).toEqual(['a', 'x', 'y', 'b', 'c'].slice(index + 1))
  }
})

test('a cursor after a short line is checked too', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '{"type":"t","uuid":"s"}\n')
  const [short] = await follow(t, path)(1)
  appendFileSync(path, a)
  expect((await follow(t, path, { cursor: short!.cursor })(1)).map(uuidOf)).toEqual(['a'])
})

test('another file of the same size is noticed, immediately and by a cursor', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', a)
  const take = follow(t, path, { pollMs: 20 })
  const [first] = await take(1)
  writeFileSync(path, b)
  const replaced = { kind: 'replaced', byte_offset: 0, diagnostics: [{ code: 'file_replaced' }] }
  const found = await take(2)
  expect(found[0]).toMatchObject(replaced)
  expect(shown(found[1]!)).toBe('b@1')
  const again = await follow(t, path, { cursor: first!.cursor })(2)
  expect(again[0]).toMatchObject(replaced)
  expect(uuidOf(again[1]!)).toBe('b')
})

test('a cut file and a renamed one are read from their beginning', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([a, b]))
  const take = follow(t, path, { pollMs: 20 })
  await take(2)
  writeFileSync(path, c)
  expect((await take(2)).map(shown)).toEqual(['replaced', 'c@1'])
  writeFileSync(`${path}.new`, Buffer.concat([c, a]))
  renameSync(`${path}.new`, path)
  expect((await take(3)).map(shown)).toEqual(['replaced', 'c@1', 'a@2'])
  rmSync(path)
  const next = take(1)
  await sleep(60)
  writeFileSync(path, Buffer.concat([c, a, b]))
  expect((await next).map(shown)).toEqual(['replaced'])
})

test('following may start at the end, or anywhere', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([a, b]))
  const atEnd = follow(t, path, { from: a.length + b.length })(1)
  const inside = follow(t, path, { from: 5 })(2)
  appendFileSync(path, c)
  expect((await atEnd).map(shown)).toEqual(['c'])
  expect((await inside).map(shown)).toEqual(['b', 'c'])
})

test('damage and foreign lines are entries like others', async (t) => {
  const foreign = foreignLine({ type: 'user', uuid: 'f', payload: {} })
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([a, Buffer.from('oops\n'), foreign]))
  expect(await follow(t, path)(3)).toMatchObject([
    { kind: 'event' },
    { kind: 'damage', reason: 'bad_line' },
    { kind: 'event', unverified: true },
  ])
})

test('an abort ends the loop and leaves neither watcher nor timer nor file open', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', a)
  const resources = () => process.getActiveResourcesInfo().filter((name) => /FS|Timeout/.test(name))
  const before = [resources().length, readdirSync('/proc/self/fd').length]
  for (let round = 0; round < 10; round++) {
    const controller = new AbortController()
    const seen: string[] = []
    for await (const entry of followLog(path, { signal: controller.signal })) {
      seen.push(uuidOf(entry))
      setTimeout(() => controller.abort(), round * 15)
    }
    expect(seen).toEqual(['a'])
  }
  expect(resources().length).toBeLessThanOrEqual(before[0]! + 1)
  expect(readdirSync('/proc/self/fd').length).toBeLessThan(before[1]! + 8)
})

test('a follower that was aborted before it began yields nothing', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', a)
  const entries: FollowEntry[] = []
  for await (const entry of followLog(path, { signal: AbortSignal.abort() })) entries.push(entry)
  expect(entries).toEqual([])
})

function follow(t: TestContext, path: string, options: FollowOptions = {}) {
  const controller = new AbortController()
  const follower = followLog(path, { ...options, signal: controller.signal })
  t.onTestFinished(async () => {
    controller.abort()
    await follower.return()
  })
  return async (count: number): Promise<FollowEntry[]> => {
    const entries: FollowEntry[] = []
    while (entries.length < count) {
      const { value, done } = await follower.next()
      if (done === true) break
      entries.push(value)
    }
    return entries
  }
}

function uuidOf(entry: FollowEntry): string {
  return entry.kind === 'event' ? entry.event.uuid : entry.kind
}

function shown(entry: FollowEntry): string {
  const number = entry.kind === 'replaced' ? undefined : entry.line_number
  return number === undefined ? uuidOf(entry) : `${uuidOf(entry)}@${number}`
}

test('what was added before a rotation is not lost, also by a cursor from before it', async (t) => {
  const path = temporaryFile(t, 'history.jsonl', line('user', { uuid: id(1) }))
  const options = { pollMs: 20, signal: AbortSignal.timeout(5000) }
  const entries = followLog(path, options)
  const first = (await entries.next()).value
  appendFileSync(path, line('user', { uuid: id(2) }))
  renameSync(path, `${path}.1`)
  writeFileSync(path, line('user', { uuid: id(3) }))
  const cursor = first?.cursor
  for (const follow of [entries, followLog(path, { ...options, cursor })]) {
    const seen: unknown[] = []
    while (seen.length < 3) {
      const { value } = await follow.next()
      seen.push(value?.kind === 'event' ? value.event.uuid : value?.kind)
    }
    expect(seen).toEqual([id(2), 'replaced', id(3)])
    await follow.return(undefined)
  }
})
