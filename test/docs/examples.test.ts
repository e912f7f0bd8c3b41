// Every program in examples/ runs against the built package and prints what it promises.

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, type TestContext } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'

const folder = fileURLToPath(new URL('../../examples/', import.meta.url))

// A port on which no server listens.
const NO_SERVER = { OLLAMA_URL: 'http://127.0.0.1:1' }

async function run(t: TestContext, name: string, variables: Record<string, string> = NO_SERVER) {
  const root = temporaryFolder(t)
  const env = { ...process.env, ...variables }
  const { stdout } = await promisify(execFile)(process.execPath, [`${folder}${name}`, root], {
    env,
  })
  return stdout
}

it('minimal-harness.mjs records two turns and the prompt history', async (t) => {
  const printed = await run(t, 'minimal-harness.mjs')
  expect(printed).toMatch(/^6 messages in .*\.jsonl\nhistory: Thank you\.\n$/)
})

it('minimal-harness.mjs has fewer than 40 lines, and continues where it was', async (t) => {
  expect(readFileSync(`${folder}minimal-harness.mjs`, 'utf8').split('\n').length - 1).toBeLessThan(
    40,
  )
  const root = temporaryFolder(t)
  const again = () => promisify(execFile)(process.execPath, [`${folder}minimal-harness.mjs`, root])
  await again()
  expect((await again()).stdout).toMatch(/^12 messages in /)
})

it('compaction.mjs compacts without a model, and the log keeps everything', async (t) => {
  const printed = await run(t, 'compaction.mjs')
  expect(printed).toMatch(/^compacted: \d+ -> \d+ tokens$/m)
  expect(printed).toMatch(/first: summary\nsummary: .*\nthe log still has 10 prompts\n$/)
})

it('compaction.mjs uses the local model when there is one', async (t) => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const message = { role: 'assistant', content: 'Files were read one after the other.' }
      response.end(`${JSON.stringify({ model: 'fake', message, done: true })}\n`)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.onTestFinished(() => {
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const printed = await run(t, 'compaction.mjs', { OLLAMA_URL: `http://127.0.0.1:${port}` })
  expect(printed).toContain('summary: {"text":"Files were read one after the other."')
})

it('subagents.mjs shows the parent only summaries', async (t) => {
  const printed = await run(t, 'subagents.mjs')
  expect(printed).toMatch(/^lint: timeout\n/)
  expect(printed).toContain('All 12 tests pass.')
  expect(printed).not.toContain('Running 12 tests')
  expect(printed).toMatch(/their logs: completed, timeout\n$/)
})

it('crash-and-resume.mjs reports the tool call without a result', async (t) => {
  const printed = await run(t, 'crash-and-resume.mjs')
  expect(printed).toMatch(/^messages: user, tool_call, tool_result\ninterrupted: tool_call\n/)
  expect(printed).toMatch(/\d+ events are intact; findings: .+\n$/)
})

it('follow.mjs prints what another process writes', async (t) => {
  const printed = await run(t, 'follow.mjs')
  expect(printed).toMatch(/assistant one\nassistant two\nassistant three\n/)
  expect(printed).toMatch(/new since the cursor: 0\n$/)
})

it('post-mortem.mjs finds the failed tool call', async (t) => {
  const env = { ...process.env, TMPDIR: temporaryFolder(t) }
  const program = `${folder}post-mortem.mjs`
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env })
  expect(stdout).toMatch(/bash: 1 calls, 1 errors\nfailed tool calls:\n.*Permission denied\n/)
  expect(stdout).toMatch(/6 events, 0 findings\n$/)
})

it('examples/README.md lists every program, and none is longer than 60 lines', () => {
  const programs = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
  const page = readFileSync(`${folder}README.md`, 'utf8')
  const listed = [...page.matchAll(/^\| \[([\w-]+\.mjs)\]/gm)].map(([, name]) => name)
  expect(listed.sort()).toEqual(programs.sort())
  const long = programs.filter(
    (name) => readFileSync(`${folder}${name}`, 'utf8').split('\n').length > 60,
  )
  expect(long).toEqual([])
})
