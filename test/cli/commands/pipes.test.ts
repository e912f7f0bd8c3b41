// Sessions through pipes: `export` to stdout, `import -` from stdin, by the built program.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSession } from '../../../lib/index.js'
import { FOREIGN } from '../../contracts/foreign-files.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { runWell, spawnCli } from '../command-line.js'

async function writeLongSession(root: string): Promise<void> {
  const session = await createSession({ root, home: root, id: 'demo' })
  await session.prompt('a separator \u2028 in it')
  const content = 'é'.repeat(50_000)
  for (let number = 0; number < 40; number++) {
    await session.append({ type: 'assistant', payload: { content } })
  }
  await session.close()
}

test('an export through a pipe is imported as an equal session', async (t) => {
  const root = temporaryFolder(t)
  const other = temporaryFolder(t)
  await writeLongSession(root)
  const exported = await runWell(['export', 'demo'], { root })
  expect(exported.length).toBeGreaterThan(2_000_000)
  const { stdout, exitCode } = await spawnCli(['import', '-', '--json'], {
    root: other,
    input: exported,
  })
  expect({ exitCode, reports: JSON.parse(stdout) }).toMatchObject({
    exitCode: 0,
    reports: [{ path: '-', sessionId: 'demo', format: 'jsonl-session', skipped: null }],
  })
  expect(await runWell(['export', 'demo'], { root: other })).toBe(exported)
})

test('a transcript on stdin is the same source as its file', async (t) => {
  const root = temporaryFolder(t)
  const tmp = temporaryFolder(t)
  const path = join(FOREIGN, 'claude-code/plain.jsonl')
  const input = readFileSync(path)
  const env = { TMPDIR: tmp }
  const dry = await spawnCli(['import', '-', '--dry-run'], { root, input, env })
  expect(dry).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('claude-code') })
  expect(existsSync(join(root, '.transcripts'))).toBe(false)
  const first = await spawnCli(['import', '-'], { root, input, env })
  expect(first).toMatchObject({ exitCode: 0, stderr: '' })
  const [again] = JSON.parse(await runWell(['import', path, '--json'], { root }))
  expect(again).toMatchObject({ events: 0, skipped: { reason: 'unchanged' } })
  expect(readdirSync(tmp)).toEqual([])
})

test('a stream that ends inside a line, or is no JSON lines, imports nothing', async (t) => {
  const root = temporaryFolder(t)
  const tmp = temporaryFolder(t)
  const input = readFileSync(join(FOREIGN, 'claude-code/plain.jsonl'))
  for (const broken of [input.subarray(0, -20), Buffer.concat([Buffer.from('<html>\n'), input])]) {
    const { exitCode, stderr } = await spawnCli(['import', '-', '--json'], {
      root,
      input: broken,
      env: { TMPDIR: tmp },
    })
    expect({ exitCode, ...JSON.parse(stderr) }).toMatchObject({
      exitCode: 4,
      error: { code: 'ERR_DAMAGED', message: expect.stringContaining('Import it from a file') },
    })
  }
  expect(existsSync(join(root, '.transcripts'))).toBe(false)
  expect(readdirSync(tmp)).toEqual([])
})

test('stdin and a path cannot be combined', async (t) => {
  const root = temporaryFolder(t)
  const { exitCode, stderr } = await spawnCli(['import', '-', 'x.jsonl'], { root })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('- and a path cannot be combined')
})
