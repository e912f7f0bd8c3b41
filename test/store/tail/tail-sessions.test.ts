// Real files in real folders; a tail is stopped by a signal and resumed by a cursor.

import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TailSessionsOptions } from '../../../lib/store/index.js'
import { openStore } from '../../../lib/store.js'
import { collect } from '../../helpers/collect.js'
import { line, record, time } from '../../helpers/lines.js'
import { seededRandom } from '../../helpers/random.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const LIB = { name: 'x', version: '1', capture: 'native' }

class Store {
  readonly root: string
  #clock = 0

  constructor(root: string) {
    this.root = root
    mkdirSync(join(root, '.transcripts'), { recursive: true, mode: 0o700 })
  }

  path(id: string): string {
    return join(this.root, '.transcripts', `${id}.jsonl`)
  }

  create(id: string, fields: object = {}): this {
    const start_ts = time(this.#clock)
    const payload = { format: 1, session_id: id, start_ts, resumed_from: null, lib: LIB, ...fields }
    writeFileSync(this.path(id), this.line('session_header', `${id}-h`, null, payload))
    return this
  }

  say(id: string, uuid: string, prev_uuid: string | null = null): this {
    appendFileSync(this.path(id), this.line('user', uuid, prev_uuid, { content: uuid }))
    return this
  }

  line(type: string, uuid: string, prev_uuid: string | null, payload: object): Buffer {
    return line(type, { uuid, prev_uuid, payload, ts: time(this.#clock++) })
  }

  tail(options: TailSessionsOptions = {}) {
    return openStore({ root: this.root }).tailing(options)
  }
}

function uuidsOf(entries: readonly object[]): string[] {
  return entries.map((entry) => ('event' in entry ? (entry.event as { uuid: string }).uuid : '?'))
}

const resumed = (session_id: string) => ({
  resumed_from: { session_id, tip_uuid: null, tip_offset: null, transcript_path: 'x' },
})

test('returns the newest entries of all sessions, sorted by time', async (t) => {
  const store = new Store(temporaryFolder(t)).create('a').create('b')
  store.say('a', 'a1').say('b', 'b1').say('a', 'a2').say('b', 'b2').say('b', 'b3')
  expect(uuidsOf(await collect(store.tail({ lines: 4 }).entries()))).toEqual([
    'b1',
    'a2',
    'b2',
    'b3',
  ])
  expect(uuidsOf(await collect(store.tail({ lines: 0 }).entries()))).toEqual([])
  const rows = await collect(store.tail({ lines: 1, session: 'a' }).entries())
  expect(rows).toMatchObject([{ sessionId: 'a', path: store.path('a'), event: { uuid: 'a2' } }])
})

test('a cursor resumes after its entry in all files, including new ones', async (t) => {
  const store = new Store(temporaryFolder(t)).create('a').create('b').say('a', 'a1').say('b', 'b1')
  const [first] = await collect(store.tail({ lines: 2 }).entries())
  const end = store.tail({ lines: 0 })
  await collect(end.entries())
  store.say('b', 'b2').create('c').say('c', 'c1').say('a', 'a2')
  const since = (cursor: string) => collect(store.tail({ cursor }).entries())
  expect(uuidsOf(await since(first!.cursor)).sort()).toEqual(['a2', 'b1', 'b2', 'c-h', 'c1'])
  expect(uuidsOf(await since(end.cursor)).sort()).toEqual(['a2', 'b2', 'c-h', 'c1'])
  const done = store.tail({ cursor: end.cursor })
  await collect(done.entries())
  expect(await since(done.cursor)).toEqual([])
})

test('returns every entry once, however often it is stopped and resumed', async (t) => {
  const random = seededRandom(t)
  const store = new Store(temporaryFolder(t))
  const written: string[] = []
  const seen: string[] = []
  let { cursor } = store.tail({ lines: 0 })
  for (let round = 0; round < 40; round++) {
    for (let left = random.below(4); left > 0; left--) {
      const name = `s${random.below(6)}`
      const uuid = `${name}-${written.length}`
      if (!written.includes(`${name}-h`)) {
        store.create(name)
        written.push(`${name}-h`)
      }
      store.say(name, uuid)
      written.push(uuid)
    }
    let limit = random.below(6)
    for await (const entry of store.tail({ cursor }).entries()) {
      if (limit-- === 0) break
      seen.push(...uuidsOf([entry]))
      cursor = entry.cursor
    }
  }
  seen.push(...uuidsOf(await collect(store.tail({ cursor }).entries())))
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen.toSorted()).toEqual(written.toSorted())
  for (const name of new Set(written.map((uuid) => uuid.split('-')[0]!))) {
    const isOf = (uuid: string) => uuid.startsWith(`${name}-`)
    expect(seen.filter(isOf)).toEqual(written.filter(isOf))
  }
})

test('waits for the end of an unfinished line, and does not lose it', async (t) => {
  const store = new Store(temporaryFolder(t)).create('a')
  const bytes = record('user', { uuid: 'half', payload: { content: 'x' } })
  appendFileSync(store.path('a'), bytes.subarray(0, 30))
  const before = store.tail()
  expect(uuidsOf(await collect(before.entries()))).toEqual(['a-h'])
  appendFileSync(store.path('a'), Buffer.concat([bytes.subarray(30), Buffer.from('\n')]))
  const { cursor } = before
  expect(uuidsOf(await collect(store.tail({ cursor }).entries()))).toEqual(['half'])
})

test('follows sessions that continue a session, and new sessions of a project', async (t) => {
  const store = new Store(temporaryFolder(t))
  const project = { project: '/work/here', project_normalized: '/work/here' }
  store.create('a', project).say('a', 'a1').create('stranger').say('stranger', 'x1')
  for (const options of [{ session: 'a' }, { project: '/work/here' }, { file: store.path('a') }]) {
    rmSync(store.path('b'), { force: true })
    rmSync(store.path('c'), { force: true })
    const controller = new AbortController()
    const { signal } = controller
    const tailing = store.tail({ ...options, lines: 1, follow: true, pollMs: 50, signal })
    const seen: string[] = []
    for await (const entry of tailing.entries()) {
      const [uuid] = uuidsOf([entry])
      seen.push(uuid!)
      if (seen.length === 1) {
        store.say('stranger', 'x2')
        store.create('b', { ...project, ...resumed('a') }).say('b', 'b1')
      }
      if (uuid === 'b1') store.create('c', { ...project, ...resumed('b') }).say('c', 'c1')
      if (uuid === 'c1') controller.abort()
    }
    expect(seen.slice(1)).toEqual(['b-h', 'b1', 'c-h', 'c1'])
  }
})

test('waits for a session that does not exist yet, also where there is no store', async (t) => {
  const root = join(temporaryFolder(t), 'later')
  const controller = new AbortController()
  const { signal } = controller
  const options = { session: 'a', follow: true, pollMs: 20, signal }
  const tailing = openStore({ root }).tailing(options)
  expect(tailing).toMatchObject({ isMissing: true, isMany: false })
  const seen: string[] = []
  setTimeout(() => {
    const store = new Store(root).create('stranger').say('stranger', 'x1')
    store.create('a').say('a', 'a1').create('b', resumed('a')).say('b', 'b1')
  }, 50)
  for await (const entry of tailing.entries()) {
    seen.push(...uuidsOf([entry]))
    if (seen.length === 4) controller.abort()
  }
  expect(seen.sort()).toEqual(['a-h', 'a1', 'b-h', 'b1'])
  expect(new Store(root).tail({ session: 'a', follow: true }).isMissing).toBe(false)
})

test('reports a replaced file and reads it from its start, and ignores other files', async (t) => {
  const store = new Store(temporaryFolder(t)).create('a').say('a', 'a1')
  mkdirSync(join(store.root, '.transcripts', 'folder.jsonl'))
  const before = store.tail()
  await collect(before.entries())
  rmSync(store.path('a'))
  store.create('a').say('a', 'new')
  const rows = await collect(store.tail({ cursor: before.cursor }).entries())
  expect(rows.map(({ kind }) => kind)).toEqual(['replaced', 'event', 'event'])
})

test('projected: returns what is still in the context, then new entries that a model sees', async (t) => {
  const store = new Store(temporaryFolder(t)).create('a').say('a', 'a1', 'a-h').say('a', 'a2', 'a1')
  const rewind = { target_uuid: 'a1', from_uuid: 'a2' }
  appendFileSync(store.path('a'), store.line('rewind', 'r', 'a1', rewind))
  store.say('a', 'a3', 'r')
  const tailing = store.tail({ projected: true })
  expect(uuidsOf(await collect(tailing.entries()))).toEqual(['a1', 'a3'])
  appendFileSync(store.path('a'), store.line('session_meta', 'meta', null, { title: 'T' }))
  store.say('a', 'a4', 'a3')
  const { cursor } = tailing
  const later = store.tail({ projected: true, cursor })
  expect(uuidsOf(await collect(later.entries()))).toEqual(['a4'])
  expect(await collect(store.tail({ cursor: later.cursor }).entries())).toEqual([])
})

test('rejects an invalid cursor and a missing session', (t) => {
  const store = new Store(temporaryFolder(t))
  for (const cursor of ['', 'x', 't1', 't1.AAAA.', '1-0-00000000', 't1..zz~1']) {
    expect(() => store.tail({ cursor })).toThrow(expect.objectContaining({ code: 'ERR_ARG' }))
  }
  expect(() => store.tail({ session: 'unknown' })).toThrow(
    expect.objectContaining({ code: 'ERR_NOT_FOUND' }),
  )
})

test('follows one log outside of the store by its path and its cursor', async (t) => {
  const store = new Store(temporaryFolder(t)).create('other').say('other', 'o1')
  const folder = temporaryFolder(t)
  const file = join(folder, 'copy.jsonl')
  writeFileSync(file, Buffer.concat([said('a1'), said('a2')]))
  writeFileSync(join(folder, 'beside.jsonl'), said('b1'))
  const tailing = store.tail({ file, lines: 1 })
  expect(uuidsOf(await collect(tailing.entries()))).toEqual(['a2'])
  appendFileSync(file, said('a3'))
  const later = store.tail({ file, cursor: tailing.cursor })
  expect(uuidsOf(await collect(later.entries()))).toEqual(['a3'])
})

const said = (uuid: string) => line('user', { uuid, payload: { content: uuid } })

test('uses the file name if the first line is damaged, and skips folders', async (t) => {
  const store = new Store(temporaryFolder(t)).create('good').say('good', 'g1')
  writeFileSync(store.path('torn'), '{"type":"session_hea\n')
  store.say('torn', 't1')
  mkdirSync(store.path('folder'))
  writeFileSync(store.path('empty'), '')
  expect(uuidsOf(await collect(store.tail({ session: 'torn' }).entries()))).toEqual(['?', 't1'])
  const all = uuidsOf(await collect(store.tail({ lines: 3 }).entries()))
  expect(all).toEqual(['?', 'g1', 't1'])
  const seen = await collect(store.tail({ session: 'torn', projected: true }).entries())
  expect(uuidsOf(seen)).toEqual(['t1'])
})
