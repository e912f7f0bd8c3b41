// Events that wait for a session: whose they are, when a file of them is complete, and which of them
// its log takes.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import {
  appendTranscript,
  createSession,
  examineStore,
  promptOnce,
} from '../../../lib/free-functions.js'
import { acquireLock } from '../../../lib/log/lock/acquire.js'
import {
  layoutOf,
  listSpooled,
  openContext,
  readSpool,
  type StoreContext,
  spoolEvent,
  spoolEvents,
} from '../../../lib/store/index.js'
import { eventsIn } from '../../cli/stored.js'
import { contextOfLayout } from '../../helpers/context.js'
import { foreignLine, line } from '../../helpers/lines.js'
import { release010 } from '../../helpers/release-0.1.0.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const EVENT = { type: 'remember', payload: { text: 'The port is 8080.' } }
const REST = '--2026-01-01T00-00-00.000Z-1-00000000-0000-4000-8000-00000000000'

function newLayout(t: TestContext) {
  return layoutOf({ root: temporaryFolder(t) }, systemEnvironment.host)
}

/** Puts a file into the spool as another process would have. */
function plant({ layout }: { layout: StoreContext['layout'] }, number: number, bytes: Buffer) {
  mkdirSync(layout.spool, { recursive: true, mode: 0o700 })
  const name = `demo${REST}${number}.jsonl`
  writeFileSync(join(layout.spool, name), bytes, { mode: 0o600 })
  return name
}

function note(uuid: string, text = `note ${uuid}`): Buffer {
  return line('remember', { uuid, payload: { text } })
}

async function openDemo(t: TestContext) {
  const layout = newLayout(t)
  const diagnostics: Diagnostic[] = []
  const { root } = layout
  const session = await createSession({
    root,
    home: root,
    id: 'demo',
    continuity: false,
    onDiagnostic: (it) => diagnostics.push(it),
  })
  t.onTestFinished(() => session.release())
  const codes = () => diagnostics.map(({ code }) => code)
  return { session, layout, root, diagnostics, codes }
}

function notesIn(path: string): string[] {
  return eventsIn(path).flatMap(({ type, uuid }) => (type === 'remember' ? [String(uuid)] : []))
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : []
}

test('a session is found by its id, whatever letters it has; files of others are left alone', async (t) => {
  const layout = newLayout(t)
  for (const id of ['demo', 'demo--2', 'agent:main', 'ä'])
    await spoolEvent(contextOfLayout(layout), id, EVENT)
  await spoolEvent(contextOfLayout(layout), 'demo', EVENT)
  writeFileSync(join(layout.spool, 'notes.jsonl'), '{}\n')
  expect(listSpooled(contextOfLayout(layout)).toSorted()).toEqual([
    'agent:main',
    'demo',
    'demo--2',
    'ä',
  ])
  expect(readSpool(contextOfLayout(layout), 'demo')).toHaveLength(2)
  expect(readSpool(contextOfLayout(layout), 'missing')).toEqual([])
})

test('a file whose name belongs to no id is reported by its name, and blocks no other', async (t) => {
  const layout = newLayout(t)
  await spoolEvent(contextOfLayout(layout), 'demo', EVENT)
  const [name] = readdirSync(layout.spool).filter((one) => one.endsWith('.jsonl'))
  renameSync(join(layout.spool, name!), join(layout.spool, name!.replace('demo', '%zz')))
  await spoolEvent(contextOfLayout(layout), 'other', EVENT)
  expect(listSpooled(contextOfLayout(layout)).toSorted()).toEqual(['%zz', 'other'])
})

test('a file has its name only when it is whole and on the disk', async (t) => {
  const root = temporaryFolder(t)
  const seen: string[] = []
  const calls: string[] = []
  const { fs } = systemEnvironment
  const store: StoreContext = openContext({
    root,
    environment: {
      fs: {
        writeSync: ((...args: Parameters<typeof fs.writeSync>) => {
          calls.push('write')
          seen.push(...namesIn(store.layout.spool))
          return fs.writeSync(...args)
        }) as typeof fs.writeSync,
        fsyncSync: (fd) => {
          calls.push('sync')
          if (!calls.includes('rename')) seen.push(...namesIn(store.layout.spool))
          fs.fsyncSync(fd)
        },
        renameSync: (from, to) => {
          calls.push('rename')
          expect(String(from).slice(store.layout.spool.length + 1)).toMatch(/^\./)
          fs.renameSync(from, to)
        },
      },
    },
  })
  await spoolEvents(store, 'demo', [EVENT, { type: 'user', payload: { content: 'hello' } }])
  expect(seen).toEqual([])
  // The folder is synced before, when it is made, and after.
  expect(calls.join(' ')).toMatch(/write sync rename sync$/)
  expect(readSpool(store, 'demo').map(({ type }) => type)).toEqual(['remember', 'user'])
  expect(readdirSync(store.layout.spool)).toHaveLength(1)
})

test('a file that its writer has created and not yet written stays where it is', async (t) => {
  const demo = await openDemo(t)
  const empty = plant(demo, 1, Buffer.alloc(0))
  plant(demo, 2, note('b'))
  await demo.session.prompt('hello')
  expect(notesIn(demo.session.path)).toEqual(['b'])
  expect(namesIn(demo.layout.spool)).toEqual([empty])
  writeFileSync(join(demo.layout.spool, empty), note('a'))
  await demo.session.prompt('again')
  expect(notesIn(demo.session.path)).toEqual(['b', 'a'])
  expect(namesIn(demo.layout.spool)).toEqual([])
  expect(demo.codes()).toEqual([])
})

test('a file that 0.1.0 still writes under its lock waits until the lock is released', async (t) => {
  const demo = await openDemo(t)
  const name = plant(demo, 1, note('a'))
  const options = { mode: 'once', timeoutMs: 5000, env: systemEnvironment } as const
  const lock = await acquireLock(join(demo.layout.spool, name), options)
  await demo.session.prompt('hello')
  expect(notesIn(demo.session.path)).toEqual([])
  expect(namesIn(demo.layout.spool)).toEqual([name])
  lock.release()
  await demo.session.prompt('again')
  expect(notesIn(demo.session.path)).toEqual(['a'])
  expect(namesIn(demo.layout.spool)).toEqual([])
})

test('a file that another process takes after it was listed is no error', async (t) => {
  const root = temporaryFolder(t)
  const { fs } = systemEnvironment
  const store: StoreContext = openContext({
    root,
    environment: {
      fs: {
        openSync: (path, ...rest) => {
          if (String(path).includes(`demo${REST}1`)) rmSync(path, { force: true })
          return fs.openSync(path, ...rest)
        },
      },
    },
  })
  plant(store, 1, note('gone'))
  plant(store, 2, note('there'))
  expect(readSpool(store, 'demo').map(({ uuid }) => uuid)).toEqual(['there'])
})

test('an event with the uuid of another one is set aside, and those behind it are written', async (t) => {
  const demo = await openDemo(t)
  await demo.session.append({ type: 'remember', uuid: 'n0', payload: { text: 'first' } })
  for (const [number, uuid] of ['n1', 'n0', 'n2', 'n3', 'n4', 'n5'].entries()) {
    plant(demo, number, note(uuid))
  }
  await demo.session.prompt('hello')
  expect(notesIn(demo.session.path)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5'])
  expect(namesIn(demo.layout.spool)).toEqual([])
  expect(demo.codes()).toEqual(['queued_event_refused'])
  expect(demo.diagnostics[0]).toMatchObject({ uuid: 'n0' })
  const [name] = namesIn(demo.layout.refused)
  expect(readFileSync(join(demo.layout.refused, name!))).toEqual(note('n0'))
  const why = JSON.parse(
    readFileSync(join(demo.layout.refused, name!.replace(/jsonl$/, 'json')), 'utf8'),
  )
  expect(why).toMatchObject({ session: 'demo', reasons: [{ uuid: 'n0' }] })
  expect(why.reasons[0].code).toBe('ERR_UUID_CONFLICT')
  await demo.session.close()
  expect(demo.codes(), 'it is judged once').toEqual(['queued_event_refused'])

  const { healthy, findings } = await examineStore({ root: demo.root, home: demo.root })
  expect(healthy).toBe(false)
  const refused = findings.filter(({ code }) => code === 'refused')
  expect(refused).toMatchObject([{ severity: 'warning', path: join(demo.layout.refused, name!) }])
  expect(refused[0]?.message).toMatch(/session "demo".*has another event.*move it back/)
})

test('a planted permission event keeps no one-shot and no prompt from being recorded', async (t) => {
  const root = temporaryFolder(t)
  const store = openContext({ root, home: root })
  const event = { type: 'user', payload: { content: 'hello' } }
  await appendTranscript({ session_id: 'demo', event }, { root, home: root })
  const planted = [
    { type: 'permission_grant', payload: { tool: 'Bash' } },
    { type: 'remember', payload: { text: 'x', permissionMode: 'bypass' } },
  ]
  for (const [number, event] of planted.entries()) {
    const envelope = { ts: '2026-01-01T00:00:00.000Z', uuid: `p${number}`, prev_uuid: null }
    plant(store, number, foreignLine({ ...event, ...envelope }))
  }
  plant(store, 5, note('n1'))
  await appendTranscript({ session_id: 'demo', event }, { root, home: root })
  await promptOnce({ session_id: 'demo', content: 'and this' }, { root, home: root })
  const path = store.layout.transcriptPath('demo')
  expect(eventsIn(path).map(({ type }) => type)).toEqual([
    'session_header',
    'user',
    'remember',
    'user',
    'user',
  ])
  expect(readFileSync(path, 'utf8')).not.toMatch(/permission|Bash/)
  expect(namesIn(store.layout.spool)).toEqual([])
  expect(namesIn(store.layout.refused)).toHaveLength(2)
})

test('of several events in one file only those that are refused are not written', async (t) => {
  const demo = await openDemo(t)
  await demo.session.append({ type: 'remember', uuid: 'n0', payload: { text: 'first' } })
  const odd = Buffer.from(
    '{"type":"remember","ts":"2026-01-01T00:00:00.000Z","uuid":"x","payload":null}\n',
  )
  const name = plant(demo, 1, Buffer.concat([note('a'), note('n0'), note('b'), odd]))
  const torn = plant(demo, 2, Buffer.concat([note('c'), Buffer.from('{"type":')]))
  await demo.session.prompt('hello')
  expect(notesIn(demo.session.path)).toEqual(['n0', 'a', 'b', 'c'])
  expect(namesIn(demo.layout.refused)).toEqual([name, torn])
  expect(demo.codes()).toEqual(Array(3).fill('queued_event_refused'))
})

test('a report that differs only in its moment is the same event, and is not set aside', async (t) => {
  const demo = await openDemo(t)
  const report = (gap_ms: number) =>
    line('session_meta', { uuid: 'r', payload: { bypassed: true, gap_ms } })
  plant(demo, 1, report(10))
  plant(demo, 2, report(20))
  await demo.session.prompt('hello')
  expect(eventsIn(demo.session.path).filter(({ uuid }) => uuid === 'r')).toHaveLength(1)
  expect(namesIn(demo.layout.spool)).toEqual([])
  expect(existsSync(demo.layout.refused)).toBe(false)
  expect(demo.codes()).toEqual([])
})

test('thousands of waiting events are all written, in their order', async (t) => {
  const demo = await openDemo(t)
  const uuids = Array.from({ length: 600 }, (_, index) => `n${index}`)
  mkdirSync(demo.layout.spool, { mode: 0o700 })
  for (const [index, uuid] of uuids.entries()) {
    const time = new Date(Date.UTC(2026, 0, 1) + index).toISOString().replaceAll(':', '-')
    const name = `demo--${time}-1-00000000-0000-4000-8000-000000000001.jsonl`
    writeFileSync(join(demo.layout.spool, name), note(uuid))
  }
  await demo.session.prompt('hello')
  expect(notesIn(demo.session.path)).toEqual(uuids)
  expect(readdirSync(demo.layout.spool)).toEqual([])
})

test.each(['append', 'prompt', 'close'] as const)(
  '%s acknowledges what is written although the spool cannot be read',
  async (method) => {
    const t = { onTestFinished } as unknown as TestContext
    const demo = await openDemo(t)
    writeFileSync(demo.layout.spool, 'not a folder')
    if (method === 'append') {
      await demo.session.append({ type: 'user', payload: { content: 'hello' } })
    } else if (method === 'prompt') await demo.session.prompt('hello')
    await demo.session.close()
    const types = eventsIn(demo.session.path).map(({ type }) => type)
    expect(types.at(-1)).toBe('session_terminator')
    expect(types.filter((type) => type === 'user')).toHaveLength(method === 'close' ? 0 : 1)
    expect(new Set(demo.codes())).toEqual(new Set(['spool_unreadable']))
  },
)

test('too many open files, or a stray folder, is a diagnostic and no error', async (t) => {
  const root = temporaryFolder(t)
  const { fs } = systemEnvironment
  const reported: Diagnostic[] = []
  let isFull = false
  const options = {
    root,
    home: root,
    onDiagnostic: (it: Diagnostic) => void reported.push(it),
    environment: {
      fs: {
        readdirSync: ((path: string, ...rest: []) => {
          if (isFull && path.endsWith('.spool')) {
            throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
          }
          return fs.readdirSync(path, ...rest)
        }) as typeof fs.readdirSync,
      },
    },
  }
  const session = await createSession({ ...options, id: 'demo', continuity: false })
  t.onTestFinished(() => session.release())
  const { layout } = openContext(options)
  mkdirSync(join(layout.spool, `demo${REST}1.jsonl`), { recursive: true, mode: 0o700 })
  plant({ layout }, 2, note('n1'))
  isFull = true
  await session.prompt('first')
  expect(reported.map(({ code }) => code)).toEqual(['spool_unreadable'])
  isFull = false
  await session.prompt('second')
  await session.close()
  expect(notesIn(session.path), 'a folder hides no file').toEqual(['n1'])
  const event = { type: 'remember', payload: { text: 'later' } }
  await appendTranscript({ session_id: 'demo', event }, options)
  expect(notesIn(session.path)).toHaveLength(2)
  expect(new Set(reported.map(({ code }) => code))).toEqual(new Set(['spool_unreadable']))
})

test('0.1.0 takes what this version has queued, and ignores what is unfinished or refused', async (t) => {
  const root = temporaryFolder(t)
  const store = openContext({ root, home: root })
  const session = await release010.createSession({
    root,
    home: root,
    id: 'demo',
    continuity: false,
  })
  await spoolEvents(store, 'demo', [{ ...EVENT, uuid: 'queued' }])
  mkdirSync(store.layout.refused, { mode: 0o700 })
  writeFileSync(join(store.layout.refused, `demo${REST}1.jsonl`), note('refused'))
  const hidden = `.demo${REST}2.jsonl.00000000-0000-4000-8000-000000000001.tmp`
  writeFileSync(join(store.layout.spool, hidden), note('unfinished').subarray(0, 40))
  await session.append({ type: 'user', payload: { content: 'hello' } })
  await session.close()
  expect(notesIn(store.layout.transcriptPath('demo'))).toEqual(['queued'])
  expect(readdirSync(store.layout.spool).sort()).toEqual([hidden, 'refused'])
})

test('what 0.1.0 has queued is taken by this version', async (t) => {
  const demo = await openDemo(t)
  const append = release010['append_transcript'] as (
    input: object,
    options: object,
  ) => Promise<object>
  const event = { type: 'remember', uuid: 'old', payload: { text: 'from 0.1.0' } }
  const { root } = demo
  expect(await append({ session_id: 'demo', event }, { root, home: root })).toMatchObject({
    queued: true,
  })
  await demo.session.prompt('hello')
  expect(notesIn(demo.session.path)).toEqual(['old'])
  expect(namesIn(demo.layout.spool)).toEqual([])
})
