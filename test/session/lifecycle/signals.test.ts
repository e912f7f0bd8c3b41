// What a signal does to a session: nothing unasked, a clean end when asked, and the process dies of
// it either way.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { resumeSession } from '../../../lib/free-functions.js'
import { readLogSync } from '../../../lib/log/index.js'

import { temporaryFolder } from '../../helpers/temporary.js'

const child = fileURLToPath(new URL('../children/signal.mjs', import.meta.url))

async function endBy(signal: NodeJS.Signals, root: string, mode: string) {
  const writer = spawn(process.execPath, [child, root, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(writer.stdout, 'data')
  writer.kill(signal)
  const [, killedBy] = await once(writer, 'exit')
  const path = join(root, '.transcripts', 's.jsonl')
  const types = [...readLogSync(path)].map((it) => (it.kind === 'event' ? it.event.type : it.kind))
  return { killedBy, types, isLocked: existsSync(`${path}.lock`) }
}

// Requirement: T43
test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'with handleSignals %s ends the session cleanly, its checkpoint stored, and still kills the process',
  async (signal, t) => {
    expect(await endBy(signal, temporaryFolder(t), 'handle')).toEqual({
      killedBy: signal,
      types: ['session_header', 'user', 'checkpoint_ref', 'session_terminator'],
      isLocked: false,
    })
  },
)

// Requirement: 003-18
test('without it a signal leaves a session without a terminator, which resumes', async (t) => {
  const root = temporaryFolder(t)
  const { killedBy, types } = await endBy('SIGTERM', root, 'plain')
  expect({ killedBy, types }).toEqual({
    killedBy: 'SIGTERM',
    types: ['session_header', 'user'],
  })
  const { messages, session } = await resumeSession({ root, id: 's', mode: 'append' })
  expect(messages).toHaveLength(1)
  await session!.close()
})
