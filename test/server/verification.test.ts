// The list of checks of the first document (docs/internals/SPEC.md, 000), against a server in a process of
// its own: hooks, checkpoints, a kill, recovery, the API with its token, retention.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { appendCheckpoint, openContext } from '../../lib/store/index.js'
import { runWell } from '../cli/command-line.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { eventsOf } from '../hooks/telling.js'
import { startServer } from './start-server.js'

type Server = Awaited<ReturnType<typeof startServer>>

function clientOf({ url, tokenFile }: Server) {
  const authorization = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(`${url}api/${path}`, { headers, ...init })
    // biome-ignore lint/suspicious/noExplicitAny: each step knows what it asked for
    return { status: response.status, body: (await response.json()) as any }
  }
  return {
    get: (path: string) => send(path),
    hook: (name: string, body: object) =>
      send(`hooks/${name}`, { method: 'POST', body: JSON.stringify(body) }),
  }
}

const harness = 'claude-code'

test('the next session gets what a killed server had recorded', async (t) => {
  const root = temporaryFolder(t)
  const project = temporaryFolder(t)
  const inProject = `checkpoints?project=${encodeURIComponent(project)}`
  const first = await startServer(t, root, ['--allow-write'])
  const monday = clientOf(first)

  // A session starts by a hook, and gets more than ten prompts.
  const session = { harness, project, sessionKey: 'monday', runtimePath: 'plugin' }
  const started = await monday.hook('session-start', session)
  expect(started).toMatchObject({ status: 200, body: { sessionId: 'monday', inject: '' } })
  for (let turn = 1; turn <= 12; turn++) {
    const userMessage = `Step ${turn} of the parser of dates`
    const { body } = await monday.hook('user-prompt-submit', { ...session, userMessage })
    expect(body).toEqual({ sessionId: 'monday', inject: '', status: 'written' })
  }

  // The checkpoints, by project and by session, with the token only.
  const { body: listed } = await monday.get(inProject)
  expect(listed.checkpoints).toMatchObject([
    { session_key: 'monday', trigger: 'periodic', harness, prompt_count: 10 },
  ])
  expect((await monday.get('checkpoints/monday')).body).toEqual(listed)
  expect((await fetch(`${first.url}api/${inProject}`)).status).toBe(401)

  // The server is killed in the middle of its work: what it acknowledged is in the log.
  const sent = Array.from({ length: 60 }, (_, index) => `after the tenth: ${index}`)
  let acknowledged = 0
  const told = await Promise.all(
    sent.map(async (userMessage) => {
      try {
        const answer = await monday.hook('user-prompt-submit', { ...session, userMessage })
        if (++acknowledged === 20) first.child.kill('SIGKILL')
        return answer.status === 200 ? userMessage : undefined
      } catch {
        // The connection ended with the process.
        return undefined
      }
    }),
  )
  await first.answer
  const known = told.filter((text) => text !== undefined)
  expect(known.length).toBeGreaterThanOrEqual(20)
  const stored = eventsOf(root, 'monday').map(({ payload }) => payload['content'])
  for (const text of known) expect(stored.filter((one) => one === text)).toEqual([text])

  // A new session of the project gets what the killed one left.
  const second = await startServer(t, root, ['--allow-write'])
  const tuesday = clientOf(second)
  const next = { harness, project, sessionKey: 'tuesday', runtimePath: 'plugin' }
  const { body: recovered } = await tuesday.hook('session-start', next)
  expect(recovered.inject).toContain('## Session Recovery Context')
  expect(recovered.inject).toContain('after the tenth')
  expect(recovered.inject.length).toBeLessThanOrEqual(2000)

  // The old session continues where it was; the other runtime path is refused.
  const userMessage = 'I am back'
  const back = { ...session, userMessage, previousSessionKey: 'x' }
  expect((await tuesday.hook('user-prompt-submit', back)).status).toBe(200)
  const legacy = await tuesday.hook('user-prompt-submit', { ...back, runtimePath: 'legacy' })
  expect([legacy.status, legacy.body.error.code]).toEqual([409, 'ERR_CLAIMED'])
  const ended = await tuesday.hook('session-end', session)
  expect(ended.body).toMatchObject({ sessionId: 'monday', status: 'written' })

  // Retention: of a session, what is older than seven days is hidden but for the newest, and a prune
  // removes it while the server runs.
  const store = openContext({ root, home: root })
  for (const days of [31, 30]) {
    const created_at = new Date(Date.now() - days * 24 * 3600 * 1000).toISOString()
    const old = { trigger: 'periodic', harness, prompt_count: 1, created_at, project } as const
    const digest = `${days} days ago`
    await appendCheckpoint(store, { ...old, session_key: 'last-month', digest })
  }
  const bytesOf = () =>
    (store.env.fs.readdirSync(store.layout.checkpoints) as string[])
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => readFileSync(`${store.layout.checkpoints}/${name}`, 'utf8'))
      .join('')
  const digests = async () => {
    const { body } = await tuesday.get(`${inProject}&limit=50`)
    return (body.checkpoints as { digest: string }[]).map(({ digest }) => digest)
  }
  const before = await digests()
  expect(before).toContain('30 days ago')
  expect(before).not.toContain('31 days ago')
  expect(bytesOf()).toContain('31 days ago')
  await runWell(['checkpoint', 'prune', '--apply', '--force'], { root })
  expect(bytesOf()).not.toContain('31 days ago')
  expect(await digests()).toEqual(before)

  second.child.kill('SIGTERM')
  expect((await second.answer).exitCode).toBe(0)
})
