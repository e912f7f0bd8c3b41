import { expect, it } from 'vitest'
import { append_transcript, createSession } from '../../../lib/free-functions.js'

import {
  inferParentSession,
  listSessions,
  listTranscripts,
  openContext,
  searchSessions,
} from '../../../lib/store/index.js'
import { eventsIn } from '../../cli/stored.js'
import { release010 } from '../../helpers/release-0.1.0.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { tell } from '../../hooks/telling.js'
import { Transcript } from './catalog-transcript.js'

const hints = { root: '/nonexistent', sessionKey: 'agent:nic:subagent:x:1', harness: 'claude-code' }

// Requirement: 001-08
it('an explicit parent is used, unless it is the session itself', () => {
  expect(
    inferParentSession(openContext(hints), { ...hints, parentSessionKey: 'session:boss' }),
  ).toEqual({
    parentSessionKey: 'boss',
    inferred: false,
  })
  const self = { ...hints, parentSessionKey: ' agent:nic:subagent:x:1' }
  expect(inferParentSession(openContext(self), self)).toEqual({
    parentSessionKey: 'agent:nic:main',
    inferred: true,
  })
})

it('a hook inside a subagent of Claude Code names its parent by session_id', () => {
  const hook = { ...hints, harnessAgentId: 'a1', hookSessionId: 'main-1' }
  expect(inferParentSession(openContext(hook), hook)).toEqual({
    parentSessionKey: 'main-1',
    inferred: false,
  })
  expect(
    inferParentSession(openContext(hook), { ...hook, harness: 'codex' })?.parentSessionKey,
  ).toBe('agent:nic:main')
})

// Requirement: 001-09
it.for([
  ['agent:nic:subagent:abc', 'agent:nic:main'],
  ['session:agent:nic:subagent:a:b', 'agent:nic:main'],
  ['agent:nic:subagent:', undefined],
  ['agent:nic:main', undefined],
  ['demo', undefined],
] as const)('the key %s names the parent %s', ([sessionKey, parentSessionKey]) => {
  const parent = inferParentSession(openContext({ root: '/nonexistent' }), { sessionKey })
  expect(parent).toEqual(parentSessionKey && { parentSessionKey, inferred: true })
})

// Requirement: 001-09
it('otherwise the newest other session of the project is used and marked as a guess', (t) => {
  const root = temporaryFolder(t)
  const project = temporaryFolder(t)
  new Transcript('old', 0, { project }).say('hi').save(root)
  new Transcript('newer', 10, { project }).say('hi').save(root)
  new Transcript('subagent', 20, { project, kind: 'subagent' }).say('hi').save(root)
  new Transcript('self', 30, { project }).say('hi').save(root)
  new Transcript('elsewhere', 40, { project: '/other' }).say('hi').save(root)
  const guess = { root, sessionKey: 'self', project, harness: 'claude-code', harnessAgentId: 'a1' }
  expect(inferParentSession(openContext(guess), guess)).toEqual({
    parentSessionKey: 'newer',
    inferred: true,
  })
  expect(
    inferParentSession(openContext(guess), { ...guess, harnessAgentId: undefined }),
  ).toBeUndefined()
  expect(inferParentSession(openContext(guess), { ...guess, harness: 'codex' })).toBeUndefined()
  expect(inferParentSession(openContext(guess), { ...guess, project: undefined })).toBeUndefined()
})

// Requirements: 001-07, 001-08
it('the agent id of the harness is recorded in the header, not in a path or key', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({
    root,
    id: 'demo',
    harnessAgentId: 'agent-7',
    parentSessionKey: 'boss',
  })
  await session.close()
  expect(listTranscripts(openContext({ root }))).toEqual([session.path])
  expect(session.path).not.toContain('agent-7')
  expect(session.id).toBe('demo')
  expect(eventsIn(session.path)[0]).toMatchObject({
    payload: { harness_agent_id: 'agent-7', parent_session_key: 'boss' },
  })
})

// Requirement: 001-09
it('a session whose key is that of a subagent gets its parent, however it begins', async (t) => {
  const root = temporaryFolder(t)
  const id = 'agent:nicholai:subagent:abc123'
  const parent = { parent_session_key: 'agent:nicholai:main', parent_inferred: true }
  const created = await createSession({ root, id })
  await created.close()
  expect(eventsIn(created.path)[0]).toMatchObject({ payload: parent })
  const firstOf = (key: string) => eventsIn(openContext({ root }).layout.transcriptPath(key))[0]
  const hooked = `${id}-hook`
  await tell({ hook_event_name: 'UserPromptSubmit', session_id: hooked, prompt: 'hello' }, { root })
  expect(firstOf(hooked)).toMatchObject({ payload: parent })
  const event = { type: 'user', payload: { content: 'hello' } }
  await append_transcript({ session_id: `${id}-once`, event }, { root })
  expect(firstOf(`${id}-once`)).toMatchObject({ payload: parent })
  const named = await createSession({ root, id: `${id}-named`, parentSessionKey: 'boss' })
  await named.close()
  const { payload } = eventsIn(named.path)[0]!
  expect(payload).toMatchObject({ parent_session_key: 'boss' })
  expect(payload).not.toHaveProperty('parent_inferred')
  const { sessions } = listSessions(openContext({ root }), { all: true })
  expect(sessions.find(({ sessionId }) => sessionId === id)?.parentSessionKey).toBe(
    'agent:nicholai:main',
  )
  expect(await release010.verifyLog(created.path)).toMatchObject({ findings: [] })
})

it('a search by a session with a parent looks into that parent only', async (t) => {
  const root = temporaryFolder(t)
  new Transcript('boss', 0).say('the needle of the boss').save(root)
  new Transcript('agent:nic:main', 0).say('the needle of nic').save(root)
  new Transcript('other', 0).say('the needle of another').save(root)
  const child = await createSession({ root, id: 'child', parentSessionKey: 'boss' })
  await child.close()
  const store = openContext({ root })
  const found = async (currentSessionKey: string) => {
    const { hits } = await searchSessions(store, { query: 'needle', currentSessionKey })
    return hits.map(({ sessionKey }) => sessionKey).sort()
  }
  expect(await found('child')).toEqual(['boss'])
  expect(await found('agent:nic:subagent:abc123')).toEqual(['agent:nic:main'])
  expect(await found('other')).toEqual(['agent:nic:main', 'boss'])
})
