// The server as a process of its own: its address, its end, and what it says when it cannot start.

import { spawn } from 'node:child_process'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answerOf, BINARY, runCli } from '../cli/command-line.js'
import { copyProgram } from '../helpers/copy-program.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { startServer } from './start-server.js'

describe('a server', () => {
  test('prints its address with the token of its file, answers, and ends by SIGTERM', async (t) => {
    const root = temporaryFolder(t)
    const { child, answer, url, pageUrl, tokenFile } = await startServer(t, root)
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600)
    const token = readFileSync(tokenFile, 'utf8').trim()
    expect(pageUrl).toBe(`${url}#token=${token}`)
    expect(token.length).toBeGreaterThanOrEqual(43)
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}api/checkpoints`, { headers })
    expect(await response.json()).toEqual({ checkpoints: [], count: 0 })
    expect((await fetch(`${url}api/checkpoints`)).status).toBe(401)
    // The page, or a text where the viewer was not built: neither needs the token.
    expect((await fetch(url)).status).toBe(200)
    const start = performance.now()
    child.kill('SIGTERM')
    expect((await answer).exitCode).toBe(0)
    expect(performance.now() - start).toBeLessThan(5000)
    const again = await startServer(t, root)
    expect(again.pageUrl.split('#')[1]).toBe(`token=${token}`)
  })

  test('on another address warns, and answers to the names that it was given', async (t) => {
    const args = ['--host', '0.0.0.0', '--allow-host', 'sessions.example']
    const { child, answer, port } = await startServer(t, temporaryFolder(t), args)
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { port, path: '/api/sessions', headers: { host } }
        request(options, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end()
      })
    expect(await statusFor(`sessions.example:${port}`)).toBe(401)
    expect(await statusFor(`localhost:${port}`)).toBe(401)
    expect(await statusFor('other.example')).toBe(421)
    child.kill('SIGINT')
    const { stderr, exitCode } = await answer
    expect(stderr).toContain('HTTP is not encrypted')
    expect(exitCode).toBe(0)
  })

  test('refuses a token file that others can read, or that has no token', async (t) => {
    const root = temporaryFolder(t)
    const file = join(root, 'tokens')
    writeFileSync(file, 'a-token-that-is-long\n', { mode: 0o644 })
    const open = await runCli(['serve', '--port', '0', '--token-file', file], { root })
    expect([open.exitCode, open.stdout]).toEqual([2, ''])
    expect(open.stderr).toContain(`chmod 600 ${file}`)
    chmodSync(file, 0o600)
    writeFileSync(file, '# none\n')
    const empty = await runCli(['serve', '--port', '0', '--token-file', file], { root })
    expect(empty.stderr).toContain('has no token')
    writeFileSync(file, 'a-token-that-is-long scopes=everything\n')
    const wrong = await runCli(['serve', '--port', '0', '--token-file', file], { root })
    expect(wrong.stderr).toContain(`${file}:1`)
    const missing = await runCli(['serve', '--token-file', join(root, 'none')], { root })
    expect([missing.exitCode, missing.stdout]).toEqual([3, ''])
  })

  test('says that its port is in use', async (t) => {
    const other = createServer().listen(0, '127.0.0.1')
    t.onTestFinished(() => void other.close())
    await new Promise((resolve) => other.once('listening', resolve))
    const port = String((other.address() as AddressInfo).port)
    const { stderr, exitCode } = await runCli(['serve', '--port', port], {
      root: temporaryFolder(t),
    })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`Port ${port} of 127.0.0.1 is in use`)
    expect(stderr).toContain('--port')
  })

  test('says what to install where the packages are missing', async (t) => {
    const folder = temporaryFolder(t)
    const program = copyProgram(BINARY, folder)
    const child = spawn(process.execPath, [program, 'serve', '--root', folder, '--home', folder])
    child.stdin.end()
    const { stdout, stderr, exitCode } = await answerOf(child)
    expect([stdout, exitCode]).toEqual(['', 2])
    expect(stderr).toContain('npm install hono @hono/node-server')
  })
})
