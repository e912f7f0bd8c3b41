// The session that another one goes on from: found by its id, or where the header says, but never
// outside of the store.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { isGap } from '../../../lib/chain/index.js'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { layoutOf, loadSession, openContext, readLineage } from '../../../lib/store/index.js'
import { contextOfLayout } from '../../helpers/context.js'
import { line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

function newStore(t: TestContext) {
  const root = temporaryFolder(t)
  const layout = layoutOf({ root }, systemEnvironment.host)
  mkdirSync(layout.transcripts, { recursive: true })
  return { root, layout }
}

const parentLines = Buffer.concat([
  line('session_header', { uuid: 'h1', payload: { session_id: 'parent', resumed_from: null } }),
  line('user', { uuid: 'u1', prev_uuid: 'h1', payload: { content: 'before' } }),
])

function child(resumed_from: unknown): Buffer {
  return Buffer.concat([
    line('session_header', { uuid: 'h2', payload: { session_id: 'child', resumed_from } }),
    line('user', { uuid: 'u2', prev_uuid: 'h2', payload: { content: 'after' } }),
  ])
}

function load({ layout }: ReturnType<typeof newStore>, resumed_from: unknown) {
  const path = layout.transcriptPath('child')
  writeFileSync(path, child(resumed_from))
  const { log, diagnostics } = loadSession(contextOfLayout(layout), path)
  const seen = log.projection.entries.flatMap((one) => (isGap(one) ? [] : one.event.uuid))
  return { seen, codes: diagnostics.map(({ code }) => code) }
}

test('one whose file was renamed in the store is found where the header says', (t) => {
  const store = newStore(t)
  const transcript_path = join(store.layout.transcripts, 'renamed.jsonl')
  writeFileSync(transcript_path, parentLines)
  const from = { session_id: 'parent', tip_uuid: 'u1', transcript_path }
  expect(load(store, from)).toEqual({ seen: ['u1', 'u2'], codes: [] })
})

test('a path that leads to a session of another agent, or out of the transcripts, is not followed', (t) => {
  const store = newStore(t)
  const agent = openContext({ root: store.root, agent: 'other' }).layout
  mkdirSync(agent.transcripts, { recursive: true })
  writeFileSync(agent.transcriptPath('parent'), parentLines)
  const archived = join(store.layout.archive.transcripts, 'parent.jsonl')
  mkdirSync(dirname(archived), { recursive: true })
  writeFileSync(archived, parentLines)
  const outside = temporaryFolder(t)
  writeFileSync(join(outside, 'parent.jsonl'), parentLines)
  writeFileSync(join(store.root, 'parent.jsonl'), parentLines)
  const up = `${store.layout.transcripts}/../parent.jsonl`
  for (const transcript_path of [
    join(outside, 'parent.jsonl'),
    up,
    agent.transcriptPath('parent'),
    archived,
    `${store.layout.transcripts}/..`,
    `${store.root}/nowhere.jsonl`,
  ]) {
    const from = { session_id: 'parent', tip_uuid: 'u1', transcript_path }
    expect(load(store, from)).toEqual({ seen: ['u2'], codes: ['parent_session_missing'] })
  }
})

test('a parent without the event that is named is lost, and one without a tip is taken whole', (t) => {
  const store = newStore(t)
  writeFileSync(store.layout.transcriptPath('parent'), parentLines)
  const lost = load(store, { session_id: 'parent', tip_uuid: 'nowhere' })
  expect(lost).toEqual({ seen: ['u2'], codes: ['parent_session_missing'] })
  expect(load(store, { session_id: 'parent' })).toEqual({ seen: ['u1', 'u2'], codes: [] })
})

test.for([null, 'parent', 5, [], {}, { session_id: 5 }])(
  'a header that goes on from %j goes on from nobody',
  (from, t) => {
    const store = newStore(t)
    writeFileSync(store.layout.transcriptPath('parent'), parentLines)
    expect(load(store, from)).toEqual({ seen: ['u2'], codes: [] })
  },
)

test.for([
  ['an empty id', { session_id: ' ', tip_uuid: 'u1' }],
  ['half a character for an id', { session_id: '\ud800', tip_uuid: 'u1' }],
  ['a path that is no text', { session_id: 'gone', tip_uuid: 'u1', transcript_path: { a: 1 } }],
  ['a tip that is no text', { session_id: 'parent', tip_uuid: 7, transcript_path: 7 }],
  ['a folder', { session_id: 'folder', tip_uuid: 'u1' }],
] as const)('a header that goes on from %s has lost its parent, and is read', ([, from], t) => {
  const store = newStore(t)
  writeFileSync(store.layout.transcriptPath('parent'), parentLines)
  mkdirSync(store.layout.transcriptPath('folder'))
  expect(load(store, from)).toEqual({ seen: ['u2'], codes: ['parent_session_missing'] })
})

test('an empty parent stays empty for sessions resumed from it', (t) => {
  const store = newStore(t)
  writeFileSync(store.layout.transcriptPath('parent'), parentLines)
  expect(load(store, { session_id: 'parent', tip_uuid: null })).toEqual({ seen: ['u2'], codes: [] })
})

test('damage in a parent is reported by its child, up to the event it continues from', (t) => {
  const store = newStore(t)
  const path = store.layout.transcriptPath('parent')
  const third = line('user', { uuid: 'u3', prev_uuid: 'u1', payload: { content: 'more' } })
  const broken = Buffer.from('{"type":"user","ts":"20\n')
  writeFileSync(path, Buffer.concat([parentLines.subarray(1), third, broken]))
  const { seen, codes } = load(store, { session_id: 'parent', tip_uuid: 'u3' })
  expect(seen).toEqual(['u1', 'u3', 'u2'])
  expect(codes).toEqual(['bad_line', 'dangling_prev', 'missing_header'])
  const own = loadSession(contextOfLayout(store.layout), store.layout.transcriptPath('child'))
  expect(own.log.projection.degraded).toBe(true)
  expect(own.diagnostics.map(({ file }) => file)).toEqual([path, path, path])
})

test('a file that is not there has the id of its name, and no parent', (t) => {
  const { layout } = newStore(t)
  const path = layout.transcriptPath('agent:main')
  expect(readLineage(openContext(), path)).toEqual({
    sessionId: 'agent:main',
    resumedFrom: undefined,
    resumedAt: Number.NaN,
    sources: [],
    forks: [],
  })
})
