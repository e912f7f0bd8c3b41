// Sessions that the released Codex wrote (fixtures/real/codex): in several files, with subagents and names.

import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import { importSession, listSessions, resumeSession } from '../../../lib/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const FIXTURES = join(import.meta.dirname, '../../../fixtures/real/codex')

/** A copy of a recorded HOME, its rollouts from the oldest on, and a store. */
function setUp(t: TestContext, scenario: string) {
  const folder = temporaryFolder(t)
  cpSync(join(FIXTURES, scenario, 'source'), folder, { recursive: true })
  const sessions = join(folder, '.codex', 'sessions')
  const rollouts = readdirSync(sessions, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(sessions, name))
  const store = { root: join(folder, 'store'), home: folder }
  const load = (path: string) => importSession(path, store)
  const shown = async (id: string) =>
    (await resumeSession({ ...store, id, mode: 'inspect' })).messages.map(({ uuid }) => uuid)
  return { folder, rollouts, store, load, shown }
}

describe('a session whose turns were taken back', () => {
  it('is the same from each of its files, and from all of them in any order', async (t) => {
    const whole = setUp(t, 'backtrack-twice')
    expect(whole.rollouts).toHaveLength(3)
    const [first] = whole.rollouts
    const { sessionId, files } = await whole.load(first!)
    expect(files).toEqual(whole.rollouts)
    const expected = await whole.shown(sessionId!)
    for (const path of whole.rollouts.toReversed()) {
      expect((await whole.load(path)).skipped).toMatchObject({ reason: 'unchanged' })
      const other = setUp(t, 'backtrack-twice')
      await other.load(join(other.folder, path.slice(whole.folder.length)))
      expect(await other.shown(sessionId!)).toEqual(expected)
    }
  })

  it('continues in files that appear later, and in one whose beginning is gone', async (t) => {
    const whole = setUp(t, 'backtrack-twice')
    const { sessionId } = await whole.load(whole.rollouts[0]!)
    const expected = await whole.shown(sessionId!)
    const { folder, rollouts, load, shown } = setUp(t, 'backtrack-twice')
    const kept = join(folder, 'kept')
    cpSync(join(folder, '.codex'), kept, { recursive: true })
    for (const path of rollouts.slice(1)) rmSync(path)
    await load(rollouts[0]!)
    expect(await shown(sessionId!)).not.toEqual(expected)
    cpSync(kept, join(folder, '.codex'), { recursive: true })
    rmSync(rollouts[0]!)
    expect((await load(rollouts[2]!)).skipped).toBeNull()
    expect(await shown(sessionId!)).toEqual(expected)
  })
})

describe('a fork', () => {
  it('has the turns of its source, and reports when they are missing', async (t) => {
    const { rollouts, load, shown } = setUp(t, 'fork-of-fork')
    const last = rollouts.at(-1)!
    const { sessionId, files, repaired } = await load(last)
    expect(files).toHaveLength(3)
    expect(repaired).toEqual({})
    const texts = await shown(sessionId!)
    const other = setUp(t, 'fork-of-fork')
    rmSync(other.rollouts[0]!)
    const report = await other.load(other.rollouts.at(-1)!)
    expect(report.repaired).toEqual({ base_missing: 1 })
    expect((await other.shown(sessionId!)).length).toBeLessThan(texts.length)
  })
})

describe('a subagent', () => {
  it('is a sidechain of its session, and not a session', async (t) => {
    for (const scenario of ['subagent', 'subagent-waited']) {
      const { rollouts, load, store } = setUp(t, scenario)
      const [parent, child] = rollouts
      const { sidechains, sessionId } = await load(parent!)
      expect(sidechains).toMatchObject([{ path: child, sessionId, skipped: null }])
      expect((await load(child!)).skipped).toMatchObject({ reason: 'unchanged' })
      expect(listSessions({ ...store, all: true }).sessions).toHaveLength(1)
    }
  })

  it('whose file is gone leaves its call', async (t) => {
    const { rollouts, load } = setUp(t, 'subagent')
    rmSync(rollouts[1]!)
    expect((await load(rollouts[0]!)).sidechains).toEqual([])
  })
})

describe('the title', () => {
  it('is the first prompt, or the name that the user gave', async (t) => {
    const titleOf = async (scenario: string) => {
      const { rollouts, load, store } = setUp(t, scenario)
      await load(rollouts[0]!)
      const [session] = listSessions({ ...store, all: true }).sessions
      return session?.title
    }
    expect(await titleOf('tools')).toBe('one TOOL echo hello')
    expect(await titleOf('rename')).toBe('a good name')
  })
})
