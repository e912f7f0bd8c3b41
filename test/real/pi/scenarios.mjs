// What pi is put through. Print mode, RPC mode and the TUI write sessions through the same code, so a scenario
// uses the simplest of them that can do it.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inPrint, inRpc, startAndAbort, until } from './live.mjs'
import { terminalScenarios } from './terminal-scenarios.mjs'

// A PNG of one pixel.
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export const scenarios = [
  inPrint('plain', ['hello', 'and again']),
  inPrint('tools', ['TOOL echo one', 'CHAIN 3', 'SAY TOOL false']),
  inPrint('parallel-tools', ['TOOLS 3', 'SAY TOOLS 2']),
  inPrint('thinking', ['THINK about it', 'THINK TOOL echo two']),
  inPrint('long-output', ['TOOL seq 1 2300', 'BIG 2']),
  inPrint('api-error', ['hello', 'FAIL 400', 'after the error']),
  inPrint('api-error-at-the-end', ['hello', 'FAIL 400']),
  inPrint('api-error-and-retry', ['hello', 'FAIL 500', 'after the error']),
  inPrint('other-session-folder', ['hello', 'TOOL echo three'], {
    args: (home) => ['--session-dir', join(home.agent, 'sessions', 'elsewhere')],
  }),
  inPrint('old-plain', ['hello', 'TOOLS 2', 'THINK about it'], { isOld: true }),
  inPrint('old-api-error', ['hello', 'FAIL 400', 'after the error'], { isOld: true }),

  inRpc('images', async (pi, home) => {
    await pi.prompt('look', { images: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] })
    writeFileSync(join(home.project, 'pixel.png'), Buffer.from(PIXEL, 'base64'))
    await pi.prompt('CALL read {"path":"pixel.png"}')
  }),
  inRpc('shell-commands', async (pi) => {
    await pi.prompt('hello')
    await pi.send('bash', { command: 'echo shown' })
    await pi.send('bash', { command: 'echo failed; exit 3' })
    await pi.send('bash', { command: 'true' })
    await pi.send('bash', { command: 'echo hidden', excludeFromContext: true })
    await pi.prompt('and now')
  }),
  inRpc('one-compaction', async (pi) => {
    await pi.prompt('hello')
    await pi.prompt('TOOL echo one')
    await pi.prompt('BIG 1')
    await pi.send('compact')
    await pi.prompt('after the compaction')
  }),
  inRpc('two-compactions', async (pi) => {
    for (const word of ['first', 'second']) {
      await pi.prompt(`TOOL echo ${word}`)
      await pi.prompt(`BIG 1 ${word}`)
      await pi.send('compact')
    }
    await pi.prompt('after both')
  }),
  inRpc('compaction-at-the-end', async (pi) => {
    await pi.prompt('hello')
    await pi.prompt('BIG 1')
    await pi.send('compact')
  }),
  inRpc(
    'automatic-compaction',
    async (pi) => {
      await pi.prompt('hello')
      await pi.prompt('BIG 2')
      await pi.prompt('TOKENS 7500 too many')
      await pi.prompt('after it')
    },
    { window: 8000 },
  ),
  inRpc('compaction-that-keeps-nothing', async (pi) => {
    await pi.prompt('hello')
    await pi.prompt('FORGET all of it')
    await pi.prompt('after it')
  }),
  inRpc(
    'compaction-of-a-changed-prompt',
    async (pi) => {
      await pi.prompt('hello')
      await pi.prompt('BIG 2')
      await pi.prompt('SECTION house rules-are-short')
      await pi.send('prompt', { message: '/only read bash' })
      await pi.prompt('after the change')
      await pi.send('compact')
      await pi.prompt('after it')
    },
    { keep: 200 },
  ),
  inRpc('changed-prompt-and-tools', async (pi) => {
    await pi.prompt('hello')
    await pi.prompt('SECTION house rules-are-short')
    await pi.send('prompt', { message: '/only read bash' })
    await pi.prompt('with fewer tools')
  }),
  inRpc('omitted-and-replaced', async (pi) => {
    await pi.prompt('the secret-word is here')
    await pi.prompt('TOOL echo noisy-output')
    await pi.prompt('OMIT secret-word REPLACE noisy-output')
    await pi.prompt('after it')
  }),
  inRpc('omitted-then-replaced', async (pi) => {
    await pi.prompt('the secret-word is here')
    await pi.prompt('OMIT secret-word')
    await pi.prompt('REPLACE secret-word')
  }),
  inRpc('omitted-on-a-left-branch', async (pi) => {
    await pi.prompt('the secret-word is here')
    await pi.prompt('the point-of-return')
    await pi.prompt('OMIT secret-word')
    await pi.send('prompt', { message: '/back point-of-return' })
    await pi.prompt('another way')
  }),
  inRpc('omitted-and-compacted', async (pi) => {
    await pi.prompt('hello')
    await pi.prompt('BIG 2')
    await pi.prompt('the secret-word is here')
    await pi.prompt('OMIT secret-word')
    await pi.send('compact')
    await pi.prompt('after it')
  }),
  inRpc('tree', async (pi) => {
    await pi.prompt('the first-prompt')
    await pi.prompt('a second-prompt')
    await pi.prompt('a third-prompt')
    await pi.send('prompt', { message: '/back second-prompt' })
    await pi.prompt('another second')
  }),
  inRpc('tree-with-a-summary', async (pi) => {
    await pi.prompt('the first-prompt')
    await pi.prompt('a second-prompt')
    await pi.prompt('TOOL echo left')
    await pi.send('prompt', { message: '/back second-prompt summary' })
    await pi.prompt('another second')
  }),
  inRpc('tree-out-of-a-compaction', async (pi) => {
    await pi.prompt('the first-prompt')
    await pi.prompt('a second-prompt BIG 1')
    await pi.send('compact')
    await pi.prompt('after the compaction')
    await pi.send('prompt', { message: '/back second-prompt' })
    await pi.prompt('before the compaction')
  }),
  inRpc('labels-names-and-state', async (pi) => {
    await pi.prompt('the first-prompt')
    await pi.send('prompt', { message: '/mark first-prompt start' })
    await pi.send('set_session_name', { name: 'A session with a name' })
    await pi.send('prompt', { message: '/state' })
    await pi.send('prompt', { message: '/warm' })
    await pi.prompt('a second-prompt')
    await pi.send('prompt', { message: '/mark first-prompt again' })
  }),
  inRpc('custom-messages', async (pi) => {
    await pi.prompt('hello')
    await pi.send('prompt', { message: '/note a note of an extension' })
    await pi.prompt('and now')
  }),
  inRpc('other-model', async (pi) => {
    await pi.prompt('hello')
    await pi.send('set_model', { provider: 'fake', modelId: 'other' })
    await pi.prompt('TOOL echo other')
  }),
  inRpc('fork', async (pi) => {
    await pi.prompt('the first-prompt')
    await pi.prompt('a second-prompt')
    const { messages } = await pi.send('get_fork_messages')
    await pi.send('fork', { entryId: messages.at(-1).entryId })
    await pi.prompt('in the fork')
  }),
  inRpc('clone-of-a-compacted-session', async (pi) => {
    await pi.prompt('the first-prompt')
    await pi.prompt('BIG 1')
    await pi.send('compact')
    await pi.prompt('after it')
    await pi.send('clone')
    await pi.prompt('in the clone')
  }),
  inRpc('queued-prompts', async (pi) => {
    await pi.send('prompt', { message: 'TOOL sleep 1' })
    await pi.send('steer', { message: 'steered meanwhile' })
    await pi.send('follow_up', { message: 'followed up' })
    await pi.settled(0)
    await pi.prompt('and again')
  }),
  inRpc('aborted-reply', async (pi, _, server) => {
    await pi.prompt('hello')
    await startAndAbort(pi, server, 'HANG here')
    await pi.prompt('after the abort')
  }),
  inRpc('aborted-tool', async (pi) => {
    const settled = pi.settled()
    await pi.send('prompt', { message: 'TOOL sleep 20' })
    await pi.waitFor(({ type }) => type === 'tool_execution_start')
    await pi.send('abort')
    await settled
    await pi.prompt('after the abort')
  }),
  inRpc('killed-in-a-stream', async (pi, _, server) => {
    await pi.prompt('hello')
    await pi.send('prompt', { message: 'HANG here' })
    await until(() => server.requests.length >= 2)
    await sleep(300)
    await pi.kill()
  }),
  inRpc('killed-in-a-tool', async (pi) => {
    await pi.prompt('hello')
    await pi.send('prompt', { message: 'TOOL sleep 20' })
    await pi.waitFor(({ type }) => type === 'tool_execution_start')
    await sleep(300)
    await pi.kill()
  }),
  inRpc('killed-in-a-tool-and-resumed', async (pi, home) => {
    await pi.send('prompt', { message: 'TOOL sleep 20' })
    await pi.waitFor(({ type }) => type === 'tool_execution_start')
    await sleep(300)
    await pi.kill()
    await home.print('after the kill')
  }),
  inRpc('killed-in-a-compaction', async (pi, _, server) => {
    await pi.prompt('hello')
    await pi.prompt('BIG 1')
    const before = server.requests.length
    pi.send('compact', { customInstructions: 'SLOWCOMPACT 20' }).catch(() => {})
    await until(() => server.requests.length > before)
    await pi.kill()
  }),
  inRpc(
    'old-compaction-and-tree',
    async (pi) => {
      await pi.prompt('the first-prompt')
      await pi.prompt('a second-prompt BIG 1')
      await pi.send('compact')
      await pi.prompt('a third-prompt')
      await pi.send('prompt', { message: '/back third-prompt summary' })
      await pi.prompt('another third')
    },
    { isOld: true },
  ),
  inRpc(
    'old-aborted-reply',
    async (pi, _, server) => {
      await pi.prompt('hello')
      await startAndAbort(pi, server, 'HANG here')
      await pi.prompt('after the abort')
    },
    { isOld: true },
  ),
  ...terminalScenarios,
]
