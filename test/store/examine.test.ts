import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { createSession, forkSession, resumeSession } from '../../lib/session/index.js'
import {
  append_history,
  appendCheckpoint,
  claimSession,
  examineStore,
  fixStore,
  layoutOf,
  type StoreHealth,
  spoolEvent,
} from '../../lib/store/index.js'
import { contentsOf, newPlace, openSession, type Place, storeSession } from '../cli/stored.js'

type Context = Pick<TestContext, 'onTestFinished'>

const HOUR_MS = 60 * 60 * 1000

function examine({ root }: Place, options = {}): Promise<StoreHealth> {
  return examineStore({ root, home: root, ...options })
}

async function healthyPlace(t: Context): Promise<Place> {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  return place
}

/** Severity, code and the name of the file, for short. */
function toldOf({ findings }: StoreHealth): string[] {
  return findings.map(({ severity, code, path }) => `${severity} ${code} ${path.split('/').at(-1)}`)
}

function makeOld(path: string): void {
  const then = new Date(Date.now() - 2 * HOUR_MS)
  utimesSync(path, then, then)
}

test('a store that is not there is a healthy one, and is not made', async (t) => {
  const root = join(newPlace(t).root, 'none')
  const health = await examineStore({ root, home: root })
  expect(health).toMatchObject({ isHealthy: true, findings: [], unknown: [] })
  expect(existsSync(root)).toBe(false)
})

test('a store as the library makes it has no findings, with sizes per channel', async (t) => {
  const place = await healthyPlace(t)
  const { root, cwd } = place
  await append_history('hello', 'demo', { root, home: root, project: cwd })
  await claimSession('demo', { root, home: root, runtimePath: 'plugin' })
  const before = contentsOf(root)
  for (const deep of [false, true]) {
    const health = await examine(place, { deep })
    expect(toldOf(health)).toEqual([])
    expect(health).toMatchObject({
      isHealthy: true,
      isDeep: deep,
      claims: { active: 1, expired: 0 },
      history: { entries: 1 },
      locks: { held: [] },
    })
    const { size } = statSync(layoutOf({ root }).transcriptPath('demo'))
    expect(health.channels[0]).toEqual({ channel: 'transcripts', files: 1, bytes: size })
  }
  expect(contentsOf(root)).toEqual(before)
})

test('damage at an end is seen at a glance, damage in the middle when every line is read', async (t) => {
  const place = newPlace(t)
  const said = Array.from(
    { length: 300 },
    (_, index) => ['user', `u${index}`, 'x'.repeat(1000)] as const,
  )
  const path = await storeSession(place, 'demo', { said })
  const text = readFileSync(path, 'utf8')
  const middle = text.indexOf('xxxx', text.length / 2)
  writeFileSync(path, `${text.slice(0, middle)}y${text.slice(middle + 1)}`)
  expect(toldOf(await examine(place))).toEqual([])
  const deep = await examine(place, { deep: true })
  expect(toldOf(deep)).toEqual(['error damage demo.jsonl'])
  expect(deep.findings[0]!.diagnostics!.map(({ code }) => code)).toContain('crc_mismatch')

  appendFileSync(path, 'this is no JSON\n')
  const glance = await examine(place)
  expect(toldOf(glance)).toEqual(['error damage demo.jsonl'])
  expect(glance.findings[0]!.message).toContain('bad_line (1)')
  expect(glance.isHealthy).toBe(false)
})

test('a link of the chain that leads nowhere is damage', async (t) => {
  const place = await healthyPlace(t)
  const path = layoutOf({ root: place.root }).transcriptPath('demo')
  const lines = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, lines.filter((line) => !line.includes('"uuid":"a1"')).join('\n'))
  const { findings } = await examine(place)
  expect(findings[0]).toMatchObject({ code: 'damage', message: 'dangling_prev (1)' })
})

test.skipIf(process.platform === 'win32')(
  'modes that let others in are found and mended, and no byte is touched',
  async (t) => {
    const place = await healthyPlace(t)
    const { transcripts, transcriptPath } = layoutOf({ root: place.root })
    chmodSync(transcripts, 0o755)
    chmodSync(transcriptPath('demo'), 0o644)
    const before = contentsOf(place.root)
    const health = await examine(place)
    expect(toldOf(health)).toEqual(['warning mode .transcripts', 'warning mode demo.jsonl'])
    const fixed = fixStore(health)
    expect(fixed).toEqual([
      { path: transcripts, what: 'chmod', error: null },
      { path: transcriptPath('demo'), what: 'chmod', error: null },
    ])
    expect(statSync(transcripts).mode & 0o777).toBe(0o700)
    expect(statSync(transcriptPath('demo')).mode & 0o777).toBe(0o600)
    expect((await examine(place)).isHealthy).toBe(true)
    expect(contentsOf(place.root)).toEqual(before)
  },
)

test.skipIf(process.platform === 'win32')(
  'what is stricter than it must be is left alone, and the mode of a project is its own',
  async (t) => {
    const place = await healthyPlace(t)
    chmodSync(layoutOf({ root: place.root }).transcriptPath('demo'), 0o400)
    chmodSync(place.root, 0o755)
    expect(toldOf(await examine(place))).toEqual([])
    chmodSync(place.root, 0o777)
    const { findings } = await examine(place)
    expect(findings).toMatchObject([{ code: 'mode', severity: 'error', path: place.root }])
    expect(fixStore({ findings })).toEqual([])
  },
)

test('leftovers of unfinished writes are removed once they are old, and nothing else is', async (t) => {
  const place = await healthyPlace(t)
  const { root } = place
  const { transcripts, checkpoints, historyPath } = layoutOf({ root, home: root })
  await append_history('hello', 'demo', { root, home: root })
  mkdirSync(checkpoints, { mode: 0o700 })
  const uuid = '0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a'
  const rests = [
    join(checkpoints, `._none.jsonl.${uuid}.tmp`),
    join(transcripts, 'demo.jsonl.lock.owner.123-456.tmp'),
    join(transcripts, 'demo.jsonl.lock.owner'),
    join(transcripts, 'settings.json.3920'),
    join(root, 'history.sweep.json.1234567890'),
  ]
  const others = [
    `${historyPath}.1`,
    join(root, 'settings.json.3920'),
    join(root, 'audit.jsonl'),
    join(transcripts, 'notes.txt'),
    join(transcripts, 'demo.jsonl.1'),
    join(transcripts, 'notes.tmp'),
  ]
  for (const path of [...rests, ...others]) writeFileSync(path, '', { mode: 0o600 })
  expect(toldOf(await examine(place)).filter((told) => told.includes('leftover'))).toEqual([])
  for (const path of [...rests, ...others]) makeOld(path)
  mkdirSync(join(root, 'file-history'))
  const health = await examine(place)
  const leftovers = health.findings.filter(({ code }) => code === 'leftover')
  expect(leftovers.map(({ path }) => path).sort()).toEqual([...rests].sort())
  expect(health.unknown).toEqual(['audit.jsonl'])

  const fixed = fixStore(health)
  expect(fixed.map(({ path, what }) => [what, path]).sort()).toEqual(
    rests.map((path) => ['remove', path]).sort(),
  )
  expect(rests.filter((path) => existsSync(path))).toEqual([])
  expect(others.filter((path) => !existsSync(path))).toEqual([])
})

test('a leftover whose name has a new owner since stays', async (t) => {
  const place = await healthyPlace(t)
  const path = join(layoutOf({ root: place.root }).transcripts, 'settings.json.1')
  writeFileSync(path, '', { mode: 0o600 })
  makeOld(path)
  const health = await examine(place)
  writeFileSync(path, 'new')
  expect(fixStore(health)).toEqual([])
  expect(readFileSync(path, 'utf8')).toBe('new')
})

test('an open session is told as held, the lock of a dead process as taken over by itself', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'open')
  const lockPath = layoutOf({ root: place.root }).transcriptPath('dead')
  await storeSession(place, 'dead')
  mkdirSync(`${lockPath}.lock`)
  makeOld(`${lockPath}.lock`)
  const health = await examine(place)
  expect(health.locks.held).toMatchObject([{ path: session.path, pid: process.pid }])
  expect(toldOf(health)).toEqual(['info abandoned_lock dead.jsonl.lock'])
  expect(health.isHealthy).toBe(true)
  writeFileSync(join(`${lockPath}.lock`, 'thing'), '')
  expect(toldOf(await examine(place))).toEqual(['error obstructed dead.jsonl.lock'])
  await session.release()
})

test('subagents and waiting events of nobody are orphans', async (t) => {
  const place = await healthyPlace(t)
  const layout = layoutOf({ root: place.root })
  const session = await createSession({ root: place.root, home: place.root, id: 'parent' })
  const child = await session.spawn({ task_id: 'look', prompt: 'Look around.' })
  await child.finish({ status: 'completed', summary: 'seen' })
  await session.release()
  await spoolEvent(layout, 'demo', { type: 'user', payload: { content: 'wait' } })
  expect(toldOf(await examine(place)).map((told) => told.split(' ', 2).join(' '))).toEqual([
    'info orphan',
  ])
  renameSync(session.path, `${session.path}.away`)
  await spoolEvent(layout, 'nobody', { type: 'user', payload: { content: 'wait' } })
  const { findings } = await examine(place)
  const orphans = findings.filter(({ severity }) => severity === 'warning')
  expect(orphans.map(({ code, message }) => `${code}: ${message}`).sort()).toEqual([
    'orphan: a subagent of session "parent", not there',
    'orphan: it waits for a session that is not there: nobody',
  ])
})

test('a session that continues one which is not there is told, and so is a link to nothing', async (t) => {
  const place = await healthyPlace(t)
  const { root } = place
  const resumed = await resumeSession({ root, home: root, id: 'demo', newId: 'next' })
  await resumed.session?.release()
  await forkSession('demo', { root, home: root, newId: 'fork' })
  const { transcripts, transcriptPath } = layoutOf({ root })
  symlinkSync(join(root, 'nowhere.jsonl'), join(transcripts, 'link.jsonl'))
  linkSync(transcriptPath('next'), join(transcripts, 'other.jsonl'))
  renameSync(transcriptPath('demo'), join(root, 'kept.jsonl'))
  expect(toldOf(await examine(place)).sort()).toEqual([
    'warning lineage next.jsonl',
    'warning lineage other.jsonl',
    'warning link link.jsonl',
    'warning link next.jsonl',
    'warning link other.jsonl',
  ])
})

test('checkpoints of a project that is gone are mentioned, not wrong', async (t) => {
  const place = await healthyPlace(t)
  const project = join(place.cwd, 'gone')
  await appendCheckpoint(
    {
      session_key: 'elsewhere',
      project,
      trigger: 'explicit',
      digest: 'what was done',
      harness: 'test',
      prompt_count: 1,
    },
    { root: place.root },
  )
  const health = await examine(place)
  expect(health.findings).toMatchObject([{ code: 'gone_project', severity: 'info' }])
  expect(health.isHealthy).toBe(true)
})

test('the stores of all agents are looked at, or of the one that is named', async (t) => {
  const place = await healthyPlace(t)
  const { root } = place
  const session = await createSession({ root, home: root, agent: 'other', id: 'theirs' })
  await session.release()
  appendFileSync(session.path, 'damage\n')
  expect(toldOf(await examine(place))).toEqual(['error damage theirs.jsonl'])
  expect(toldOf(await examine(place, { agent: 'default' }))).toEqual([])
  expect((await examine(place)).channels[0]).toMatchObject({ files: 2 })
})

test('what has the name of a log or a folder and is none is told, and stops nothing', async (t) => {
  const place = await healthyPlace(t)
  const { checkpoints, spool, transcripts } = layoutOf({ root: place.root })
  mkdirSync(join(checkpoints, 'shard.jsonl'), { recursive: true, mode: 0o700 })
  writeFileSync(spool, '', { mode: 0o600 })
  chmodSync(checkpoints, 0o700)
  expect(toldOf(await examine(place))).toEqual([
    'error unreadable shard.jsonl',
    'error unreadable .spool',
  ])
  const away = join(place.cwd, 'elsewhere')
  renameSync(transcripts, away)
  symlinkSync(away, transcripts)
  appendFileSync(join(away, 'demo.jsonl'), 'damage\n')
  expect(toldOf(await examine(place))).toContain('error damage demo.jsonl')
})

test('claims are counted as active or expired, and those that say nothing as neither', async (t) => {
  const place = await healthyPlace(t)
  const { root } = place
  const now = Date.UTC(2026, 0, 1)
  const environment = { now: () => now }
  await claimSession('one', { root, runtimePath: 'plugin', environment })
  await claimSession('two', { root, runtimePath: 'plugin', environment })
  const { claims } = layoutOf({ root })
  writeFileSync(join(claims, 'strange.jsonl'), '{"type":"claim","uuid":"x","payload":{}}\n')
  mkdirSync(join(claims, 'folder.jsonl'))
  const during = await examine(place, { now: () => now + 1 })
  expect(during.claims).toEqual({ active: 2, expired: 0 })
  const after = await examine(place, { now: () => now + 24 * HOUR_MS })
  expect(after.claims).toEqual({ active: 0, expired: 2 })
})

test.for([
  [7_900, []],
  [8_000, ['info history history.jsonl']],
  [20_000, ['warning history history.jsonl']],
] as const)('a history of %i lines is told as %j', async ([lines, told], t) => {
  const place = await healthyPlace(t)
  writeFileSync(join(place.root, 'history.jsonl'), '\n'.repeat(lines), { mode: 0o600 })
  const health = await examine(place)
  expect(health.history.entries).toBe(lines)
  expect(toldOf(health)).toEqual(told)
})

test('a log that is a link is told as read and never written, one of nobody as an orphan', async (t) => {
  const place = await healthyPlace(t)
  const { transcripts, sidechains, spool, checkpoints } = layoutOf(place)
  const elsewhere = join(newPlace(t).root, 'elsewhere.jsonl')
  renameSync(join(transcripts, 'demo.jsonl'), elsewhere)
  symlinkSync(elsewhere, join(transcripts, 'demo.jsonl'))
  const event = (type: string, payload: object) =>
    `${JSON.stringify({ type, ts: '2026-01-01T00:00:00.000Z', uuid: 'x', prev_uuid: null, payload })}\n`
  for (const folder of [sidechains, spool, checkpoints]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }
  const put = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600 })
  put(join(sidechains, 'k1.jsonl'), event('sidechain_header', { task_id: 'k1' }))
  put(join(spool, 'strange.jsonl'), event('remember', { text: 'x' }))
  put(join(checkpoints, 'odd.jsonl'), event('checkpoint', {}))
  const told = toldOf(await examine(place))
  expect(told).toContain('warning link demo.jsonl')
  expect(told).toContain('warning orphan k1.jsonl')
  expect(told).toContain('warning orphan strange.jsonl')
  expect(told.filter((one) => one.includes('gone_project'))).toEqual([])
})
