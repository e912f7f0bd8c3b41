// The command line as people and scripts meet it: the built binary in a process of its own; and
// in this process with a pretended terminal, where a test must know its width.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { main } from '../../bin/main.js'
import type { CliIo } from '../../lib/cli/index.js'

/** Another build of it, where somebody measures what the tests run through. */
export const BINARY =
  process.env['JSONL_SESSION_TEST_BINARY'] ??
  fileURLToPath(new URL('../../dist/bin/jsonl-session.cjs', import.meta.url))

export interface Answer {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number | null
}

export interface RunOptions {
  readonly root?: string
  readonly cwd?: string
  readonly input?: string | Buffer
  readonly env?: Record<string, string>
  readonly nodeOptions?: readonly string[]
}

export function startCli(
  args: readonly string[],
  { root, cwd, env, nodeOptions = [] }: RunOptions = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [...nodeOptions, BINARY, ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      // A test without a root of its own must not reach the store of whoever runs it.
      JSONL_SESSION_ROOT: root ?? '/nonexistent',
      JSONL_SESSION_HOME: root ?? '/nonexistent',
      ...env,
    },
  })
}

export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<Answer> {
  const child = startCli(args, options)
  // A command that refuses its arguments does not read what it is given.
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  return answerOf(child)
}

export async function answerOf(child: ChildProcessWithoutNullStreams): Promise<Answer> {
  const stdout = textOf(child.stdout)
  const stderr = textOf(child.stderr)
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return { stdout: await stdout, stderr: await stderr, exitCode }
}

/** For steps that must succeed before the test has anything to look at. */
export async function runWell(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const answer = await runCli(args, options)
  expect(answer).toMatchObject({ exitCode: 0 })
  return answer.stdout
}

export async function runInTerminal(
  args: readonly string[],
  {
    columns = 80,
    input = '',
    env = {},
    cwd = '/nonexistent',
  }: { columns?: number; input?: string; env?: object; cwd?: string } = {},
): Promise<Answer> {
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns })
  const stdin = terminal()
  const stdout = terminal()
  const stderr = terminal()
  stdin.end(input)
  const texts = Promise.all([textOf(stdout), textOf(stderr)])
  const process = { env, cwd: () => cwd, once: () => {}, off: () => {} }
  const io = { stdin, stdout, stderr, ...process } as unknown as CliIo
  const exitCode = await main(args, io)
  stdout.end()
  stderr.end()
  const [out, err] = await texts
  return { stdout: out, stderr: err, exitCode }
}

export function rowsOf(stdout: string): Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((row) => JSON.parse(row) as Record<string, unknown>)
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}
