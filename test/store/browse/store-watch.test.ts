// Followers of a store that another process writes: here, plain appends to its files.

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import type { FollowEntry } from '../../../lib/log/index.js'
import { findEndCursor, openContext, readEventPage, StoreWatch } from '../../../lib/store/index.js'
import { id, line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

function newStore(root: string) {
  let watches = 0
  const store = openContext({
    root,
    environment: {
      watchFolder: async (folder, options) => {
        watches++
        const watch = await systemEnvironment.watchFolder(folder, options)
        return {
          close: async () => {
            watches--
            await watch.close()
          },
        }
      },
    },
  })
  mkdirSync(store.layout.transcripts, { recursive: true })
  const pathOf = (name: string) => join(store.layout.transcripts, `${name}.jsonl`)
  return { store, pathOf, watches: () => watches }
}

const say = (index: number) => line('user', { uuid: id(index), payload: { content: 'x' } })

test('many followers share one watch and see each entry once', async (t) => {
  const { store, pathOf, watches } = newStore(temporaryFolder(t))
  const watch = new StoreWatch({ pollMs: 50 })
  for (const name of ['a', 'b']) writeFileSync(pathOf(name), say(0))
  const { next } = await readEventPage(store, pathOf('a'), { limit: 1 })
  const stop = new AbortController()
  const seen = Array.from({ length: 6 }, () => [] as string[])
  const running = seen.map(async (list, index) => {
    const path = pathOf(index % 2 === 0 ? 'a' : 'b')
    const starts = new Map([
      [0, next],
      [2, '1-0-00000000'],
    ])
    const from = starts.get(index) ?? findEndCursor(store, path)
    for await (const entry of watch.follow(store, path, { from, signal: stop.signal })) {
      list.push((entry as Extract<FollowEntry, { kind: 'event' }>).event.uuid)
    }
  })
  await expect.poll(() => watch.size).toBe(6)
  for (let index = 1; index <= 30; index++) {
    appendFileSync(pathOf('a'), say(index))
    appendFileSync(pathOf('b'), say(100 + index))
  }
  const ids = (first: number) => Array.from({ length: 30 }, (_, index) => id(first + index))
  await expect.poll(() => seen.map(({ length }) => length)).toEqual([30, 30, 31, 30, 30, 30])
  expect(seen[0]).toEqual(ids(1))
  expect(seen[1]).toEqual(ids(101))
  expect(seen[2]).toEqual([id(0), ...ids(1)])
  expect(watches()).toBe(1)
  stop.abort()
  await Promise.all(running)
  expect(watch.size).toBe(0)
  await expect.poll(watches).toBe(0)
})

test('a follower that does not ask for more reads no more', async (t) => {
  const { store, pathOf } = newStore(temporaryFolder(t))
  writeFileSync(pathOf('a'), Buffer.concat(Array.from({ length: 500 }, (_, index) => say(index))))
  const stop = new AbortController()
  const watch = new StoreWatch({ pollMs: 20 })
  const options = { from: '1-0-00000000', signal: stop.signal }
  const entries = watch.follow(store, pathOf('a'), options)
  const first = await entries.next()
  expect(first.value).toMatchObject({ kind: 'event', event: { uuid: id(0) } })
  stop.abort()
  expect(await entries.next()).toMatchObject({ done: true })
  expect(watch.size).toBe(0)
})

test('a log that was replaced is said to be so, and read from its start', async (t) => {
  const { store, pathOf } = newStore(temporaryFolder(t))
  writeFileSync(pathOf('a'), Buffer.concat([say(0), say(1)]))
  const { next } = await readEventPage(store, pathOf('a'), { limit: 2 })
  writeFileSync(pathOf('a'), Buffer.concat([say(7), say(8), say(9)]))
  const stop = new AbortController()
  const kinds: string[] = []
  const watch = new StoreWatch()
  for await (const entry of watch.follow(store, pathOf('a'), { from: next, signal: stop.signal })) {
    kinds.push(entry.kind)
    if (kinds.length === 4) stop.abort()
  }
  expect(kinds).toEqual(['replaced', 'event', 'event', 'event'])
})

test('changes of the store are announced with session and size', async (t) => {
  const { store, pathOf, watches } = newStore(temporaryFolder(t))
  const header = line('session_header', { uuid: 'h', payload: { session_id: 'its id' } })
  writeFileSync(pathOf('a'), header)
  const watch = new StoreWatch({ pollMs: 20 })
  const stop = new AbortController()
  const [one, other] = [new Map<string, number>(), new Map<string, number>()]
  const running = [one, other].map(async (seen) => {
    for await (const { sessionId, bytes } of watch.changes(store, { signal: stop.signal })) {
      seen.set(sessionId, bytes)
    }
  })
  await expect.poll(() => watch.size).toBe(2)
  appendFileSync(pathOf('a'), say(1))
  writeFileSync(pathOf('new'), say(1))
  const sizes = { 'its id': header.length + say(1).length, new: say(1).length }
  await expect.poll(() => Object.fromEntries(one)).toEqual(sizes)
  await expect.poll(() => Object.fromEntries(other)).toEqual(sizes)
  expect(watches()).toBe(1)
  stop.abort()
  await Promise.all(running)
  expect(watch.size).toBe(0)
})
