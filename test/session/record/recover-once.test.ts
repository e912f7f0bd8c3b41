import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type TestContext, test } from 'vitest'
import {
  checkpointSession,
  createSession,
  forkSession,
  recover,
  recoverOnce,
  resumeSession,
} from '../../../lib/free-functions.js'

import { contentsOf, eventsIn } from '../../cli/stored.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const HOLDER = fileURLToPath(new URL('../../continuity/children/holder.mjs', import.meta.url))

async function startHolder(t: TestContext, root: string, project: string, id: string) {
  const child = spawn(process.execPath, [HOLDER, root, project, id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.onTestFinished(() => endOf(child))
  await once(child.stdout!, 'data')
  return child
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

function newPlaceOf(t: TestContext) {
  return { root: temporaryFolder(t), project: realpathSync(temporaryFolder(t)) }
}

// Requirements: T50, 000-79, 000-08
test('a killed session is recovered by the next one of its project', async (t) => {
  const { root, project } = newPlaceOf(t)
  const child = await startHolder(t, root, project, 'killed')
  const look = () => recoverOnce('next', { root, project })
  // T51: as long as somebody works there, its checkpoint is not ours.
  expect(look()).toBeUndefined()
  await endOf(child)
  expect(look()).toMatchObject({
    matchedBy: 'project',
    alreadyInjected: false,
    checkpoint: { session_key: 'killed' },
    text: expect.stringMatching(
      /^## Session Recovery Context\n[\s\S]*The work of killed\n<\/recovered-\w+>$/,
    ),
  })
  expect(look()!.text.length).toBeLessThanOrEqual(2000)
})

// Requirement: T52
test('a start that is repeated shows nothing, and a compaction brings it back', async (t) => {
  const { root, project } = newPlaceOf(t)
  await checkpointSession({ root, sessionKey: 'old', project, digest: 'What was' })
  const session = await createSession({ root, id: 'now', project })
  await session.append({ type: 'user', uuid: 'u1', payload: { content: 'hello' } })
  await session.append({ type: 'assistant', uuid: 'a1', payload: { content: 'Hi.' } })
  await session.release()
  const look = () => recoverOnce('now', { root, project })!

  const first = look()
  expect(first).toMatchObject({ alreadyInjected: false, text: expect.stringContaining('What was') })
  // Only what was really shown counts.
  expect(look().alreadyInjected).toBe(false)
  await first.commit()
  await first.commit()
  const injected = eventsIn(session.path).filter(({ type }) => type === 'recovery_injected')
  expect(injected).toMatchObject([
    {
      prev_uuid: null,
      payload: {
        checkpoint_id: first.checkpoint.id,
        boundary_uuid: null,
        source: 'startup',
        chars: first.text.length,
      },
    },
  ])
  expect(look()).toMatchObject({ alreadyInjected: true, text: '', matchedBy: 'project' })
  const bytes = readFileSync(session.path)
  await look().commit()
  expect(readFileSync(session.path)).toEqual(bytes)

  const { session: again } = await resumeSession({ root, id: 'now', mode: 'append' })
  const { boundaryUuid } = await again!.compact({ summary: 'Greetings.', keepFrom: 'a1' })
  await again!.release()
  const afterwards = look()
  expect(afterwards).toMatchObject({ alreadyInjected: false, text: first.text })
  await afterwards.commit()
  expect(look().alreadyInjected).toBe(true)
  expect(eventsIn(session.path).at(-1)).toMatchObject({ payload: { boundary_uuid: boundaryUuid } })
})

test('another checkpoint is news in the same context', async (t) => {
  const { root, project } = newPlaceOf(t)
  let time = Date.now() - 1000
  const environment = { now: () => time }
  const tell = (digest: string) =>
    checkpointSession({ root, sessionKey: 'old', project, digest, environment })
  await tell('first')
  await recoverOnce('now', { root, project })!.commit()
  time += 500
  await tell('second')
  expect(recoverOnce('now', { root, project })).toMatchObject({
    alreadyInjected: false,
    text: expect.stringContaining('second'),
  })
})

test('while another process holds the session the note waits for it, and counts already', async (t) => {
  const { root, project } = newPlaceOf(t)
  await startHolder(t, root, project, 'held')
  const look = () => recoverOnce('held', { root, source: 'compact' })!
  expect(await look().commit()).toMatchObject({ queued: true })
  expect(look()).toMatchObject({ alreadyInjected: true, text: '', matchedBy: 'session' })
})

test('what was shown to a session was not shown to its fork', async (t) => {
  const { root, project } = newPlaceOf(t)
  await checkpointSession({ root, sessionKey: 'old', project, digest: 'What was' })
  await recoverOnce('one', { root, project })!.commit()
  const { session: one } = await resumeSession({ root, id: 'one', mode: 'append' })
  await one!.append({ type: 'user', uuid: 'u1', payload: { content: 'hello' } })
  await one!.release()
  const { sessionId } = await forkSession('one', { root })
  expect(recoverOnce('one', { root, project })?.alreadyInjected).toBe(true)
  expect(recoverOnce(sessionId, { root, project })?.alreadyInjected).toBe(false)
})

test('looking writes nothing', async (t) => {
  const { root, project } = newPlaceOf(t)
  await checkpointSession({ root, sessionKey: 'old', project, digest: 'What was' })
  const before = contentsOf(root)
  expect(recoverOnce('now', { root, project })).toBeDefined()
  expect(recover({ root, project })).toBeDefined()
  expect(contentsOf(root)).toEqual(before)
})
