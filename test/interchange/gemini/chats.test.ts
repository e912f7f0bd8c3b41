// Chats that the released Gemini CLI wrote: what is known about them, and imports while they grow.

import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { describe, expect, it } from 'vitest'
import { importSession, listSessions, listSidechains, resumeSession } from '../../../lib/index.js'
import { release010 } from '../../helpers/release-0.1.0.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { compareMessages } from '../../real/rig/compare.mjs'
import { type ListedMessage, toMessageList } from '../../real/rig/messages.mjs'

const FIXTURES = join(import.meta.dirname, '../../../fixtures/real/gemini')

interface Expected {
  readonly session: string
  readonly sessionId: string
  readonly messages: readonly ListedMessage[]
}

function setUp(t: TestContext, scenario: string) {
  const folder = temporaryFolder(t)
  cpSync(join(FIXTURES, scenario, 'source'), join(folder, 'home'), { recursive: true })
  const text = readFileSync(join(FIXTURES, scenario, 'expected.json'), 'utf8')
  const { session, sessionId, messages } = JSON.parse(text) as Expected
  const path = join(folder, 'home', session)
  const store = { root: join(folder, 'store'), home: folder }
  const chats = join(path, '..')
  const files = readdirSync(chats)
    .filter((name) => name.startsWith('session-'))
    .map((name) => join(chats, name))
  const show = async () => {
    const resumed = await resumeSession({ ...store, id: sessionId, mode: 'inspect' })
    return compareMessages(messages, toMessageList(resumed.messages)).diff
  }
  return { path, store, sessionId, files, show }
}

describe('an imported chat', () => {
  it('has the project of the file beside the chats, and the first prompt as its title', async (t) => {
    const { path, store } = setUp(t, 'plain')
    await importSession(path, store)
    const [info] = (await listSessions(store)).sessions
    expect(info).toMatchObject({ project: '/home/ada/app', title: 'hello' })
  })

  it('has no project without that file, or if the file holds no path', async (t) => {
    const { path, store } = setUp(t, 'plain')
    writeFileSync(join(path, '../../.project_root'), 'app')
    await importSession(path, store)
    expect((await listSessions(store)).sessions[0]).toMatchObject({ project: null })
  })

  it('has its subagents, completed and below their calls', async (t) => {
    const { path, store, sessionId } = setUp(t, 'subagent')
    const report = await importSession(path, store)
    const [task] = report.sidechains
    expect(report.sidechains).toHaveLength(1)
    const { sidechains } = await listSidechains({ ...store, session: sessionId })
    expect(sidechains).toMatchObject([
      { taskId: task!.taskId, toolCallId: 'invoke_agent__call_1', status: 'completed' },
    ])
  })

  it('is one session, whichever of its files is named, and in whatever order they come', async (t) => {
    const { files, store, show } = setUp(t, 'resumed-later')
    expect(files).toHaveLength(3)
    expect((await importSession(files[2]!, store)).skipped).toBeNull()
    expect(await show()).toEqual([])
    expect((await importSession(files[0]!, store)).skipped).toMatchObject({ reason: 'unchanged' })
    expect((await listSessions(store)).sessions).toHaveLength(1)
  })
})

describe('a chat that has grown since it was imported', () => {
  /** The file as it was when the client had written a part of it. */
  function cut(path: string, bytes: Buffer, part: number): void {
    writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * part)))
  }

  const scenarios = ['resumed', 'rewound', 'compressed-twice', 'cancelled-in-a-tool']
  it.for(scenarios)(
    '%s shows what the client sends, however often it was read',
    async (name, t) => {
      const { path, store, show } = setUp(t, name)
      const bytes = readFileSync(path)
      for (const part of [0.2, 0.4, 0.6, 0.8]) {
        cut(path, bytes, part)
        await importSession(path, store)
      }
      writeFileSync(path, bytes)
      expect((await importSession(path, store)).skipped).toBeNull()
      expect(await show()).toEqual([])
    },
  )

  it('is shown right, too, if version 0.1.0 has imported its beginning', async (t) => {
    const { path, store, show } = setUp(t, 'resumed')
    const bytes = readFileSync(path)
    cut(path, bytes, 0.6)
    const importOld = release010['importSession'] as (...args: unknown[]) => Promise<unknown>
    await importOld(path, store)
    writeFileSync(path, bytes)
    expect((await importSession(path, store)).skipped).toBeNull()
    expect(await show()).toEqual([])
  })
})
