import { existsSync } from 'node:fs'
import { expect, type TestContext, test } from 'vitest'
import {
  checkpointNudge,
  contextCheckpoint,
  type Memory,
  PROFILES,
  readItem,
  type SessionStartOptions,
  type StartAnswer,
  type StartMode,
  sessionStart,
} from '../../../lib/continuity/index.js'
import { createSession } from '../../../lib/free-functions.js'
import type { SessionFacts } from '../../../lib/session/index.js'
import { deleteCheckpoint, openContext } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { checkpointLine, NOW, saveShard } from '../../store/checkpoints/checkpoint-lines.js'

const PROJECT = '/work/app'
const MINUTE = 60_000

/** A store whose clock advances by a minute with every checkpoint. */
class Place {
  readonly root: string
  #time = NOW

  constructor(t: TestContext) {
    this.root = temporaryFolder(t)
  }

  get environment() {
    return { now: () => this.#time }
  }

  get store() {
    return openContext({ root: this.root, environment: this.environment })
  }

  async leave(sessionKey: string, sessionSummary: string, ...memories: Memory[]) {
    this.#time += MINUTE
    const texts = { sessionSummary, memories, dedup: false }
    return contextCheckpoint(this.store, { sessionKey, project: PROJECT, ...texts })
  }

  async open(id: string, facts: SessionFacts = {}) {
    this.#time += MINUTE
    const { root, environment } = this
    const session = await createSession({
      root,
      environment,
      id,
      project: PROJECT,
      continuity: false,
      ...facts,
    })
    await session.append({ type: 'user', uuid: `${id}-u`, payload: { content: `hello ${id}` } })
    await session.append({ type: 'assistant', uuid: `${id}-a`, payload: { content: 'Hi.' } })
    return session
  }

  async session(id: string, facts: SessionFacts = {}) {
    const session = await this.open(id, facts)
    await session.close()
  }

  start(options: SessionStartOptions = {}) {
    return sessionStart(this.store, { project: PROJECT, recovery: null, ...options })
  }
}

const fact = (content: string, importance?: number): Memory => ({
  content,
  memoryType: 'fact',
  ...(importance !== undefined && { importance }),
})

// Requirements: T64, 004-15, E-01
test('seven modes say how many summaries, facts, tasks and constraints are returned', async (t) => {
  expect(
    Object.entries(PROFILES).map(([mode, it]) => [
      mode,
      it.episodic,
      it.facts,
      it.tasks,
      it.constraints,
    ]),
  ).toEqual([
    ['default', 3, 5, 5, 10],
    ['planning', 1, 8, 8, 10],
    ['incident', 5, 8, 3, 10],
    ['handoff', 5, 5, 8, 10],
    ['deep', 5, 10, 5, 10],
    ['minimal', 1, 3, 3, 3],
    ['none', 0, 0, 0, 0],
  ])
  const place = new Place(t)
  const twelve = (memoryType: 'fact' | 'task' | 'constraint') =>
    Array.from({ length: 12 }, (_, index) => ({ content: `${memoryType} ${index}`, memoryType }))
  for (let index = 0; index < 6; index++) await place.leave(`s${index}`, `Session ${index}`)
  await place.leave('s6', 'Last', ...twelve('fact'), ...twelve('task'), ...twelve('constraint'))
  for (const mode of Object.keys(PROFILES) as StartMode[]) {
    const { sessionContext } = await place.start({ mode })
    const { recentSessions, importantFacts, activeTasks, constraints } = sessionContext
    const { episodic, facts, tasks, constraints: limits } = PROFILES[mode]
    expect(
      [recentSessions, importantFacts, activeTasks, constraints].map(({ length }) => length),
    ).toEqual([episodic, facts, tasks, limits])
  }
  await expect(place.start({ mode: 'huge' as StartMode })).rejects.toMatchObject({
    code: 'ERR_ARG',
  })
})

// Requirements: 004-05, 004-07
test('facts and constraints count from importance 3, the most important first', async (t) => {
  const place = new Place(t)
  const rule = { memoryType: 'constraint' } as const
  await place.leave('s1', 'one', fact('old 3', 3), fact('two', 2), { content: 'A', ...rule })
  await place.leave(
    's2',
    'two',
    fact('five', 5),
    { content: 'likes tea', memoryType: 'preference', importance: 4 },
    fact('new 3', 3),
    { content: 'B', ...rule, importance: 5 },
    { content: 'C', ...rule, importance: 1 },
  )
  const { importantFacts, constraints } = (await place.start()).sessionContext
  expect(importantFacts.map(({ text }) => text)).toEqual(['five', 'likes tea', 'new 3', 'old 3'])
  expect(constraints.map(({ text }) => text)).toEqual(['B', 'A'])
})

// Requirement: 004-06
test('returns open tasks of this agent or without an owner; the newest record of each counts', async (t) => {
  const place = new Place(t)
  const task = (content: string, more: object = {}): Memory => ({
    content,
    memoryType: 'task',
    ...more,
  })
  await place.leave('s1', 'one', task('mine', { assignedTo: 'default' }), task('done later'))
  await place.leave(
    's2',
    'two',
    task('any', { assignedTo: 'any' }),
    task('of Ada', { assignedTo: 'ada' }),
  )
  await place.leave('s3', 'three', task('Done  Later', { status: 'done' }))
  const { sessionContext, otherOpenTaskCount } = await place.start()
  expect(sessionContext.activeTasks.map(({ text }) => text).sort()).toEqual(['any', 'mine'])
  expect(otherOpenTaskCount).toBe(1)
})

// Requirements: 004-04, 001-25
test('an earlier session is described by its summary, else its compaction, else its end', async (t) => {
  const place = new Place(t)
  const { root } = place
  const end = { trigger: 'session_end', digest: '## Session End Checkpoint' }
  saveShard(root, PROJECT, [checkpointLine({ number: 1, session: 'ended', more: end })])
  const compacted = await place.open('compacted')
  await compacted.compact({ summary: 'We greeted.', keepFrom: 'compacted-a' })
  await compacted.close()
  await place.session('silent')
  await place.leave('described', 'First words')
  await place.leave('described', 'Last words')
  await place.leave('own', 'Mine')
  const answer = await place.start({ sessionKey: 'own' })
  const { recentSessions } = answer.sessionContext
  expect(recentSessions.map(({ sessionId, text, from }) => [sessionId, text, from])).toEqual([
    ['described', 'Last words', 'session_summary'],
    ['compacted', 'We greeted.', 'compaction'],
    ['ended', '## Session End Checkpoint', 'session_end'],
  ])
  for (const { id, text } of recentSessions) expect(readItem(place.store, id).text).toBe(text)
})

// Requirements: T64, 004-16
test('texts are shortened to 120 characters, and readItem returns all of each', async (t) => {
  const place = new Place(t)
  const long = '💾'.repeat(121)
  const { id } = await place.leave('s1', long, fact(long), fact('x'.repeat(120)))
  const { recentSessions, importantFacts } = (await place.start()).sessionContext
  const clipped = `${'💾'.repeat(119)}…`
  expect(recentSessions[0]?.text).toBe(clipped)
  expect(importantFacts.map(({ text }) => text).sort()).toEqual(['x'.repeat(120), clipped].sort())
  for (const item of [recentSessions[0]!, importantFacts.find(({ text }) => text === clipped)!]) {
    expect(readItem(place.store, item.id)).toMatchObject({ text: long, sessionId: 's1' })
  }
  const whole = await place.start({ summaryOnly: false })
  expect(whole.sessionContext.recentSessions[0]?.text).toBe(long)
  await deleteCheckpoint(openContext({ root: place.root }), id, { reason: 'test' })
  for (const gone of [recentSessions[0]!.id, 'checkpoint:x:summary', 'nonsense', '%']) {
    expect(() => readItem(place.store, gone)).toThrow(/^No item/)
  }
})

// Requirements: T64, 004-17, E-04
test('the least important section is shortened first until the answer fits', async (t) => {
  const place = new Place(t)
  await place.session('other', { harness: 'codex', agentLabel: 'Ada' })
  await place.session('later')
  for (let index = 0; index < 3; index++) {
    const texts = ['fact', 'task', 'constraint'] as const
    const memories = texts.map((memoryType) => ({
      content: `${memoryType} ${index} ${'"'.repeat(80)}`,
      memoryType,
      importance: 5 - index,
    }))
    await place.leave(`s${index}`, `Summary ${index} ${'\u0001'.repeat(100)}`, ...memories)
  }
  const whole = await place.start({ sessionKey: 'new' })
  expect(Object.values(whole.trimmed).every((count) => count === 0)).toBe(true)
  const order = [
    'recentAgents',
    'changesSinceLastSession',
    'recentSessions',
    'importantFacts',
    'activeTasks',
    'constraints',
  ] as const
  const size = JSON.stringify(whole).length
  for (let maxResponseChars = size; maxResponseChars >= 1000; maxResponseChars -= 97) {
    const answer = await place.start({ sessionKey: 'new', maxResponseChars })
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(maxResponseChars)
    const { recentSessions, importantFacts, activeTasks, constraints } = answer.sessionContext
    const left = {
      recentAgents: answer.recentAgents.length,
      changesSinceLastSession: answer.changesSinceLastSession === undefined ? 0 : 1,
      recentSessions: recentSessions.length,
      importantFacts: importantFacts.length,
      activeTasks: activeTasks.length,
      constraints: constraints.length,
    }
    const touched = order.map((name) => answer.trimmed[name] > 0)
    const last = touched.lastIndexOf(true)
    // Whatever comes before the last that was touched is gone altogether.
    for (const name of order.slice(0, Math.max(0, last))) expect(left[name]).toBe(0)
    expect(importantFacts.map(({ importance }) => importance)).toEqual(
      [5, 4, 3].slice(0, importantFacts.length),
    )
  }
  await expect(place.start({ maxResponseChars: 999 })).rejects.toMatchObject({ code: 'ERR_ARG' })
})

// Requirements: C-28, 000-51
test('the budget of recovery is reserved first, and its text is the last to be cut', async (t) => {
  const place = new Place(t)
  const memories = Array.from({ length: 20 }, (_, index) =>
    fact(`fact ${index} ${'x'.repeat(100)}`),
  )
  await place.leave('old', `What was ${'.'.repeat(300)}`, ...memories)
  const start = (maxResponseChars: number) =>
    sessionStart(place.store, {
      project: PROJECT,
      maxResponseChars,
      budgetChars: 800,
      mode: 'deep',
    })
  const whole = await start(16_000)
  expect(whole.recovery).toMatchObject({
    matchedBy: 'project',
    text: expect.stringMatching(/^## Session Recovery/),
  })
  const size = JSON.stringify(whole).length
  // It would fit without the part that is reserved for recovery.
  const tight = await start(size + 10)
  expect(tight.recovery).toEqual(whole.recovery)
  expect(tight.trimmed).toMatchObject({ recovery: 0 })
  expect(tight.sessionContext.recentSessions).toEqual([])
  const tiny = await start(1000)
  expect(tiny.recovery?.text).toMatch(/^## Session Recovery Context/)
  expect(JSON.stringify(tiny).length).toBeLessThanOrEqual(1000)
})

test('the answer fits as JSON, however much escaping its texts need', async (t) => {
  const place = new Place(t)
  await place.leave('old', `\u0001${'\u0000'.repeat(5000)}`)
  const pendingMessages = () => Array.from({ length: 9 }, () => '"'.repeat(2000))
  const answer = await sessionStart(place.store, {
    project: PROJECT,
    maxResponseChars: 1000,
    pendingMessages,
  })
  expect(JSON.stringify(answer).length).toBeLessThanOrEqual(1000)
  expect(answer.trimmed).toMatchObject({ pendingMessages: 5 })
})

// Requirements: 004-10, 004-18
test('the first session of an agent is marked as such and has no changes', async (t) => {
  const place = new Place(t)
  const first = await place.start({ sessionKey: 'new' })
  expect(first).toMatchObject({ isFirstConnection: true, agentLabel: 'default' })
  expect(first).not.toHaveProperty('changesSinceLastSession')
  await place.session('old')
  const second = await place.start({ sessionKey: 'new' })
  expect(second).toMatchObject({ isFirstConnection: false })
})

// Requirements: 004-03, 004-09, 004-13
test('returns the label, other agents and the changes since the last session', async (t) => {
  const place = new Place(t)
  await place.session('mine', { agentLabel: 'Bob' })
  await (await place.open('hers', { agentLabel: 'Ada' })).release()
  await place.leave('hers', 'Ada was here')
  await place.session('new', { agentLabel: 'Bob' })
  const answer = await place.start({ sessionKey: 'new', previousSessionKey: 'mine' })
  expect(answer.agentLabel).toBe('Bob')
  expect(answer.recentAgents).toMatchObject([{ agentLabel: 'Ada', lastSummary: 'Ada was here' }])
  expect(answer.changesSinceLastSession).toMatchObject({
    sessions: [{ sessionId: 'hers', title: 'hello hers' }],
    checkpoints: 1,
  })
})

// Requirement: 004-12
test('returns the epoch of the context and at most five messages of the host', async (t) => {
  const place = new Place(t)
  const session = await place.open('s1')
  await session.compact({ summary: 'We greeted.', keepFrom: 's1-a' })
  await session.release()
  const pendingMessages = async () => ['1', '2', '3', '4', '5', '6']
  const answer = await place.start({ sessionKey: 's1', pendingMessages })
  expect(answer).toMatchObject({ contextEpoch: 1, pendingMessages: ['1', '2', '3', '4', '5'] })
})

test('without a project nothing of any project is returned', async (t) => {
  const place = new Place(t)
  await place.leave('s1', 'Words', fact('secret of another project'))
  const look = (options: SessionStartOptions) => place.start({ project: undefined, ...options })
  expect((await look({})).sessionContext.importantFacts).toEqual([])
  expect((await look({ scope: 'all' })).sessionContext.importantFacts).toHaveLength(1)
})

test('everything that is returned is redacted', async (t) => {
  const place = new Place(t)
  await place.session('s1', { agentLabel: 'Ada' })
  await place.leave('s1', 'hunter2', fact('hunter2'))
  const redact = (text: string) => text.replaceAll('hunter2', '[REDACTED]')
  const answer = await place.start({ redact, recovery: undefined, agentLabel: 'Bob' })
  expect(answer.recovery).not.toBeNull()
  expect(JSON.stringify(answer)).not.toContain('hunter2')
  const { id } = answer.sessionContext.importantFacts[0]!
  expect(readItem(place.store, id, { redact }).text).toBe('[REDACTED]')
})

// Requirements: 004-25, C-14
test('suggests a checkpoint after fifteen prompts without one in own words, where asked to', async (t) => {
  const place = new Place(t)
  const session = await place.open('long', { continuity: {} } as SessionFacts)
  const nudge = async (nudgeAfter?: number) =>
    (await place.start({ sessionKey: 'long', nudgeAfter })).nudge
  for (let prompts = 1; prompts < 15; prompts++) await session.prompt(`prompt ${prompts}`)
  expect(await nudge()).toBeUndefined()
  expect(await nudge(15)).toMatch(/^15 prompts since/)
  expect(await nudge(16)).toBeUndefined()
  await session.checkpoint({ digest: 'so far' })
  expect(await nudge(15)).toBeUndefined()
  await session.prompt('and on')
  expect(await nudge(1)).toMatch(/^1 prompt since/)
  await place.leave('long', 'from outside')
  expect(await nudge(1)).toBeUndefined()
  await session.prompt('and further')
  await session.prompt('and further still')
  expect(await nudge(3)).toBeUndefined()
  expect(await nudge(2)).toMatch(/^2 prompts since/)
  expect(checkpointNudge(place.store, 'unknown')).toBeUndefined()
  expect(() => checkpointNudge(place.store, 'long', { after: 0 })).toThrow(
    'nudgeAfter must be 1 or more',
  )
  await session.close()
})

// Requirements: 001-05, 001-10, 004-02
test('a session start is one typed answer and writes nothing', async (t) => {
  const place = new Place(t)
  await place.session('before')
  const answer: StartAnswer = await place.start({
    harness: 'demo',
    agentLabel: 'Ada',
    sessionKey: 'now',
    previousSessionKey: 'before',
    project: PROJECT,
  })
  expect(Object.keys(answer)).toEqual([
    'agentLabel',
    'sessionContext',
    'recovery',
    'recentAgents',
    'isFirstConnection',
    'changesSinceLastSession',
    'pendingMessages',
    'otherOpenTaskCount',
    'trimmed',
    'contextEpoch',
  ])
  expect(existsSync(place.store.layout.transcriptPath('now'))).toBe(false)
})
