// A store that version 0.1.0 wrote is read, checked, appended to and resumed by this version, and no
// byte that was written before changes. `fixtures/stores/make-0.1.0.mjs` made it.

import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type TestContext, test } from 'vitest'
import { append_transcript, openStore } from '../lib/index.js'
import { temporaryFolder } from './helpers/temporary.js'

const fixture = fileURLToPath(new URL('../fixtures/stores/0.1.0', import.meta.url))

// An hour after it was written, so that nothing in it is too old to be shown.
const NOW = Date.UTC(2026, 0, 31, 13)

interface Expected {
  readonly sessions: Readonly<Record<string, readonly object[]>>
  readonly titles: Readonly<Record<string, string>>
  readonly history: readonly object[]
}

const expected = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as Expected

/** A copy to write to. */
function copyStore(t: TestContext) {
  const root = join(temporaryFolder(t), 'store')
  cpSync(join(fixture, 'store'), root, { recursive: true })
  return { root, store: openStore({ root, home: root, environment: { now: () => NOW } }) }
}

function shown(messages: readonly { type: string; uuid: string; payload: unknown }[]) {
  return messages.map(({ type, uuid, payload }) => ({ type, uuid, payload }))
}

test('shows the model the same messages as 0.1.0 did', async (t) => {
  const { store } = copyStore(t)
  for (const [id, messages] of Object.entries(expected.sessions)) {
    const resumed = await store.resumeSession({ id, mode: 'inspect' })
    expect(shown(resumed.messages), id).toEqual(messages)
  }
})

test('lists the same sessions, prompts, checkpoints, subagents and archived sessions', async (t) => {
  const { store } = copyStore(t)
  const { sessions } = store.listSessions({ all: true })
  // A session without a title of its own has that of the session it continues; 0.1.0 showed its first prompt.
  const titles = { ...expected.titles, 'demo-2': expected.titles['demo'] }
  expect(Object.fromEntries(sessions.map((row) => [idOf(row), row.title]))).toEqual(titles)
  const history = await store.history.read()
  expect(history.map((row) => ({ prompt: row.prompt, session_id: idOf(row) }))).toEqual(
    expected.history,
  )
  expect(JSON.stringify(store.checkpoints.list({ project: '/project' }))).toContain(
    'An old question.',
  )
  expect(store.sidechains.list().sidechains.map(({ status }) => status)).toEqual(['completed'])
  expect(JSON.stringify(await store.maintenance.listRetired('archive'))).toContain('"old"')
  expect(JSON.stringify(store.recover({ project: '/project' }))).toContain('An old question.')
})

test('finds no damage in it', async (t) => {
  const { root, store } = copyStore(t)
  for (const path of logsOf(root)) {
    if (/\.(?:claims|spool)\//.test(path)) continue
    expect((await store.maintenance.verify(path)).findings, path).toEqual([])
  }
  const { findings } = await store.maintenance.examine()
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
})

test('appends to it, resumes it and writes what waits in the spool, behind the old bytes', async (t) => {
  const { root, store } = copyStore(t)
  const before = new Map(logsOf(root).map((path) => [path, readFileSync(path)]))

  const appended = await store.resumeSession({ id: 'demo', mode: 'append' })
  await appended.session!.prompt('One more thing.')
  await appended.session!.close()
  const resumed = await store.resumeSession({ id: 'demo-2', newId: 'demo-3' })
  const messages = shown(resumed.messages)
  await resumed.session!.prompt('Go ahead.')
  await resumed.session!.close()
  const event = { type: 'system', payload: { content: 'From outside.' } }
  await append_transcript({ session_id: 'demo-2', event }, { root, home: root })

  expect(readFileSync(join(root, '.transcripts/demo-2.jsonl'), 'utf8')).toMatch(
    /Said while the lock was held\.[\s\S]*From outside\./,
  )
  for (const [path, bytes] of before) {
    if (path.includes('.spool')) continue
    expect(readFileSync(path).subarray(0, bytes.length).equals(bytes), path).toBe(true)
  }
  const again = await store.resumeSession({ id: 'demo-3', mode: 'inspect' })
  expect(shown(again.messages).slice(0, messages.length)).toEqual(messages)
  for (const id of ['demo', 'demo-2', 'demo-3', 'demo-fork']) {
    const path = join(root, '.transcripts', `${id}.jsonl`)
    expect((await store.maintenance.verify(path)).findings, id).toEqual([])
  }
})

function idOf(row: object): unknown {
  const { sessionId, session_id } = row as Record<string, unknown>
  return sessionId ?? session_id
}

function logsOf(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, name))
    .filter((path) => path.endsWith('.jsonl') && statSync(path).isFile())
}
