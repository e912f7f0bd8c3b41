// Trust lives and ends with a process. A token is granted everywhere a session can be asked to keep
// something, and then looked for in every byte of the store.

import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  append_transcript,
  contextCheckpoint,
  createSession,
  forkSession,
  resumeSession,
} from '../../lib/free-functions.js'

import { claimSession, listSessions, openContext, rotateHistory } from '../../lib/store/index.js'
import { line } from '../helpers/lines.js'
import { temporaryFolder } from '../helpers/temporary.js'

const TOKEN = `grant-${Math.random().toString(36).slice(2)}-canary`

// Requirements: 003-12, 003-80, 003-86, T8, T26
test('no byte of the store holds a permission grant, also after a compaction, a fork, a resume or a subagent', async (t) => {
  const folder = temporaryFolder(t)
  const options = { root: folder, home: folder, project: folder }
  const session = await createSession({ ...options, id: 's' })
  session.permissions.grant(TOKEN)
  session.permissions.grant(`Bash(${TOKEN}:*)`)
  for (const content of ['one', 'two', 'three']) {
    await session.prompt(content)
    await session.append({ type: 'assistant', payload: { content: `${content}: done` } })
  }
  const refused = { code: 'ERR_PERMISSION_STATE' }
  const smuggled = [
    { type: 'acme:note', payload: { ledger: session.permissions } },
    { type: 'acme:note', payload: { deep: [{ session: { permissions: session.permissions } }] } },
    { type: 'permission_grant', payload: { scope: TOKEN } },
    { type: 'acme:note', payload: { permissions: [TOKEN] } },
  ]
  for (const event of smuggled) {
    await expect(session.append(event), event.type).rejects.toMatchObject(refused)
  }
  await session.checkpoint({ digest: 'What the next one should know.' })
  const child = await session.spawn({ taskId: 'task', prompt: 'Go.' })
  await child.append({ type: 'assistant', payload: { content: 'gone' } })
  await child.finish({ status: 'completed', summary: 'Done.' })
  await session.compact({ summary: 'So far.' })
  await claimSession(openContext({ root: folder }), 's', { runtimePath: 'plugin' })
  await session.close()
  forkSession('s', { root: folder, newId: 'forked' })
  const resumed = await resumeSession({ ...options, id: 's', newId: 'next' })
  expect(resumed.permissions.size).toBe(0)
  await resumed.session!.close()
  await rotateHistory(openContext({ home: folder }))
  listSessions(openContext({ root: folder }))
  expect(filesWith(folder, TOKEN)).toEqual([])
  // The search itself works.
  expect(filesWith(folder, 'three: done').length).toBeGreaterThan(0)
})

// Every name by which a harness may have kept it, in both spellings of such names.
const KEYS = [
  'permission',
  'permissions',
  'permission_mode',
  'permissionMode',
  'permission_ledger',
  'permissionRules',
  'permission_suggestions',
  'allowed_tools',
  'allowedTools',
  'allow_rules',
  'always_allow',
  'alwaysAllow',
  'trust_level',
  'approvals',
  'bypass_permissions',
  'bypassPermissions',
  'permission-mode',
  'allowed-tools',
  'always-allow',
  'trustLevel',
  'permissionGrants',
  'toolPermissions',
  'grantedPermissions',
  'permissionDecision',
  'dangerouslySkipPermissions',
  'file_system_sandbox_policy',
  'active_permission_profile',
]

// Requirements: 003-70, 003-80, T8, 18-3
test('a session and a hook reject every field and type that could persist a permission', async (t) => {
  const folder = temporaryFolder(t)
  const options = { root: folder, home: folder, project: folder }
  const session = await createSession({ ...options, id: 's' })
  const refused = { code: 'ERR_PERMISSION_STATE' }
  const events = [
    ...KEYS.map((key) => ({ type: 'acme:note', payload: { [key]: TOKEN } })),
    ...KEYS.map((key) => ({ type: 'acme:note', payload: { a: [{ b: { [key]: TOKEN } }] } })),
    ...KEYS.map((key) => ({
      type: 'assistant',
      payload: { content: [{ type: 'text', text: 'x', [key]: TOKEN }] },
    })),
    { type: 'permission', payload: { scope: TOKEN } },
    { type: 'approval_given', payload: { scope: TOKEN } },
    { type: 'grant', payload: { scope: TOKEN } },
    { type: 'allow_rule', payload: { scope: TOKEN } },
    { type: 'acme:permission-grant', payload: { scope: TOKEN } },
  ]
  for (const event of events) {
    const what = JSON.stringify(event)
    await expect(session.append(event), what).rejects.toMatchObject(refused)
    const appending = append_transcript({ session_id: 'hooked', event }, options)
    await expect(appending, what).rejects.toMatchObject(refused)
  }
  await session.close()
  for (const event of events.filter(({ type }) => type === 'acme:note')) {
    const memories = [{ content: 'a fact', ...(event.payload as object) }]
    const storing = contextCheckpoint({
      ...options,
      sessionKey: 's',
      sessionSummary: 'x',
      memories,
    })
    await expect(storing, JSON.stringify(event)).rejects.toMatchObject(refused)
  }
  expect(filesWith(folder, TOKEN)).toEqual([])
})

test('what a tool was given or has answered is not judged, and neither is text', async (t) => {
  const folder = temporaryFolder(t)
  const session = await createSession({ root: folder, home: folder, id: 's' })
  const free = { permissions: '0644', nested: { permission_mode: TOKEN } }
  await session.append({ type: 'user', payload: { content: `permissionMode: ${TOKEN}` } })
  await session.append({
    type: 'assistant',
    payload: { content: [{ type: 'tool_use', id: 'c', name: 'chmod', input: free }] },
  })
  await session.append({
    type: 'tool_call',
    payload: { tool_call_id: 'c', name: 'chmod', input: free },
  })
  await session.append({
    type: 'tool_result',
    payload: { tool_call_id: 'c', content: [free], is_error: false },
  })
  await session.append({
    type: 'user',
    payload: { content: [{ type: 'tool_result', tool_use_id: 'c', content: [free] }] },
  })
  // Only whole names count.
  await session.append({ type: 'acme:disapproval', payload: { permissionless: 1, my_grants_x: 2 } })
  await session.close()
  expect(filesWith(folder, TOKEN)).not.toEqual([])
})

test('a fork of a log into which another program wrote permission state is made without it', async (t) => {
  const folder = temporaryFolder(t)
  const options = { root: folder, home: folder }
  const session = await createSession({ ...options, id: 's' })
  await session.append({ type: 'user', uuid: 'u1', payload: { content: 'one' } })
  await session.release()
  const planted = [
    line('permission_grant', { uuid: 'p1', prev_uuid: 'u1', payload: { scope: TOKEN } }),
    line('assistant', {
      uuid: 'a1',
      prev_uuid: 'p1',
      payload: { content: 'two', meta: { permissionMode: TOKEN } },
    }),
  ]
  appendFileSync(session.path, Buffer.concat(planted))
  const codes: string[] = []
  const forked = forkSession('s', {
    ...options,
    newId: 'forked',
    onDiagnostic: ({ code }) => codes.push(code),
  })
  expect(codes).toEqual(['permission_state_left_out', 'permission_state_left_out'])
  expect(readFileSync(forked.transcriptPath, 'utf8')).not.toContain(TOKEN)
  // The same lines at the same distance, and the chain is whole.
  const [before, after] = [session.path, forked.transcriptPath].map((path) =>
    readFileSync(path, 'utf8').trimEnd().split('\n'),
  )
  expect(after!.slice(1).map(({ length }) => length)).toEqual(before!.map(({ length }) => length))
  const resumed = await resumeSession({ ...options, id: 'forked', newId: 'next' })
  expect(resumed.messages.map(({ payload }) => payload)).toEqual([
    { content: 'one' },
    { content: 'two', meta: {} },
  ])
  await resumed.session!.close()
})

function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => path.includes(text) || readFileSync(path).includes(text))
}
