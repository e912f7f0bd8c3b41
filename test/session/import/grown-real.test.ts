// Files of the real Claude Code that were imported while they were still growing: where a longer file changes
// what the model sees, the next import does, too.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { importSession, resumeSession } from '../../../lib/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { compareMessages } from '../../real/rig/compare.mjs'
import { toMessageList } from '../../real/rig/messages.mjs'

const FIXTURES = join(import.meta.dirname, '../../../fixtures/real/claude-code')

const SCENARIOS = [
  'killed-in-a-tool-resumed',
  'one-of-three-calls-open',
  'first-turn-in-disorder',
  'queued-prompt',
]

it.for(SCENARIOS)('%s, cut and imported twice, is what the client sends', async (name, t) => {
  const folder = temporaryFolder(t)
  const { session, sessionId, messages } = JSON.parse(
    readFileSync(join(FIXTURES, name, 'expected.json'), 'utf8'),
  )
  const bytes = readFileSync(join(FIXTURES, name, 'source', session))
  const ends = [...bytes.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []))
  for (const end of ends.slice(1, -1).filter((_, index) => index % 2 === 0)) {
    const root = join(folder, String(end))
    const path = join(root, basename(session))
    mkdirSync(root, { recursive: true })
    writeFileSync(path, bytes.subarray(0, end))
    const store = { root, home: root, from: 'claude-code' }
    await importSession(path, store)
    appendFileSync(path, bytes.subarray(end))
    await importSession(path, store)
    const resumed = await resumeSession({ root, home: root, id: sessionId, mode: 'inspect' })
    const { diff } = compareMessages(messages, toMessageList(resumed.messages))
    expect(diff, `cut at ${end}`).toEqual([])
  }
})
