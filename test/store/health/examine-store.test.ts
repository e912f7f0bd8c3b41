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
import { systemEnvironment } from '../../../lib/environment/index.js'
import {
  createSession,
  examineStore,
  fixStore,
  forkSession,
  resumeSession,
} from '../../../lib/free-functions.js'

import {
  append_history,
  appendCheckpoint,
  claimSession,
  layoutOf,
  openContext,
  type StoreHealth,
  spoolEvent,
} from '../../../lib/store/index.js'
import { contentsOf, newPlace, openSession, type Place, storeSession } from '../../cli/stored.js'

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
function summaryOf({ findings }: StoreHealth): string[] {
  return findings.map(({ severity, code, path }) => `${severity} ${code} ${path.split('/').at(-1)}`)
}

function makeOld(path: string): void {
  const then = new Date(Date.now() - 2 * HOUR_MS)
  utimesSync(path, then, then)
}

test('a store that does not exist is healthy, and is not created', async (t) => {
  const root = join(newPlace(t).root, 'none')
  const health = await examineStore({ root, home: root })
  expect(health).toMatchObject({ healthy: true, findings: [], unknown: [] })
  expect(existsSync(root)).toBe(false)
})

test('a new store has no findings, and sizes per channel', async (t) => {
  const place = await healthyPlace(t)
  const { root, cwd } = place
  await append_history('hello', 'demo', { root, home: root, project: cwd })
  await claimSession(openContext({ root, home: root }), 'demo', { runtimePath: 'plugin' })
  const before = contentsOf(root)
  for (const deep of [false, true]) {
    const health = await examine(place, { deep })
    expect(summaryOf(health)).toEqual([])
    expect(health).toMatchObject({
      healthy: true,
      deep,
      claims: { active: 1, expired: 0 },
      history: { entries: 1 },
      locks: { held: [] },
    })
    const { size } = statSync(layoutOf({ root }, systemEnvironment.host).transcriptPath('demo'))
    expect(health.channels[0]).toEqual({ channel: 'transcripts', files: 1, bytes: size })
  }
  expect(contentsOf(root)).toEqual(before)
})

test('finds damage at the end of a log, and damage in the middle with deep', async (t) => {
  const place = newPlace(t)
  const said = Array.from(
    { length: 300 },
    (_, index) => ['user', `u${index}`, 'x'.repeat(1000)] as const,
  )
  const path = await storeSession(place, 'demo', { said })
  const text = readFileSync(path, 'utf8')
  const middle = text.indexOf('xxxx', text.length / 2)
  writeFileSync(path, `${text.slice(0, middle)}y${text.slice(middle + 1)}`)
  expect(summaryOf(await examine(place))).toEqual([])
  const deep = await examine(place, { deep: true })
  expect(summaryOf(deep)).toEqual(['error damage demo.jsonl'])
  expect(deep.findings[0]!.diagnostics!.map(({ code }) => code)).toContain('crc_mismatch')

  appendFileSync(path, 'this is no JSON\n')
  const atEnd = await examine(place)
  expect(summaryOf(atEnd)).toEqual(['error damage demo.jsonl'])
  expect(atEnd.findings[0]!.message).toContain('bad_line (1)')
  expect(atEnd.healthy).toBe(false)
})

test('reports a link to a missing event as damage', async (t) => {
  const place = await healthyPlace(t)
  const path = layoutOf({ root: place.root }, systemEnvironment.host).transcriptPath('demo')
  const lines = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, lines.filter((line) => !line.includes('"uuid":"a1"')).join('\n'))
  const { findings } = await examine(place)
  expect(findings[0]).toMatchObject({ code: 'damage', message: 'dangling_prev (1)' })
})

test.skipIf(process.platform === 'win32')(
  'finds and fixes modes that give other users access, and changes no byte',
  async (t) => {
    const place = await healthyPlace(t)
    const { transcripts, transcriptPath } = layoutOf({ root: place.root }, systemEnvironment.host)
    chmodSync(transcripts, 0o755)
    chmodSync(transcriptPath('demo'), 0o644)
    const before = contentsOf(place.root)
    const health = await examine(place)
    expect(summaryOf(health)).toEqual(['warning mode .transcripts', 'warning mode demo.jsonl'])
    const plan = fixStore(health)
    expect(plan.applied).toBe(false)
    expect(statSync(transcripts).mode & 0o777).toBe(0o755)
    const { applied, fixes } = fixStore(health, { apply: true })
    expect(applied).toBe(true)
    expect(fixes).toEqual(plan.fixes)
    expect(fixes).toEqual([
      { path: transcripts, what: 'chmod', error: null },
      { path: transcriptPath('demo'), what: 'chmod', error: null },
    ])
    expect(statSync(transcripts).mode & 0o777).toBe(0o700)
    expect(statSync(transcriptPath('demo')).mode & 0o777).toBe(0o600)
    expect((await examine(place)).healthy).toBe(true)
    expect(contentsOf(place.root)).toEqual(before)
  },
)

test.skipIf(process.platform === 'win32')(
  'accepts stricter modes, and any mode of a root without write access for all',
  async (t) => {
    const place = await healthyPlace(t)
    chmodSync(layoutOf({ root: place.root }, systemEnvironment.host).transcriptPath('demo'), 0o400)
    chmodSync(place.root, 0o755)
    expect(summaryOf(await examine(place))).toEqual([])
    chmodSync(place.root, 0o777)
    const { findings } = await examine(place)
    expect(findings).toMatchObject([{ code: 'mode', severity: 'error', path: place.root }])
    expect(fixStore({ findings }).fixes).toEqual([])
  },
)

test('removes only leftovers of interrupted writes, once they are old', async (t) => {
  const place = await healthyPlace(t)
  const { root } = place
  const { transcripts, checkpoints, historyPath } = layoutOf(
    { root, home: root },
    systemEnvironment.host,
  )
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
  expect(summaryOf(await examine(place)).filter((it) => it.includes('leftover'))).toEqual([])
  for (const path of [...rests, ...others]) makeOld(path)
  mkdirSync(join(root, 'file-history'))
  const health = await examine(place)
  const leftovers = health.findings.filter(({ code }) => code === 'leftover')
  expect(leftovers.map(({ path }) => path).sort()).toEqual([...rests].sort())
  expect(health.unknown).toEqual(['audit.jsonl'])

  const { fixes } = fixStore(health, { apply: true })
  expect(fixes.map(({ path, what }) => [what, path]).sort()).toEqual(
    rests.map((path) => ['remove', path]).sort(),
  )
  expect(rests.filter((path) => existsSync(path))).toEqual([])
  expect(others.filter((path) => !existsSync(path))).toEqual([])
})

test('keeps a leftover that was written again since', async (t) => {
  const place = await healthyPlace(t)
  const path = join(
    layoutOf({ root: place.root }, systemEnvironment.host).transcripts,
    'settings.json.1',
  )
  writeFileSync(path, '', { mode: 0o600 })
  makeOld(path)
  const health = await examine(place)
  writeFileSync(path, 'new')
  expect(fixStore(health, { apply: true }).fixes).toEqual([])
  expect(readFileSync(path, 'utf8')).toBe('new')
})

test('lists held locks, and reports abandoned and obstructed ones', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'open')
  const lockPath = layoutOf({ root: place.root }, systemEnvironment.host).transcriptPath('dead')
  await storeSession(place, 'dead')
  mkdirSync(`${lockPath}.lock`)
  makeOld(`${lockPath}.lock`)
  const health = await examine(place)
  expect(health.locks.held).toMatchObject([{ path: session.path, pid: process.pid }])
  expect(summaryOf(health)).toEqual(['info abandoned_lock dead.jsonl.lock'])
  expect(health.healthy).toBe(true)
  writeFileSync(join(`${lockPath}.lock`, 'thing'), '')
  expect(summaryOf(await examine(place))).toEqual(['error obstructed dead.jsonl.lock'])
  await session.release()
})

test('reports subagents and spooled events without a session as orphans', async (t) => {
  const place = await healthyPlace(t)
  const store = openContext({ root: place.root })
  const session = await createSession({ root: place.root, home: place.root, id: 'parent' })
  const child = await session.spawn({ taskId: 'look', prompt: 'Look around.' })
  await child.finish({ status: 'completed', summary: 'seen' })
  await session.release()
  await spoolEvent(store, 'demo', { type: 'user', payload: { content: 'wait' } })
  expect(summaryOf(await examine(place)).map((it) => it.split(' ', 2).join(' '))).toEqual([
    'info orphan',
  ])
  renameSync(session.path, `${session.path}.away`)
  await spoolEvent(store, 'unknown', { type: 'user', payload: { content: 'wait' } })
  const { findings } = await examine(place)
  const orphans = findings.filter(({ severity }) => severity === 'warning')
  expect(orphans.map(({ code, message }) => `${code}: ${message}`).sort()).toEqual([
    'orphan: a subagent of session "parent", which is missing',
    'orphan: it waits for a missing session: unknown',
  ])
})

test('reports sessions that continue a missing one, and links', async (t) => {
  const place = await healthyPlace(t)
  const { root } = place
  const resumed = await resumeSession({ root, home: root, id: 'demo', newId: 'next' })
  await resumed.session?.release()
  await forkSession('demo', { root, home: root, newId: 'fork' })
  const { transcripts, transcriptPath } = layoutOf({ root }, systemEnvironment.host)
  symlinkSync(join(root, 'nowhere.jsonl'), join(transcripts, 'link.jsonl'))
  linkSync(transcriptPath('next'), join(transcripts, 'other.jsonl'))
  renameSync(transcriptPath('demo'), join(root, 'kept.jsonl'))
  expect(summaryOf(await examine(place)).sort()).toEqual([
    'warning link link.jsonl',
    'warning link next.jsonl',
    'warning link other.jsonl',
    'warning parent_session_missing next.jsonl',
    'warning parent_session_missing other.jsonl',
  ])
})

test('mentions checkpoints of a missing project as info', async (t) => {
  const place = await healthyPlace(t)
  const project = join(place.cwd, 'gone')
  await appendCheckpoint(openContext({ root: place.root }), {
    session_key: 'elsewhere',
    project,
    trigger: 'explicit',
    digest: 'what was done',
    harness: 'test',
    prompt_count: 1,
  })
  const health = await examine(place)
  expect(health.findings).toMatchObject([{ code: 'project_missing', severity: 'info' }])
  expect(health.healthy).toBe(true)
})

test('examines the stores of all agents, or of one', async (t) => {
  const place = await healthyPlace(t)
  const { root } = place
  const session = await createSession({ root, home: root, agent: 'other', id: 'theirs' })
  await session.release()
  appendFileSync(session.path, 'damage\n')
  expect(summaryOf(await examine(place))).toEqual(['error damage theirs.jsonl'])
  expect(summaryOf(await examine(place, { allAgents: false }))).toEqual([])
  expect((await examine(place)).channels[0]).toMatchObject({ files: 2 })
})

test('reports a folder named like a log and a file named like a folder, and continues', async (t) => {
  const place = await healthyPlace(t)
  const { checkpoints, spool, transcripts } = layoutOf({ root: place.root }, systemEnvironment.host)
  mkdirSync(join(checkpoints, 'shard.jsonl'), { recursive: true, mode: 0o700 })
  writeFileSync(spool, '', { mode: 0o600 })
  chmodSync(checkpoints, 0o700)
  expect(summaryOf(await examine(place))).toEqual([
    'error unreadable shard.jsonl',
    'error unreadable .spool',
  ])
  const away = join(place.cwd, 'elsewhere')
  renameSync(transcripts, away)
  symlinkSync(away, transcripts)
  appendFileSync(join(away, 'demo.jsonl'), 'damage\n')
  expect(summaryOf(await examine(place))).toContain('error damage demo.jsonl')
})

test('counts active and expired claims, and ignores invalid ones', async (t) => {
  const place = await healthyPlace(t)
  const { root } = place
  const now = Date.UTC(2026, 0, 1)
  const environment = { now: () => now }
  await claimSession(openContext({ root, environment }), 'one', { runtimePath: 'plugin' })
  await claimSession(openContext({ root, environment }), 'two', { runtimePath: 'plugin' })
  const { claims } = layoutOf({ root }, systemEnvironment.host)
  writeFileSync(join(claims, 'strange.jsonl'), '{"type":"claim","uuid":"x","payload":{}}\n')
  mkdirSync(join(claims, 'folder.jsonl'))
  const during = await examine(place, { environment: { now: () => now + 1 } })
  expect(during.claims).toEqual({ active: 2, expired: 0 })
  const after = await examine(place, { environment: { now: () => now + 24 * HOUR_MS } })
  expect(after.claims).toEqual({ active: 0, expired: 2 })
})

test.for([
  [7_900, []],
  [8_000, ['info history history.jsonl']],
  [20_000, ['warning history history.jsonl']],
] as const)('reports a history of %i lines as %j', async ([lines, expected], t) => {
  const place = await healthyPlace(t)
  writeFileSync(join(place.root, 'history.jsonl'), '\n'.repeat(lines), { mode: 0o600 })
  const health = await examine(place)
  expect(health.history.entries).toBe(lines)
  expect(summaryOf(health)).toEqual(expected)
})

test('reports a linked log, and logs that name no session as orphans', async (t) => {
  const place = await healthyPlace(t)
  const { transcripts, sidechains, spool, checkpoints } = layoutOf(place, systemEnvironment.host)
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
  const reported = summaryOf(await examine(place))
  expect(reported).toContain('warning link demo.jsonl')
  expect(reported).toContain('warning orphan k1.jsonl')
  expect(reported).toContain('warning orphan strange.jsonl')
  expect(reported.filter((one) => one.includes('project_missing'))).toEqual([])
})
