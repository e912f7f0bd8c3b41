import { expect, it } from 'vitest'
import { createSession } from '../../lib/session/index.js'
import { inferParentSession, listTranscripts } from '../../lib/store/index.js'
import { eventsIn } from '../cli/stored.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { Transcript } from './catalog-transcript.js'

const hints = { root: '/nonexistent', sessionKey: 'agent:nic:subagent:x:1', harness: 'claude-code' }

it('a parent that is named is the parent, unless it is the session itself (001-08)', () => {
  expect(inferParentSession({ ...hints, parentSessionKey: 'session:boss' })).toEqual({
    parentSessionKey: 'boss',
    inferred: false,
  })
  const self = { ...hints, parentSessionKey: ' agent:nic:subagent:x:1' }
  expect(inferParentSession(self)).toEqual({ parentSessionKey: 'agent:nic:main', inferred: true })
})

it('a hook inside a subagent of Claude Code tells its parent by session_id', () => {
  const hook = { ...hints, harnessAgentId: 'a1', hookSessionId: 'main-1' }
  expect(inferParentSession(hook)).toEqual({ parentSessionKey: 'main-1', inferred: false })
  expect(inferParentSession({ ...hook, harness: 'codex' })?.parentSessionKey).toBe('agent:nic:main')
})

it.for([
  ['agent:nic:subagent:abc', 'agent:nic:main'],
  ['session:agent:nic:subagent:a:b', 'agent:nic:main'],
  ['agent:nic:subagent:', undefined],
  ['agent:nic:main', undefined],
  ['demo', undefined],
] as const)('the key %s names the parent %s (001-09)', ([sessionKey, parentSessionKey]) => {
  const parent = inferParentSession({ root: '/nonexistent', sessionKey })
  expect(parent).toEqual(parentSessionKey && { parentSessionKey, inferred: true })
})

it('else it is the newest other session of the project, and said to be a guess (001-09)', (t) => {
  const root = temporaryFolder(t)
  const project = temporaryFolder(t)
  new Transcript('old', 0, { project }).say('hi').save(root)
  new Transcript('newer', 10, { project }).say('hi').save(root)
  new Transcript('subagent', 20, { project, kind: 'subagent' }).say('hi').save(root)
  new Transcript('self', 30, { project }).say('hi').save(root)
  new Transcript('elsewhere', 40, { project: '/other' }).say('hi').save(root)
  const guess = { root, sessionKey: 'self', project, harness: 'claude-code', harnessAgentId: 'a1' }
  expect(inferParentSession(guess)).toEqual({ parentSessionKey: 'newer', inferred: true })
  expect(inferParentSession({ ...guess, harnessAgentId: undefined })).toBeUndefined()
  expect(inferParentSession({ ...guess, harness: 'codex' })).toBeUndefined()
  expect(inferParentSession({ ...guess, project: undefined })).toBeUndefined()
})

it("the harness's own agent id stands in the header, and in no path and no key (001-07, 001-08)", async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({
    root,
    id: 'demo',
    harnessAgentId: 'agent-7',
    parentSessionKey: 'boss',
  })
  await session.close()
  expect(listTranscripts({ root })).toEqual([session.path])
  expect(session.path).not.toContain('agent-7')
  expect(session.id).toBe('demo')
  expect(eventsIn(session.path)[0]).toMatchObject({
    payload: { harness_agent_id: 'agent-7', parent_session_key: 'boss' },
  })
})
