// Trust lives and ends with a process. A token is granted everywhere a session can be asked to keep
// something, and then looked for in every byte of the store.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  append_transcript,
  createSession,
  forkSession,
  resumeSession,
} from '../../lib/free-functions.js'

import { claimSession, listSessions, openContext, rotateHistory } from '../../lib/store/index.js'
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
    { type: 'note', payload: { ledger: session.permissions } },
    { type: 'note', payload: { deep: [{ session: { permissions: session.permissions } }] } },
    { type: 'permission_grant', payload: { scope: TOKEN } },
    { type: 'note', payload: { permissions: [TOKEN] } },
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
]

// Requirements: 003-70, 003-80, T8
test('a session and a hook reject every field and type that could persist a permission', async (t) => {
  const folder = temporaryFolder(t)
  const options = { root: folder, home: folder, project: folder }
  const session = await createSession({ ...options, id: 's' })
  const refused = { code: 'ERR_PERMISSION_STATE' }
  const events = [
    ...KEYS.map((key) => ({ type: 'note', payload: { [key]: TOKEN } })),
    { type: 'permission', payload: { scope: TOKEN } },
    { type: 'approval_given', payload: { scope: TOKEN } },
  ]
  for (const event of events) {
    const what = JSON.stringify(event)
    await expect(session.append(event), what).rejects.toMatchObject(refused)
    const appending = append_transcript({ session_id: 'hooked', event }, options)
    await expect(appending, what).rejects.toMatchObject(refused)
  }
  await session.close()
  expect(filesWith(folder, TOKEN)).toEqual([])
})

function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => path.includes(text) || readFileSync(path).includes(text))
}
