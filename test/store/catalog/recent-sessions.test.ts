// The sessions without an end that were written lately, found without opening the others.

import fs, { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { appendTranscript, promptOnce } from '../../../lib/session/index.js'
import { listUnfinishedSessions, openContext } from '../../../lib/store/index.js'
import { Clock, HOUR, MINUTE } from '../../helpers/clock.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Transcript } from './catalog-transcript.js'

const withinMs = 4 * HOUR

function counted(root: string, now: () => number) {
  const opened: string[] = []
  const openSync = (path: fs.PathLike, flags: fs.OpenMode, mode?: fs.Mode | null) => {
    opened.push(String(path))
    return fs.openSync(path, flags, mode)
  }
  return { opened, store: openContext({ root, environment: { now, fs: { openSync } } }) }
}

it('opens only files that were written within the time, and judges by the times in them', (t) => {
  const root = temporaryFolder(t)
  const clock = new Clock()
  const at = (name: string, ageMs: number) => {
    const path = new Transcript(name, 0).say('hi').save(root)
    const seconds = (clock.ms - ageMs) / 1000
    utimesSync(path, seconds, seconds)
    return path
  }
  at('old', 9 * HOUR)
  const young = at('young', MINUTE)
  // The times in the transcripts are those of the fixture.
  const { opened, store } = counted(root, () => clock.ms)
  const found = listUnfinishedSessions(store, { withinMs: Number.POSITIVE_INFINITY })
  expect(found.map(({ sessionId }) => sessionId).sort()).toEqual(['old', 'young'])
  opened.length = 0
  listUnfinishedSessions(store, { withinMs })
  expect(new Set(opened)).toEqual(new Set([young]))
})

it('finds the newest also where the clock of the files is behind', (t) => {
  const root = temporaryFolder(t)
  const transcript = new Transcript('young', 0).say('hi')
  const path = transcript.save(root)
  utimesSync(path, 1000, 1000)
  const [info] = listUnfinishedSessions(openContext({ root }), {
    withinMs: Number.MAX_SAFE_INTEGER,
  })
  const now = () => Date.parse(info!.lastActivity!) + MINUTE
  const { store } = counted(root, now)
  expect(listUnfinishedSessions(store, { withinMs })).toMatchObject([{ sessionId: 'young' }])
})

it('opens at most a hundred files, those that were written last', (t) => {
  const root = temporaryFolder(t)
  for (let number = 0; number < 120; number++) {
    const path = new Transcript(`s${number}`, number).say('hi').save(root)
    utimesSync(path, 1000 + number, 1000 + number)
  }
  const { opened, store } = counted(root, Date.now)
  const found = listUnfinishedSessions(store, { withinMs: Number.MAX_SAFE_INTEGER })
  expect(new Set(opened).size).toBe(100)
  expect(found[0]).toMatchObject({ sessionId: 's119' })
})

it('opens a session that has ended once, and no more', (t) => {
  const root = temporaryFolder(t)
  const path = new Transcript('done', 0).say('hi').end().save(root)
  const { opened, store } = counted(root, Date.now)
  expect(listUnfinishedSessions(store, { withinMs: Number.MAX_SAFE_INTEGER })).toEqual([])
  expect(opened).toEqual([path])
})

it('in a store of more than a thousand sessions asks no other file for its time', async (t) => {
  const root = temporaryFolder(t)
  const clock = new Clock()
  const environment = clock.environment
  const first = new Transcript('s', 0).say('hi')
  const text = fs.readFileSync(first.save(root))
  for (let number = 0; number < 1000; number++) {
    fs.writeFileSync(join(root, '.transcripts', `old${number}.jsonl`), text)
  }
  const writer = openContext({ root, home: root, environment })
  await promptOnce(writer, { session_id: 'cut', content: 'dig' }, { facts: { project: '/work/a' } })
  await promptOnce(writer, { session_id: 'far', content: 'dig' }, { facts: { project: '/work/b' } })
  let stats = 0
  const statSync = ((path: string, options: object) => {
    stats++
    return fs.statSync(path, options)
  }) as typeof fs.statSync
  const store = openContext({ root, home: root, environment: { ...environment, fs: { statSync } } })
  const found = listUnfinishedSessions(store, { project: '/work/a', withinMs })
  expect(found).toMatchObject([{ sessionId: 'cut' }])
  expect(stats).toBeLessThan(20)
})

it('in such a store finds a session that works for hours after its last prompt', async (t) => {
  const root = temporaryFolder(t)
  const clock = new Clock()
  const { environment } = clock
  const store = openContext({ root, home: root, environment })
  const facts = { project: '/work/a' }
  await promptOnce(store, { session_id: 'cut', content: 'dig' }, { facts })
  const text = fs.readFileSync(new Transcript('s', 0).say('hi').save(root))
  for (let number = 0; number < 1000; number++) {
    fs.writeFileSync(join(root, '.transcripts', `old${number}.jsonl`), text)
  }
  clock.ms += 9 * HOUR
  const event = { type: 'assistant', payload: { content: 'still digging' } }
  await appendTranscript(store, { session_id: 'cut', event })
  const found = listUnfinishedSessions(store, { project: '/work/a', withinMs })
  expect(found).toMatchObject([{ sessionId: 'cut' }])
})
