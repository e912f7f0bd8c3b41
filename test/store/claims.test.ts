import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, type TestContext } from 'vitest'
import { lineSchemaOf } from '../../lib/format/schemas.js'
import { appendOnce, ownIdentity, parentIdentity } from '../../lib/log/index.js'
import { append_transcript, createSession } from '../../lib/session/index.js'
import {
  claimSession,
  isSessionLive,
  readClaim,
  releaseClaim,
  renewClaim,
} from '../../lib/store/index.js'
import { Clock, HOUR, MINUTE } from '../helpers/clock.js'
import { temporaryFolder } from '../helpers/temporary.js'

const isLinux = process.platform === 'linux'

function newStore(t: Pick<TestContext, 'onTestFinished'>) {
  const clock = new Clock()
  const root = temporaryFolder(t)
  return { clock, root, options: { root, environment: clock.environment } }
}

/** A process that was there and is not any more. */
async function deadIdentity() {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'close')
  return { ...ownIdentity(), pid: child.pid!, start: '1' }
}

const linesOf = (root: string, name = 'demo') =>
  readFileSync(join(root, '.claims', `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; payload: Record<string, unknown> })

describe('a claim', () => {
  it('names the runtime path that speaks for a session, for four hours (001-01, 001-69)', async (t) => {
    const { clock, root, options } = newStore(t)
    const claim = await claimSession('demo', { ...options, runtimePath: 'plugin' })
    expect(claim).toEqual({
      key: 'demo',
      runtimePath: 'plugin',
      claimedAt: clock.iso(),
      expiresAt: clock.iso(4 * HOUR),
      bypassed: false,
    })
    expect(readClaim('session:demo', options)).toEqual(claim)
    const [line] = linesOf(root)
    expect(lineSchemaOf('claim')?.safeParse(line).error).toBeUndefined()
    expect(line?.payload).toMatchObject({ session_id: 'demo', pid: process.pid })
  })

  it('of another path is ERR_CLAIMED while it lasts, and says whose it is (001-02)', async (t) => {
    const { clock, options } = newStore(t)
    await claimSession('demo', { ...options, runtimePath: 'plugin' })
    clock.pass(4 * HOUR - 1)
    await expect(claimSession('demo', { ...options, runtimePath: 'legacy' })).rejects.toMatchObject(
      {
        code: 'ERR_CLAIMED',
        details: { session: 'demo', claimedBy: 'plugin', pid: process.pid },
      },
    )
    clock.pass(1)
    const taken = await claimSession('demo', { ...options, runtimePath: 'legacy' })
    expect(taken).toMatchObject({ runtimePath: 'legacy', claimedAt: clock.iso() })
  })

  it('of another path is told to automatic callers in the usual shape (001-32)', async (t) => {
    const { clock, root, options } = newStore(t)
    await claimSession('demo', { ...options, runtimePath: 'plugin' })
    const automatic = { ...options, runtimePath: 'legacy', isAutomatic: true }
    const skipped = { skipped: true, duplicateRuntimePath: true, claimedBy: 'plugin' }
    const shape = { key: 'demo', runtimePath: 'plugin', expiresAt: clock.iso(4 * HOUR) }
    expect(await claimSession('demo', automatic)).toMatchObject({ ...shape, ...skipped })
    expect(await renewClaim('demo', automatic)).toMatchObject({ ...shape, ...skipped })
    expect(await releaseClaim('demo', automatic)).toMatchObject({
      ...shape,
      ...skipped,
      released: false,
    })
    expect(linesOf(root)).toHaveLength(1)
  })

  it('slides with every call of its path, at most a minute behind (001-69)', async (t) => {
    const { clock, root, options } = newStore(t)
    const plugin = { ...options, runtimePath: 'plugin' }
    const claimedAt = clock.iso()
    await claimSession('demo', plugin)
    clock.pass(MINUTE - 1)
    await claimSession('demo', plugin)
    expect(linesOf(root)).toHaveLength(1)
    clock.pass(3 * HOUR)
    expect(await claimSession('demo', plugin)).toMatchObject({
      claimedAt,
      expiresAt: clock.iso(4 * HOUR),
    })
    clock.pass(3 * HOUR)
    expect(await renewClaim('demo', plugin)).toMatchObject({
      claimedAt,
      expiresAt: clock.iso(4 * HOUR),
    })
    expect(linesOf(root).map(({ type }) => type)).toEqual([
      'claim',
      'claim_renewal',
      'claim_renewal',
    ])
  })

  it('is checked by nobody who does not say which path it takes', async (t) => {
    const { root, options } = newStore(t)
    await claimSession('demo', { ...options, runtimePath: 'plugin' })
    expect(await claimSession('demo', options)).toMatchObject({ runtimePath: 'plugin' })
    expect(await claimSession('other', options)).toEqual({
      key: 'other',
      runtimePath: 'unknown',
      claimedAt: null,
      expiresAt: null,
      bypassed: false,
    })
    expect(linesOf(root)).toHaveLength(1)
  })

  it('of a process that is gone is taken over at once', async (t) => {
    const { options } = newStore(t)
    const owner = await deadIdentity()
    await claimSession('demo', { ...options, runtimePath: 'plugin', owner })
    expect(await claimSession('demo', { ...options, runtimePath: 'legacy' })).toMatchObject({
      runtimePath: 'legacy',
    })
  })

  it('of a process on another host is respected until it expires', async (t) => {
    const { options } = newStore(t)
    const owner = { ...(await deadIdentity()), host: 'elsewhere' }
    await claimSession('demo', { ...options, runtimePath: 'plugin', owner })
    await expect(claimSession('demo', { ...options, runtimePath: 'legacy' })).rejects.toMatchObject(
      { code: 'ERR_CLAIMED' },
    )
    expect(isSessionLive('demo', options)).toBe(false)
  })

  it('that is renewed keeps who stands behind it', async (t) => {
    const { clock, root, options } = newStore(t)
    const owner = { ...ownIdentity(), pid: process.ppid, start: null }
    await claimSession('demo', { ...options, runtimePath: 'plugin', owner })
    clock.pass(HOUR)
    await renewClaim('demo', { ...options, runtimePath: 'plugin' })
    expect(linesOf(root).map(({ payload }) => payload['pid'])).toEqual([owner.pid, owner.pid])
    clock.pass(5 * HOUR)
    await renewClaim('demo', { ...options, runtimePath: 'plugin' })
    expect(linesOf(root)).toHaveLength(2)
  })

  it('ends with the session, and the next path may have it', async (t) => {
    const { options } = newStore(t)
    const plugin = { ...options, runtimePath: 'plugin' }
    await claimSession('demo', plugin)
    expect(await releaseClaim('demo', plugin)).toEqual({
      key: 'demo',
      runtimePath: 'unknown',
      claimedAt: null,
      expiresAt: null,
      bypassed: false,
      released: true,
    })
    expect(await releaseClaim('demo', plugin)).toMatchObject({ released: false })
    await claimSession('demo', { ...options, runtimePath: 'legacy' })
    await expect(releaseClaim('demo', plugin)).rejects.toMatchObject({ code: 'ERR_CLAIMED' })
  })

  it.for(['', 'two words', 'a'.repeat(65), '../up'])(
    'takes no "%s" for a runtime path',
    async (runtimePath, t) => {
      const { options } = newStore(t)
      await expect(claimSession('demo', { ...options, runtimePath })).rejects.toMatchObject({
        code: 'ERR_ARG',
      })
      const wrong = { ...options, runtimePath: 7 as never }
      await expect(claimSession('demo', wrong)).rejects.toThrow(TypeError)
    },
  )

  it('has a channel of its own: neither takes the lines of the other', async (t) => {
    const { root } = newStore(t)
    const wrong = { code: 'ERR_WRONG_CHANNEL' }
    for (const [type, channel] of [
      ['user', 'claim'],
      ['made_up', 'claim'],
      ['claim_bypass', 'transcript'],
    ] as const) {
      const written = appendOnce(join(root, 'log.jsonl'), [{ type, payload: {} as never }], {
        channel,
      })
      await expect(written).rejects.toMatchObject(wrong)
    }
  })

  it('survives damage in its file: the last whole line counts', async (t) => {
    const { root, options } = newStore(t)
    const claim = await claimSession('demo', { ...options, runtimePath: 'plugin' })
    appendFileSync(join(root, '.claims', 'demo.jsonl'), '{"type":"claim","ts":"20')
    expect(readClaim('demo', options)).toEqual(claim)
    await releaseClaim('demo', { ...options, runtimePath: 'plugin' })
    expect(readClaim('demo', options)).toMatchObject({ runtimePath: 'unknown' })
  })
})

describe('the end of a session', () => {
  it('that is told twice within half an hour is a duplicate', async (t) => {
    const { clock, options } = newStore(t)
    const session = await createSession({ ...options, id: 'demo' })
    await session.append({ type: 'user', payload: { content: 'hi' } })
    await session.release()
    expect(await releaseClaim('demo', options)).not.toHaveProperty('duplicateSessionEnd')
    const payload = { end_ts: clock.iso(), reason: 'exit', last_uuid: null, events: null, bytes: 0 }
    await append_transcript(
      { session_id: 'demo', event: { type: 'session_terminator', payload } },
      options,
    )
    clock.pass(30 * MINUTE - 1)
    expect(await releaseClaim('demo', options)).toMatchObject({ duplicateSessionEnd: true })
    clock.pass(1)
    expect(await releaseClaim('demo', options)).not.toHaveProperty('duplicateSessionEnd')
  })

  it('is none any more when the session went on', async (t) => {
    const { options } = newStore(t)
    const session = await createSession({ ...options, id: 'demo' })
    await session.close()
    expect(await releaseClaim('demo', options)).toMatchObject({ duplicateSessionEnd: true })
    await append_transcript(
      { session_id: 'demo', event: { type: 'user', payload: { content: 'again' } } },
      options,
    )
    expect(await releaseClaim('demo', options)).not.toHaveProperty('duplicateSessionEnd')
  })
})

describe('a session', () => {
  it('is live while a living process claims it, or has it open', async (t) => {
    const { options } = newStore(t)
    expect(isSessionLive('demo', options)).toBe(false)
    await claimSession('demo', { ...options, runtimePath: 'plugin' })
    expect(isSessionLive('demo', options)).toBe(true)
    await releaseClaim('demo', options)
    expect(isSessionLive('demo', options)).toBe(false)
    const session = await createSession({ ...options, id: 'demo' })
    expect(isSessionLive('demo', options)).toBe(true)
    await session.release()
    expect(isSessionLive('demo', options)).toBe(false)
  })

  it('is not live when its claim expired or its process is gone', async (t) => {
    const { clock, options } = newStore(t)
    await claimSession('demo', { ...options, runtimePath: 'plugin' })
    clock.pass(4 * HOUR)
    expect(isSessionLive('demo', options)).toBe(false)
    await claimSession('dead', { ...options, runtimePath: 'a', owner: await deadIdentity() })
    expect(isSessionLive('dead', options)).toBe(false)
  })

  it('of one agent is claimed apart from that of another (001-06, 001-41)', async (t) => {
    const { root, options } = newStore(t)
    await claimSession('demo', { ...options, runtimePath: 'plugin' })
    const other = { ...options, agent: 'Nic' }
    expect(await claimSession('demo', { ...other, runtimePath: 'legacy' })).toMatchObject({
      runtimePath: 'legacy',
    })
    expect(readClaim('demo', options).runtimePath).toBe('plugin')
    expect(linesOf(join(root, 'agents', '%4Eic'))).toHaveLength(1)
  })
})

const CLAIMER = fileURLToPath(new URL('children/claimer.mjs', import.meta.url))
const HOOK = fileURLToPath(new URL('children/hook.mjs', import.meta.url))

async function startClaimer(
  t: Pick<TestContext, 'onTestFinished'>,
  root: string,
  path: string,
): Promise<ChildProcess> {
  const child = fork(CLAIMER, [root, path])
  t.onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

async function claimIn(child: ChildProcess, session: string): Promise<{ code?: string }> {
  const answer = once(child, 'message')
  child.send({ session })
  const [message] = (await answer) as [{ code?: string }]
  return message
}

describe('processes', () => {
  it('of four paths that claim one session at once: one has it, the others know (001-02)', async (t) => {
    const root = temporaryFolder(t)
    const paths = ['one', 'two', 'three', 'four']
    const children = await Promise.all(paths.map((path) => startClaimer(t, root, path)))
    for (let round = 0; round < 20; round++) {
      const session = `s${round}`
      const answers = await Promise.all(children.map((child) => claimIn(child, session)))
      const winner = paths[answers.findIndex(({ code }) => code === undefined)]
      expect(answers.filter(({ code }) => code === undefined)).toHaveLength(1)
      expect(answers.filter(({ code }) => code === 'ERR_CLAIMED')).toHaveLength(3)
      expect(readClaim(session, { root }).runtimePath).toBe(winner)
      expect(linesOf(root, session)).toHaveLength(1)
    }
  })

  it('that are killed leave their session to the next', async (t) => {
    const root = temporaryFolder(t)
    const child = await startClaimer(t, root, 'plugin')
    await claimIn(child, 'demo')
    const legacy = { root, runtimePath: 'legacy' }
    await expect(claimSession('demo', legacy)).rejects.toMatchObject({ code: 'ERR_CLAIMED' })
    expect(isSessionLive('demo', { root })).toBe(true)
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
    expect(isSessionLive('demo', { root })).toBe(false)
    await claimSession('demo', legacy)
  })

  it.runIf(isLinux)('that are hooks claim for the harness behind them and its shell', (t) => {
    const root = temporaryFolder(t)
    const direct = execFileSync(process.execPath, [HOOK, root, 'direct'], { encoding: 'utf8' })
    expect(JSON.parse(direct)).toEqual(ownIdentity())
    // The second command keeps the shell from becoming the first.
    const command = `"${process.execPath}" "${HOOK}" "${root}" shell; true`
    const behindShell = execFileSync('sh', ['-c', command], { encoding: 'utf8' })
    expect(JSON.parse(behindShell)).toEqual(ownIdentity())
    // Both hooks are gone, and the harness is not.
    expect(isSessionLive('direct', { root })).toBe(true)
    expect(isSessionLive('shell', { root })).toBe(true)
  })

  it('know who started them', () => {
    const { pid, host } = parentIdentity()
    expect(host).toBe(ownIdentity().host)
    expect(pid).not.toBe(process.pid)
  })
})
