import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import { append_transcript, bypassSession, createSession } from '../../lib/session/index.js'
import {
  claimSession,
  findSessionOf,
  isBypassed,
  listActiveSessions,
  readSessionState,
  releaseClaim,
  setBypass,
} from '../../lib/store/index.js'
import { verifyLog } from '../../lib/store/verify.js'
import { eventsIn } from '../cli/stored.js'
import { Clock, HOUR } from '../helpers/clock.js'
import { temporaryFolder } from '../helpers/temporary.js'

function newStore(t: Pick<TestContext, 'onTestFinished'>) {
  const clock = new Clock()
  const root = temporaryFolder(t)
  return { clock, root, options: { root, environment: clock.environment } }
}

/** A session that nobody has open. */
async function store(id: string, options: ReturnType<typeof newStore>['options']): Promise<string> {
  const session = await createSession({ ...options, id })
  await session.append({ type: 'user', payload: { content: 'hi' } })
  await session.release()
  return session.path
}

const keysOf = ({ sessions }: ReturnType<typeof listActiveSessions>) =>
  sessions.map(({ key }) => key)

describe('the active sessions', () => {
  it('are those claimed and those lately written to, newest first (001-63, 001-66, 001-68)', async (t) => {
    const { clock, options } = newStore(t)
    const startedAt = clock.iso()
    await store('written', options)
    clock.pass(1000)
    await claimSession('claimed', { ...options, runtimePath: 'plugin' })
    expect(listActiveSessions(options)).toEqual({
      sessions: [
        {
          key: 'claimed',
          runtimePath: 'plugin',
          claimedAt: clock.iso(),
          expiresAt: clock.iso(4 * HOUR),
          bypassed: false,
        },
        {
          key: 'written',
          runtimePath: 'unknown',
          claimedAt: startedAt,
          expiresAt: null,
          bypassed: false,
        },
      ],
      count: 2,
    })
  })

  it('do not name a session twice that is claimed and written to', async (t) => {
    const { clock, options } = newStore(t)
    await claimSession('session:demo', { ...options, runtimePath: 'plugin' })
    clock.pass(1000)
    await store('demo', options)
    expect(listActiveSessions(options)).toMatchObject({
      sessions: [{ key: 'demo', runtimePath: 'plugin' }],
      count: 1,
    })
  })

  it('leave out what ended, what was released and what is silent for four hours', async (t) => {
    const { clock, options } = newStore(t)
    await store('silent', options)
    await claimSession('expired', { ...options, runtimePath: 'plugin' })
    clock.pass(4 * HOUR - 1)
    expect(keysOf(listActiveSessions(options))).toEqual(['expired', 'silent'])
    clock.pass(1)
    await (await createSession({ ...options, id: 'closed' })).close()
    await claimSession('released', { ...options, runtimePath: 'plugin' })
    await releaseClaim('released', options)
    expect(listActiveSessions(options)).toEqual({ sessions: [], count: 0 })
  })

  it('include a session that nobody spoke in yet, and one that is open however long', async (t) => {
    const { clock, options } = newStore(t)
    await (await createSession({ ...options, id: 'empty' })).release()
    const open = await createSession({ ...options, id: 'open' })
    t.onTestFinished(() => open.release())
    expect(keysOf(listActiveSessions(options))).toEqual(['empty', 'open'])
    clock.pass(9 * HOUR)
    expect(listActiveSessions(options)).toMatchObject({
      sessions: [{ key: 'open', runtimePath: 'library', expiresAt: null }],
    })
  })

  it('are those of one agent (001-67)', async (t) => {
    const { options } = newStore(t)
    await store('mine', options)
    await store('theirs', { ...options, agent: 'other' } as typeof options)
    expect(keysOf(listActiveSessions(options))).toEqual(['mine'])
    expect(keysOf(listActiveSessions({ ...options, agent: 'other' }))).toEqual(['theirs'])
  })

  it('can be asked for one by one, by either form of a key; an unknown one is ERR_NOT_FOUND (001-70)', async (t) => {
    const { clock, options } = newStore(t)
    await store('demo-1', options)
    for (const key of ['demo-1', 'session:demo-1', 'demo']) {
      expect(readSessionState(key, options)).toMatchObject({ key: 'demo-1', isActive: true })
    }
    clock.pass(5 * HOUR)
    expect(readSessionState('demo-1', options)).toMatchObject({ isActive: false })
    expect(() => readSessionState('nobody', options)).toThrow(
      expect.objectContaining({ code: 'ERR_NOT_FOUND' }),
    )
  })
})

describe('a bypass', () => {
  it('is for a known session only, and known is what is claimed or has a transcript (001-80)', async (t) => {
    const { options } = newStore(t)
    await expect(setBypass('nobody', true, options)).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
    })
    await claimSession('claimed', { ...options, runtimePath: 'plugin' })
    await store('written', options)
    expect(await setBypass('session:claimed', true, options)).toMatchObject({ bypassed: true })
    expect(await setBypass('written', true, options)).toMatchObject({ key: 'written' })
    expect(listActiveSessions(options).sessions.map(({ bypassed }) => bypassed)).toEqual([
      true,
      true,
    ])
    expect(await setBypass('written', false, options)).toMatchObject({ bypassed: false })
    expect(isBypassed('written', options)).toBe(false)
  })

  it.for([undefined, null, 1, 'true', {}])(
    'takes no %o for a boolean (001-80)',
    async (value, t) => {
      const { root, options } = newStore(t)
      await store('demo', options)
      await expect(setBypass('demo', value as never, options)).rejects.toThrow(TypeError)
      expect(existsSync(join(root, '.claims'))).toBe(false)
    },
  )

  it('ends after four hours', async (t) => {
    const { clock, options } = newStore(t)
    await store('demo', options)
    await setBypass('demo', true, options)
    clock.pass(4 * HOUR - 1)
    expect(isBypassed('demo', options)).toBe(true)
    clock.pass(1)
    expect(isBypassed('demo', options)).toBe(false)
  })

  it('outlasts the renewals of a claim, and ends with its release', async (t) => {
    const { clock, options } = newStore(t)
    const plugin = { ...options, runtimePath: 'plugin' }
    await claimSession('demo', plugin)
    await setBypass('demo', true, options)
    clock.pass(HOUR)
    expect(await claimSession('demo', plugin)).toMatchObject({ bypassed: true })
    clock.pass(HOUR)
    expect(await claimSession('demo', plugin)).toMatchObject({ bypassed: true })
    expect(await releaseClaim('demo', plugin)).toMatchObject({ released: true, bypassed: false })
    expect(isBypassed('demo', options)).toBe(false)
  })

  it('ends with the session, and may be set again for one that is to be continued', async (t) => {
    const { clock, options } = newStore(t)
    const session = await createSession({ ...options, id: 'demo' })
    await setBypass('demo', true, options)
    clock.pass(1000)
    await session.close()
    expect(isBypassed('demo', options)).toBe(false)
    clock.pass(1000)
    await setBypass('demo', true, options)
    expect(isBypassed('demo', options)).toBe(true)
  })

  it('marks its gap in the transcript, once for each switch, and stores no permission', async (t) => {
    const { root, options } = newStore(t)
    const path = await store('demo', options)
    for (const enabled of [true, true, false, false]) {
      expect(await bypassSession('demo', enabled, options)).toEqual({
        key: 'demo',
        bypassed: enabled,
        queued: false,
      })
    }
    const marks = eventsIn(path).filter(({ type }) => type === 'session_meta')
    expect(marks.map(({ payload }) => payload)).toEqual([{ bypassed: true }, { bypassed: false }])
    expect((await verifyLog(path)).findings).toEqual([])
    const claims = readFileSync(join(root, '.claims', 'demo.jsonl'), 'utf8')
    expect(`${claims}${readFileSync(path, 'utf8')}`).not.toMatch(/permission|approv|trust/i)
  })

  it('waits with its mark for a process that has the session open, which goes on recording', async (t) => {
    const { options } = newStore(t)
    const session = await createSession({ ...options, id: 'demo' })
    expect(await bypassSession('demo', true, options)).toMatchObject({ queued: true })
    await session.append({ type: 'user', payload: { content: 'recorded all the same' } })
    await session.close()
    expect(eventsIn(session.path).map(({ type }) => type)).toEqual([
      'session_header',
      'user',
      'session_meta',
      'checkpoint_ref',
      'session_terminator',
    ])
  })

  it('of a session that is only claimed makes no transcript', async (t) => {
    const { root, options } = newStore(t)
    await claimSession('demo', { ...options, runtimePath: 'plugin' })
    await bypassSession('demo', true, options)
    expect(existsSync(join(root, '.transcripts'))).toBe(false)
  })

  it('does not stop an append by the library', async (t) => {
    const { options } = newStore(t)
    await store('demo', options)
    await setBypass('demo', true, options)
    const event = { type: 'user', payload: { content: 'by hand' } }
    expect(await append_transcript({ session_id: 'demo', event }, options)).toHaveProperty('uuid')
  })
})

describe('the session of a process', () => {
  it('is the one it spoke for last, and nobody else’s', async (t) => {
    const { clock, options } = newStore(t)
    const mine = { pid: 41, start: 'a', boot: null, ns: null, host: 'here' }
    const claim = async (key: string, owner: typeof mine) => {
      await claimSession(key, { ...options, runtimePath: 'plugin', owner })
      clock.pass(1000)
    }
    expect(findSessionOf(mine, options)).toBeUndefined()
    await claim('first', mine)
    await claim('second', mine)
    await claim('other-start', { ...mine, start: 'b' })
    await claim('other-host', { ...mine, host: 'there' })
    await claim('other-process', { ...mine, pid: 42 })
    expect(findSessionOf(mine, options)).toBe('second')
    await releaseClaim('second', { ...options, runtimePath: 'plugin' })
    expect(findSessionOf(mine, options)).toBe('first')
    clock.pass(24 * HOUR)
    expect(findSessionOf(mine, options)).toBeUndefined()
  })
})
