import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exitCodeOf } from '../../../lib/cli/output/exit-codes.js'
import { ERROR_REMEDIES, SessionError, type SessionErrorCode } from '../../../lib/errors.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { runCli } from '../command-line.js'

const HOLDER = `
import { openLog } from ${JSON.stringify(new URL('../../../dist/lib/log/public.js', import.meta.url))}
const log = await openLog(process.argv[1])
console.log('held')
process.stdin.resume()
process.stdin.on('end', () => log.close())
`

test('append to a session that another process holds exits with 5', async (t) => {
  const root = temporaryFolder(t)
  mkdirSync(join(root, '.transcripts'))
  const path = join(root, '.transcripts', 'demo.jsonl')
  const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, path])
  t.onTestFinished(async () => {
    holder.stdin.end()
    await once(holder, 'exit')
  })
  await once(holder.stdout, 'data')
  const answer = await runCli(
    ['append', 'demo', '--type', 'user', '--payload', '{"content":"hello"}', '--json'],
    { root },
  )
  expect(JSON.parse(answer.stderr).error).toMatchObject({
    code: 'ERR_LOCKED',
    details: { pid: holder.pid, mode: 'lease' },
  })
  expect(answer).toMatchObject({ stdout: '', exitCode: 5 })
})

test('what is not found exits with 3', async (t) => {
  const root = temporaryFolder(t)
  const asWords = await runCli(['log', 'nobody'], { root })
  expect(asWords.stderr).toMatch(/^jsonl-session log: .*ERR_NOT_FOUND\)\n$/)
  expect(asWords).toMatchObject({ stdout: '', exitCode: 3 })
  const asJson = await runCli(['log', `${root}/nobody.jsonl`, '--json'])
  expect(JSON.parse(asJson.stderr)).toEqual({
    error: {
      code: 'ERR_NOT_FOUND',
      message: expect.stringContaining('nobody.jsonl'),
      details: { path: `${root}/nobody.jsonl`, errno: 'ENOENT' },
    },
  })
  expect(asJson.exitCode).toBe(3)
})

test('a stack is shown only to those who ask for it', async (t) => {
  const root = temporaryFolder(t)
  const args = ['log', `${root}/nobody.jsonl`]
  expect((await runCli(args, { root })).stderr).not.toContain('    at ')
  const debugged = await runCli(args, { root, env: { JSONL_SESSION_DEBUG: '1' } })
  expect(debugged.stderr).toContain('    at ')
  expect(debugged.stderr).toContain('caused by ')
})

test('every error code has an exit code', () => {
  const others: Partial<Record<SessionErrorCode, number>> = {
    ERR_NOT_FOUND: 3,
    ERR_DAMAGED: 4,
    ERR_LOCKED: 5,
    ERR_LOCK_OBSTRUCTED: 5,
    ERR_CLAIMED: 5,
  }
  for (const code of Object.keys(ERROR_REMEDIES) as SessionErrorCode[]) {
    expect(exitCodeOf(new SessionError(code, 'x')), code).toBe(others[code] ?? 2)
  }
  expect(exitCodeOf(new TypeError('a bug'))).toBe(2)
})
