// Pages of a log. The log of most tests is one of random lines, damaged and glued ones among them.

import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { readLog } from '../../../lib/log/index.js'
import { defaultRedactor } from '../../../lib/redaction/index.js'
import {
  type FullEntry,
  openContext,
  readEventPage,
  readOutlinePage,
  type StoreContext,
} from '../../../lib/store/index.js'
import { collect } from '../../helpers/collect.js'
import { foreignLine, id, line, record, time } from '../../helpers/lines.js'
import { seededRandom } from '../../helpers/random.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'

const store = openContext({ root: '/nowhere' })

/** A chain of user events. */
function chainOf(count: number, content: (index: number) => string): Buffer {
  return Buffer.concat(
    Array.from({ length: count }, (_, index) =>
      line('user', {
        uuid: id(index),
        prev_uuid: index === 0 ? null : id(index - 1),
        payload: { content: content(index) },
        ts: time(index),
      }),
    ),
  )
}

function uuidsOf(entries: readonly FullEntry[]): string[] {
  return entries.map((entry) => ('event' in entry ? entry.event.uuid : 'damage'))
}

type Done = (error: Error | null, count: number) => void

/** Counts the bytes that are read of files. */
function countingStore(): { store: StoreContext; bytes: () => number } {
  let bytes = 0
  const { fs } = systemEnvironment
  const counting = openContext({
    root: '/nowhere',
    environment: {
      fs: {
        readSync: ((...args: Parameters<typeof fs.readSync>) => {
          const count = fs.readSync(...args)
          bytes += count
          return count
        }) as typeof fs.readSync,
        read: ((
          fd: number,
          into: Buffer,
          at: number,
          size: number,
          position: number,
          done: Done,
        ) => {
          fs.read(fd, into, at, size, position, (error, count) => {
            bytes += count
            done(error, count)
          })
        }) as typeof fs.read,
      },
    },
  })
  return { store: counting, bytes: () => bytes }
}

test('pages of any size give every entry of the log once and in order', async (t) => {
  const random = seededRandom(t)
  const parts: Buffer[] = []
  for (let index = 0; index < 120; index++) {
    const options = { uuid: id(index), payload: { content: 'x'.repeat(random.below(300)) } }
    const kind = random.below(8)
    if (kind === 0) parts.push(Buffer.from('{"type":"user", broken\n'))
    else if (kind === 1) parts.push(Buffer.from('\n'))
    else if (kind === 2) parts.push(record('user', options), line('user', options))
    else if (kind === 3) parts.push(foreignLine({ type: 'x', uuid: id(index), ts: time(1) }))
    else parts.push(line('user', options))
  }
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat(parts))
  const all = (await collect(readLog(path))).map(({ byte_offset, length }) => [byte_offset, length])
  for (const limit of [1, 2, 7, 1000]) {
    const seen: FullEntry[] = []
    for (let from: string | undefined; ; ) {
      const page = await readEventPage(store, path, { limit, from })
      seen.push(...page.entries)
      expect(page.entries.length).toBeLessThanOrEqual(limit)
      expect(page.next.length).toBeLessThanOrEqual(200)
      from = page.next
      if (page.atEnd) break
    }
    expect(seen.map(({ offset, length }) => [offset, length])).toEqual(all)
  }
})

test('a log that ends with empty lines has an end', async (t) => {
  const path = temporaryFile(
    t,
    'log.jsonl',
    Buffer.concat([chainOf(2, String), Buffer.from('\n\n')]),
  )
  const first = await readEventPage(store, path, { limit: 1 })
  const second = await readEventPage(store, path, { limit: 1, from: first.next })
  expect([first.atEnd, second.atEnd]).toEqual([false, false])
  const third = await readEventPage(store, path, { limit: 1, from: second.next })
  expect(third).toMatchObject({ entries: [], atEnd: true })
})

test('the end of a log is a place to continue from', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', chainOf(3, String))
  const first = await readEventPage(store, path, { limit: 100 })
  expect(first.atEnd).toBe(true)
  const none = await readEventPage(store, path, { limit: 100, from: first.next })
  expect(none).toMatchObject({ entries: [], next: first.next, atEnd: true })
  appendFileSync(path, line('user', { uuid: 'later' }))
  // Half a line is not an entry yet.
  appendFileSync(path, record('user', { uuid: 'torn' }).subarray(0, 20))
  const more = await readEventPage(store, path, { limit: 100, from: first.next })
  expect(uuidsOf(more.entries)).toEqual(['later'])
  expect(more.atEnd).toBe(true)
  const empty = temporaryFile(t, 'empty.jsonl', '')
  const nothing = await readEventPage(store, empty, { limit: 1 })
  expect(nothing).toEqual({ entries: [], next: '1-0-00000000', atEnd: true, size: 0 })
})

test('a page starts at an offset, at an event, or so many entries before it', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', chainOf(50, String))
  const { entries } = await readOutlinePage(store, path, { limit: 50 })
  const start = async (options: object) =>
    uuidsOf((await readEventPage(store, path, { limit: 2, ...options })).entries)
  expect(await start({ offset: entries[20]!.offset })).toEqual([id(20), id(21)])
  expect(await start({ offset: entries[20]!.offset + 1 })).toEqual([id(21), id(22)])
  expect(await start({ at: id(30) })).toEqual([id(30), id(31)])
  expect(await start({ at: id(30), before: 5 })).toEqual([id(25), id(26)])
  expect(await start({ at: id(3), before: 100 })).toEqual([id(0), id(1)])
  expect(await start({ before: 2 })).toEqual([id(48), id(49)])
  await expect(start({ at: 'nobody' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(start({ at: 'no"body' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(start({ offset: 1e9 })).rejects.toMatchObject({ code: 'ERR_ARG' })
  await expect(start({ offset: 0, at: id(3) })).rejects.toMatchObject({ code: 'ERR_ARG' })
  await expect(start({ from: 'nonsense' })).rejects.toMatchObject({ code: 'ERR_ARG' })
})

test('an event on a line with others is found', async (t) => {
  const glued = Buffer.concat([record('user', { uuid: 'one' }), line('user', { uuid: 'two' })])
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([line('user', { uuid: 'zero' }), glued]))
  const { entries } = await readEventPage(store, path, { limit: 9, at: 'two' })
  expect(uuidsOf(entries)).toEqual(['one', 'two'])
})

test('a cursor of another log is refused', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', chainOf(9, String))
  const { next } = await readEventPage(store, path, { limit: 5 })
  writeFileSync(
    path,
    chainOf(9, (index) => `other ${index}`),
  )
  const other = readEventPage(store, path, { limit: 5, from: next })
  await expect(other).rejects.toMatchObject({ code: 'ERR_FILE_REPLACED' })
  writeFileSync(path, '')
  const shorter = readEventPage(store, path, { limit: 5, from: next })
  await expect(shorter).rejects.toMatchObject({ code: 'ERR_FILE_REPLACED' })
})

test('a page of a large log reads little of it', async (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  writeFileSync(
    path,
    chainOf(4000, () => 'x'.repeat(4000)),
  )
  const counting = countingStore()
  const middle = await readEventPage(counting.store, path, { limit: 10, offset: 8_000_000 })
  expect(middle.entries).toHaveLength(10)
  expect(middle.size).toBeGreaterThan(16_000_000)
  expect(counting.bytes()).toBeLessThan(300 * 1024)
  const before = counting.bytes()
  const last = await readEventPage(counting.store, path, { limit: 10, before: 10 })
  expect(uuidsOf(last.entries).at(-1)).toBe(id(3999))
  expect(counting.bytes() - before).toBeLessThan(300 * 1024)
})

test('a page of events ends after 4 MiB, and one of an outline after 32 MiB of the log', async (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  writeFileSync(
    path,
    chainOf(40, () => 'x'.repeat(1_000_000)),
  )
  const full = await readEventPage(store, path, { limit: 1000 })
  expect(full.entries).toHaveLength(5)
  expect(full.atEnd).toBe(false)
  const clipped = await readEventPage(store, path, { limit: 1000, clip: 100 })
  expect(clipped.entries).toHaveLength(34)
  const outline = await readOutlinePage(store, path, { limit: 1000 })
  expect(outline.entries).toHaveLength(34)
  const rest = await readOutlinePage(store, path, { limit: 1000, from: outline.next })
  expect(rest).toMatchObject({ atEnd: true, entries: { length: 6 } })
})

test('secrets are replaced, long strings cut, and the checksum is left out then', async (t) => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
  const payload = { content: [{ type: 'text', text: `the token is ${secret} ${'y'.repeat(50)}` }] }
  const path = temporaryFile(t, 'log.jsonl', line('user', { uuid: 'u', payload }))
  const [stored] = (await readEventPage(store, path, { limit: 1 })).entries
  expect(stored).toMatchObject({ event: { payload } })
  const options = { limit: 1, redactor: defaultRedactor, clip: 40 }
  const [shown] = (await readEventPage(store, path, options)).entries
  expect(shown).toMatchObject({
    clipped: true,
    event: { payload: { content: [{ type: 'text' }] } },
  })
  expect(JSON.stringify(shown)).not.toContain('0123456789')
  expect(JSON.stringify(shown)).not.toContain('crc')
  const { content } = (shown as { event: { payload: typeof payload } }).event.payload
  expect(content[0]!.text).toHaveLength(40)
  const [outline] = (await readOutlinePage(store, path, options)).entries
  expect(outline!.title).toMatch(/^the token is \S*REDACTED/)
})
