import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, type TestContext } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { lineSchemaOf } from '../../../lib/format/schemas.js'
import { append_transcript, createSession } from '../../../lib/free-functions.js'
import { appendOnce, ownIdentity, parentIdentity } from '../../../lib/log/index.js'

import {
  claimSession,
  isSessionLive,
  openContext,
  readClaim,
  releaseClaim,
  renewClaim,
} from '../../../lib/store/index.js'
import { CLAIM, Clock, HOUR, MINUTE } from '../../helpers/clock.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { startWorker } from '../../log/lock/worker.js'

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
  return { ...ownIdentity(systemEnvironment), pid: child.pid!, start: '1' }
}

const linesOf = (root: string, name = 'demo') =>
  readFileSync(join(root, '.claims', `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; payload: Record<string, unknown> })

describe('a claim', () => {
  // Requirements: 001-01, 001-69
  it('names the runtime path that records a session, for four hours from its last call', async (t) => {
    const { clock, root, options } = newStore(t)
    const claim = await claimSession(openContext(options), 'demo', { runtimePath: 'plugin' })
    expect(claim).toEqual({
      sessionId: 'demo',
      runtimePath: 'plugin',
      claimedAt: clock.iso(),
      expiresAt: clock.iso(CLAIM),
      bypassed: false,
    })
    expect(readClaim(openContext(options), 'session:demo')).toEqual(claim)
    const [line] = linesOf(root)
    expect(lineSchemaOf('claim')?.safeParse(line).error).toBeUndefined()
    expect(line?.payload).toMatchObject({ session_id: 'demo', pid: process.pid })
  })

  // Requirement: 001-02
  it('of another path throws ERR_CLAIMED until it expires, and the error names its owner', async (t) => {
    const { clock, options } = newStore(t)
    await claimSession(openContext(options), 'demo', { runtimePath: 'plugin' })
    clock.pass(CLAIM - 1)
    await expect(
      claimSession(openContext(options), 'demo', { runtimePath: 'legacy' }),
    ).rejects.toMatchObject({
      code: 'ERR_CLAIMED',
      details: { session: 'demo', claimedBy: 'plugin', pid: process.pid },
    })
    clock.pass(1)
    const taken = await claimSession(openContext(options), 'demo', { runtimePath: 'legacy' })
    expect(taken).toMatchObject({ runtimePath: 'legacy', claimedAt: clock.iso() })
  })

  // Requirement: 001-32
  it('of another path is returned to automatic callers as a value', async (t) => {
    const { clock, root, options } = newStore(t)
    await claimSession(openContext(options), 'demo', { runtimePath: 'plugin' })
    const automatic = { ...options, runtimePath: 'legacy', automatic: true }
    const skipped = { skipped: true, duplicateRuntimePath: true, claimedBy: 'plugin' }
    const shape = { sessionId: 'demo', runtimePath: 'plugin', expiresAt: clock.iso(CLAIM) }
    expect(await claimSession(openContext(automatic), 'demo', automatic)).toMatchObject({
      ...shape,
      ...skipped,
    })
    expect(await renewClaim(openContext(automatic), 'demo', automatic)).toMatchObject({
      ...shape,
      ...skipped,
    })
    expect(await releaseClaim(openContext(automatic), 'demo', automatic)).toMatchObject({
      ...shape,
      ...skipped,
      released: false,
    })
    expect(linesOf(root)).toHaveLength(1)
  })

  // Requirement: 001-69
  it('is renewed by a call of its path once it is 20 minutes old', async (t) => {
    const { clock, root, options } = newStore(t)
    const plugin = { ...options, runtimePath: 'plugin' }
    const claimedAt = clock.iso()
    await claimSession(openContext(plugin), 'demo', plugin)
    clock.pass(20 * MINUTE - 1)
    await claimSession(openContext(plugin), 'demo', plugin)
    expect(linesOf(root)).toHaveLength(1)
    clock.pass(3 * HOUR)
    expect(await claimSession(openContext(plugin), 'demo', plugin)).toMatchObject({
      claimedAt,
      expiresAt: clock.iso(CLAIM),
    })
    clock.pass(3 * HOUR)
    expect(await renewClaim(openContext(plugin), 'demo', plugin)).toMatchObject({
      claimedAt,
      expiresAt: clock.iso(CLAIM),
    })
    expect(linesOf(root).map(({ type }) => type)).toEqual([
      'claim',
      'claim_renewal',
      'claim_renewal',
    ])
  })

  // Requirement: 001-69
  it('lasts four hours from a call that did not renew it', async (t) => {
    const { clock, options } = newStore(t)
    const store = openContext(options)
    await claimSession(store, 'demo', { runtimePath: 'plugin' })
    clock.pass(20 * MINUTE - 1)
    await claimSession(store, 'demo', { runtimePath: 'plugin' })
    clock.pass(4 * HOUR)
    expect(readClaim(store, 'demo')).toMatchObject({ runtimePath: 'plugin' })
    expect(isSessionLive(store, 'demo')).toBe(true)
  })

  it('takes no lock while it is ours and younger than 20 minutes', async (t) => {
    const { clock, root, options } = newStore(t)
    const store = openContext({ ...options, lockTimeoutMs: 0 })
    const plugin = { runtimePath: 'plugin' }
    await claimSession(store, 'demo', plugin)
    const worker = startWorker()
    const path = join(root, '.claims', 'demo.jsonl')
    await worker.ask('acquire', { path, options: { mode: 'lease', timeoutMs: 1000 } })
    expect(await claimSession(store, 'demo', plugin)).toMatchObject(plugin)
    expect(await renewClaim(store, 'demo', plugin)).toMatchObject(plugin)
    const locked = { code: 'ERR_LOCKED' }
    // Another process claims: the line must name it.
    const owner = parentIdentity()
    await expect(claimSession(store, 'demo', { ...plugin, owner })).rejects.toMatchObject(locked)
    clock.pass(20 * MINUTE)
    await expect(claimSession(store, 'demo', plugin)).rejects.toMatchObject(locked)
    await expect(renewClaim(store, 'demo', plugin)).rejects.toMatchObject(locked)
  })

  it('is not checked for a caller that names no path', async (t) => {
    const { root, options } = newStore(t)
    await claimSession(openContext(options), 'demo', { runtimePath: 'plugin' })
    expect(await claimSession(openContext(options), 'demo')).toMatchObject({
      runtimePath: 'plugin',
    })
    expect(await claimSession(openContext(options), 'other')).toEqual({
      sessionId: 'other',
      runtimePath: 'unknown',
      claimedAt: null,
      expiresAt: null,
      bypassed: false,
    })
    expect(linesOf(root)).toHaveLength(1)
  })

  it('of a dead process is taken over immediately', async (t) => {
    const { options } = newStore(t)
    const owner = await deadIdentity()
    await claimSession(openContext(options), 'demo', { runtimePath: 'plugin', owner })
    expect(
      await claimSession(openContext(options), 'demo', { runtimePath: 'legacy' }),
    ).toMatchObject({
      runtimePath: 'legacy',
    })
  })

  it('of a process on another host is respected until it expires', async (t) => {
    const { options } = newStore(t)
    const owner = { ...(await deadIdentity()), host: 'elsewhere' }
    await claimSession(openContext(options), 'demo', { runtimePath: 'plugin', owner })
    await expect(
      claimSession(openContext(options), 'demo', { runtimePath: 'legacy' }),
    ).rejects.toMatchObject({ code: 'ERR_CLAIMED' })
    expect(isSessionLive(openContext(options), 'demo')).toBe(false)
  })

  it('that is renewed keeps its process', async (t) => {
    const { clock, root, options } = newStore(t)
    const owner = { ...ownIdentity(systemEnvironment), pid: process.ppid, start: null }
    await claimSession(openContext(options), 'demo', { runtimePath: 'plugin', owner })
    clock.pass(HOUR)
    await renewClaim(openContext(options), 'demo', { runtimePath: 'plugin' })
    expect(linesOf(root).map(({ payload }) => payload['pid'])).toEqual([owner.pid, owner.pid])
    clock.pass(5 * HOUR)
    await renewClaim(openContext(options), 'demo', { runtimePath: 'plugin' })
    expect(linesOf(root)).toHaveLength(2)
  })

  it('ends with the session, and another path can claim it', async (t) => {
    const { options } = newStore(t)
    const plugin = { ...options, runtimePath: 'plugin' }
    await claimSession(openContext(plugin), 'demo', plugin)
    expect(await releaseClaim(openContext(plugin), 'demo', plugin)).toEqual({
      sessionId: 'demo',
      runtimePath: 'unknown',
      claimedAt: null,
      expiresAt: null,
      bypassed: false,
      released: true,
    })
    expect(await releaseClaim(openContext(plugin), 'demo', plugin)).toMatchObject({
      released: false,
    })
    await claimSession(openContext(options), 'demo', { runtimePath: 'legacy' })
    await expect(releaseClaim(openContext(plugin), 'demo', plugin)).rejects.toMatchObject({
      code: 'ERR_CLAIMED',
    })
  })

  it.for(['', 'two words', 'a'.repeat(65), '../up'])(
    'takes no "%s" for a runtime path',
    async (runtimePath, t) => {
      const { options } = newStore(t)
      await expect(
        claimSession(openContext(options), 'demo', { runtimePath }),
      ).rejects.toMatchObject({
        code: 'ERR_ARG',
      })
      const wrong = { ...options, runtimePath: 7 as never }
      await expect(claimSession(openContext(wrong), 'demo', wrong)).rejects.toThrow(TypeError)
    },
  )

  it('has a channel of its own: transcripts and claims reject the events of each other', async (t) => {
    const { root } = newStore(t)
    const wrong = { code: 'ERR_WRONG_LOG_KIND' }
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
    const claim = await claimSession(openContext(options), 'demo', { runtimePath: 'plugin' })
    appendFileSync(join(root, '.claims', 'demo.jsonl'), '{"type":"claim","ts":"20')
    expect(readClaim(openContext(options), 'demo')).toEqual(claim)
    await releaseClaim(openContext(options), 'demo', { runtimePath: 'plugin' })
    expect(readClaim(openContext(options), 'demo')).toMatchObject({ runtimePath: 'unknown' })
  })
})

describe('the end of a session', () => {
  it('that is reported twice within half an hour is a duplicate', async (t) => {
    const { clock, options } = newStore(t)
    const session = await createSession({ ...options, id: 'demo' })
    await session.append({ type: 'user', payload: { content: 'hi' } })
    await session.release()
    expect(await releaseClaim(openContext(options), 'demo')).not.toHaveProperty(
      'duplicateSessionEnd',
    )
    const payload = { end_ts: clock.iso(), reason: 'exit', last_uuid: null, events: null, bytes: 0 }
    await append_transcript(
      { session_id: 'demo', event: { type: 'session_terminator', payload } },
      options,
    )
    clock.pass(30 * MINUTE - 1)
    expect(await releaseClaim(openContext(options), 'demo')).toMatchObject({
      duplicateSessionEnd: true,
    })
    clock.pass(1)
    expect(await releaseClaim(openContext(options), 'demo')).not.toHaveProperty(
      'duplicateSessionEnd',
    )
  })

  it('is no duplicate if the session continued in between', async (t) => {
    const { options } = newStore(t)
    const session = await createSession({ ...options, id: 'demo' })
    await session.close()
    expect(await releaseClaim(openContext(options), 'demo')).toMatchObject({
      duplicateSessionEnd: true,
    })
    await append_transcript(
      { session_id: 'demo', event: { type: 'user', payload: { content: 'again' } } },
      options,
    )
    expect(await releaseClaim(openContext(options), 'demo')).not.toHaveProperty(
      'duplicateSessionEnd',
    )
  })
})

describe('a session', () => {
  it('is live while a living process claims it, or has it open', async (t) => {
    const { options } = newStore(t)
    expect(isSessionLive(openContext(options), 'demo')).toBe(false)
    await claimSession(openContext(options), 'demo', { runtimePath: 'plugin' })
    expect(isSessionLive(openContext(options), 'demo')).toBe(true)
    await releaseClaim(openContext(options), 'demo')
    expect(isSessionLive(openContext(options), 'demo')).toBe(false)
    const session = await createSession({ ...options, id: 'demo' })
    expect(isSessionLive(openContext(options), 'demo')).toBe(true)
    await session.release()
    expect(isSessionLive(openContext(options), 'demo')).toBe(false)
  })

  it('is not live when its claim expired or its process is gone', async (t) => {
    const { clock, options } = newStore(t)
    await claimSession(openContext(options), 'demo', { runtimePath: 'plugin' })
    clock.pass(CLAIM)
    expect(isSessionLive(openContext(options), 'demo')).toBe(false)
    await claimSession(openContext(options), 'dead', {
      runtimePath: 'a',
      owner: await deadIdentity(),
    })
    expect(isSessionLive(openContext(options), 'dead')).toBe(false)
  })

  // Requirements: 001-06, 001-41
  it('is claimed per agent', async (t) => {
    const { root, options } = newStore(t)
    await claimSession(openContext(options), 'demo', { runtimePath: 'plugin' })
    const other = { ...options, agent: 'Nic' }
    expect(await claimSession(openContext(other), 'demo', { runtimePath: 'legacy' })).toMatchObject(
      {
        runtimePath: 'legacy',
      },
    )
    expect(readClaim(openContext(options), 'demo').runtimePath).toBe('plugin')
    expect(linesOf(join(root, 'agents', '%4Eic'))).toHaveLength(1)
  })
})

const CLAIMER = fileURLToPath(new URL('../children/claimer.mjs', import.meta.url))
const HOOK = fileURLToPath(new URL('../children/hook.mjs', import.meta.url))

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
  // Requirement: 001-02
  it('that claim one session at the same time: one of four gets it, the others get ERR_CLAIMED', async (t) => {
    const root = temporaryFolder(t)
    const paths = ['one', 'two', 'three', 'four']
    const children = await Promise.all(paths.map((path) => startClaimer(t, root, path)))
    for (let round = 0; round < 20; round++) {
      const session = `s${round}`
      const answers = await Promise.all(children.map((child) => claimIn(child, session)))
      const winner = paths[answers.findIndex(({ code }) => code === undefined)]
      expect(answers.filter(({ code }) => code === undefined)).toHaveLength(1)
      expect(answers.filter(({ code }) => code === 'ERR_CLAIMED')).toHaveLength(3)
      expect(readClaim(openContext({ root }), session).runtimePath).toBe(winner)
      expect(linesOf(root, session)).toHaveLength(1)
    }
  })

  it('that are killed leave a claim that the next process takes over', async (t) => {
    const root = temporaryFolder(t)
    const child = await startClaimer(t, root, 'plugin')
    await claimIn(child, 'demo')
    const legacy = { root, runtimePath: 'legacy' }
    await expect(claimSession(openContext(legacy), 'demo', legacy)).rejects.toMatchObject({
      code: 'ERR_CLAIMED',
    })
    expect(isSessionLive(openContext({ root }), 'demo')).toBe(true)
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
    expect(isSessionLive(openContext({ root }), 'demo')).toBe(false)
    await claimSession(openContext(legacy), 'demo', legacy)
  })

  it.runIf(isLinux)(
    'that are hooks claim for the harness that started them, also through a shell',
    (t) => {
      const root = temporaryFolder(t)
      const direct = execFileSync(process.execPath, [HOOK, root, 'direct'], { encoding: 'utf8' })
      expect(JSON.parse(direct)).toEqual(ownIdentity(systemEnvironment))
      // The second command keeps the shell from becoming the first.
      const command = `"${process.execPath}" "${HOOK}" "${root}" shell; true`
      const behindShell = execFileSync('sh', ['-c', command], { encoding: 'utf8' })
      expect(JSON.parse(behindShell)).toEqual(ownIdentity(systemEnvironment))
      // Both hooks are gone, and the harness is not.
      expect(isSessionLive(openContext({ root }), 'direct')).toBe(true)
      expect(isSessionLive(openContext({ root }), 'shell')).toBe(true)
    },
  )

  it('find the process that started them', () => {
    const { pid, host } = parentIdentity()
    expect(host).toBe(ownIdentity(systemEnvironment).host)
    expect(pid).not.toBe(process.pid)
  })
})
