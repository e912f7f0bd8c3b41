import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import {
  append_transcript,
  bypassSession,
  createSession,
  verifyLog,
} from '../../../lib/free-functions.js'

import {
  claimSession,
  findClaimedSession,
  isBypassed,
  listActiveSessions,
  openContext,
  readSessionState,
  releaseClaim,
  setBypass,
} from '../../../lib/store/index.js'
import { eventsIn } from '../../cli/stored.js'
import { CLAIM, Clock, HOUR, MINUTE } from '../../helpers/clock.js'
import { temporaryFolder } from '../../helpers/temporary.js'

function newStore(t: Pick<TestContext, 'onTestFinished'>) {
  const clock = new Clock()
  const root = temporaryFolder(t)
  return { clock, root, options: { root, environment: clock.environment } }
}

/** A session that no process has open. */
async function store(id: string, options: ReturnType<typeof newStore>['options']): Promise<string> {
  const session = await createSession({ ...options, id })
  await session.append({ type: 'user', payload: { content: 'hi' } })
  await session.release()
  return session.path
}

const keysOf = ({ sessions }: ReturnType<typeof listActiveSessions>) =>
  sessions.map(({ sessionId }) => sessionId)

describe('the active sessions', () => {
  // Requirements: 001-63, 001-66, 001-68
  it('are the claimed and the recently written ones, newest first', async (t) => {
    const { clock, options } = newStore(t)
    const startedAt = clock.iso()
    await store('written', options)
    clock.pass(1000)
    await claimSession(openContext(options), 'claimed', { runtimePath: 'plugin' })
    expect(listActiveSessions(openContext(options))).toEqual({
      sessions: [
        {
          sessionId: 'claimed',
          runtimePath: 'plugin',
          claimedAt: clock.iso(),
          expiresAt: clock.iso(CLAIM),
          bypassed: false,
        },
        {
          sessionId: 'written',
          runtimePath: 'unknown',
          claimedAt: startedAt,
          expiresAt: null,
          bypassed: false,
        },
      ],
      count: 2,
    })
  })

  it('list a session once that is both claimed and written to', async (t) => {
    const { clock, options } = newStore(t)
    await claimSession(openContext(options), 'session:demo', { runtimePath: 'plugin' })
    clock.pass(1000)
    await store('demo', options)
    expect(listActiveSessions(openContext(options))).toMatchObject({
      sessions: [{ sessionId: 'demo', runtimePath: 'plugin' }],
      count: 1,
    })
  })

  it('exclude sessions that ended, were released or had no event for four hours', async (t) => {
    const { clock, options } = newStore(t)
    await store('silent', options)
    await claimSession(openContext(options), 'expired', { runtimePath: 'plugin' })
    clock.pass(4 * HOUR - 1)
    expect(keysOf(listActiveSessions(openContext(options)))).toEqual(['expired', 'silent'])
    clock.pass(20 * MINUTE)
    expect(keysOf(listActiveSessions(openContext(options)))).toEqual(['expired'])
    clock.pass(1)
    await (await createSession({ ...options, id: 'closed' })).close()
    await claimSession(openContext(options), 'released', { runtimePath: 'plugin' })
    await releaseClaim(openContext(options), 'released')
    expect(listActiveSessions(openContext(options))).toEqual({ sessions: [], count: 0 })
  })

  it('include sessions without messages, and open ones of any age', async (t) => {
    const { clock, options } = newStore(t)
    await (await createSession({ ...options, id: 'empty' })).release()
    const open = await createSession({ ...options, id: 'open' })
    t.onTestFinished(() => open.release())
    expect(keysOf(listActiveSessions(openContext(options)))).toEqual(['empty', 'open'])
    clock.pass(9 * HOUR)
    expect(listActiveSessions(openContext(options))).toMatchObject({
      sessions: [{ sessionId: 'open', runtimePath: 'library', expiresAt: null }],
    })
  })

  // Requirement: 001-67
  it('are those of one agent', async (t) => {
    const { options } = newStore(t)
    await store('mine', options)
    await store('theirs', { ...options, agent: 'other' } as typeof options)
    expect(keysOf(listActiveSessions(openContext(options)))).toEqual(['mine'])
    expect(keysOf(listActiveSessions(openContext({ ...options, agent: 'other' })))).toEqual([
      'theirs',
    ])
  })

  // Requirement: 001-70
  it('can be looked up by either form of a key; an unknown key throws ERR_NOT_FOUND', async (t) => {
    const { clock, options } = newStore(t)
    await store('demo-1', options)
    for (const key of ['demo-1', 'session:demo-1', ' demo-1']) {
      expect(readSessionState(openContext(options), key)).toMatchObject({
        sessionId: 'demo-1',
        active: true,
      })
    }
    clock.pass(5 * HOUR)
    expect(readSessionState(openContext(options), 'demo-1')).toMatchObject({ active: false })
    expect(() => readSessionState(openContext(options), 'missing')).toThrow(
      expect.objectContaining({ code: 'ERR_NOT_FOUND' }),
    )
  })
})

describe('a bypass', () => {
  // Requirement: 001-80
  it('requires a session that is claimed or has a transcript', async (t) => {
    const { options } = newStore(t)
    await expect(setBypass(openContext(options), 'missing', true)).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
    })
    await claimSession(openContext(options), 'claimed', { runtimePath: 'plugin' })
    await store('written', options)
    expect(await setBypass(openContext(options), 'session:claimed', true)).toMatchObject({
      bypassed: true,
    })
    expect(await setBypass(openContext(options), 'written', true)).toMatchObject({
      sessionId: 'written',
    })
    expect(
      listActiveSessions(openContext(options)).sessions.map(({ bypassed }) => bypassed),
    ).toEqual([true, true])
    expect(await setBypass(openContext(options), 'written', false)).toMatchObject({
      bypassed: false,
    })
    expect(isBypassed(openContext(options), 'written')).toBe(false)
  })

  // Requirement: 001-80
  it.for([undefined, null, 1, 'true', {}])('takes no %o for a boolean', async (value, t) => {
    const { root, options } = newStore(t)
    await store('demo', options)
    await expect(setBypass(openContext(options), 'demo', value as never)).rejects.toThrow(TypeError)
    expect(existsSync(join(root, '.claims'))).toBe(false)
  })

  it('ends after four hours', async (t) => {
    const { clock, options } = newStore(t)
    await store('demo', options)
    await setBypass(openContext(options), 'demo', true)
    clock.pass(4 * HOUR - 1)
    expect(isBypassed(openContext(options), 'demo')).toBe(true)
    clock.pass(1)
    expect(isBypassed(openContext(options), 'demo')).toBe(false)
  })

  it('survives the renewal of a claim, and ends with its release', async (t) => {
    const { clock, options } = newStore(t)
    const plugin = { ...options, runtimePath: 'plugin' }
    await claimSession(openContext(plugin), 'demo', plugin)
    await setBypass(openContext(options), 'demo', true)
    clock.pass(HOUR)
    expect(await claimSession(openContext(plugin), 'demo', plugin)).toMatchObject({
      bypassed: true,
    })
    clock.pass(HOUR)
    expect(await claimSession(openContext(plugin), 'demo', plugin)).toMatchObject({
      bypassed: true,
    })
    expect(await releaseClaim(openContext(plugin), 'demo', plugin)).toMatchObject({
      released: true,
      bypassed: false,
    })
    expect(isBypassed(openContext(options), 'demo')).toBe(false)
  })

  it('ends with the session, and can be set again before a resume', async (t) => {
    const { clock, options } = newStore(t)
    const session = await createSession({ ...options, id: 'demo' })
    await setBypass(openContext(options), 'demo', true)
    clock.pass(1000)
    await session.close()
    expect(isBypassed(openContext(options), 'demo')).toBe(false)
    clock.pass(1000)
    await setBypass(openContext(options), 'demo', true)
    expect(isBypassed(openContext(options), 'demo')).toBe(true)
  })

  it('records each switch once in the transcript, and stores no permission', async (t) => {
    const { root, options } = newStore(t)
    const path = await store('demo', options)
    for (const enabled of [true, true, false, false]) {
      expect(await bypassSession('demo', enabled, options)).toEqual({
        sessionId: 'demo',
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

  it('is spooled for a process that has the session open, which continues recording', async (t) => {
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

  it('of a session that is only claimed creates no transcript', async (t) => {
    const { root, options } = newStore(t)
    await claimSession(openContext(options), 'demo', { runtimePath: 'plugin' })
    await bypassSession('demo', true, options)
    expect(existsSync(join(root, '.transcripts'))).toBe(false)
  })

  it('does not stop an append by the library', async (t) => {
    const { options } = newStore(t)
    await store('demo', options)
    await setBypass(openContext(options), 'demo', true)
    const event = { type: 'user', payload: { content: 'by hand' } }
    expect(await append_transcript({ session_id: 'demo', event }, options)).toHaveProperty('uuid')
  })
})

describe('the session of a process', () => {
  it('is the one it claimed last, never that of another process', async (t) => {
    const { clock, options } = newStore(t)
    const mine = { pid: 41, start: 'a', boot: null, ns: null, host: 'here' }
    const claim = async (key: string, owner: typeof mine) => {
      await claimSession(openContext(options), key, { runtimePath: 'plugin', owner })
      clock.pass(1000)
    }
    expect(findClaimedSession(openContext(options), mine)).toBeUndefined()
    await claim('first', mine)
    await claim('second', mine)
    await claim('other-start', { ...mine, start: 'b' })
    await claim('other-host', { ...mine, host: 'there' })
    await claim('other-process', { ...mine, pid: 42 })
    expect(findClaimedSession(openContext(options), mine)).toBe('second')
    await releaseClaim(openContext(options), 'second', { runtimePath: 'plugin' })
    expect(findClaimedSession(openContext(options), mine)).toBe('first')
    clock.pass(24 * HOUR)
    expect(findClaimedSession(openContext(options), mine)).toBeUndefined()
  })
})
