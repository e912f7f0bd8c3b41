// The command line for tests: in this process with streams of its own, or the built program in a
// process of its own.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { main } from '../../bin/main.js'
import type { CliIo, CliModules } from '../../lib/cli/index.js'

/** Another build of it, to measure coverage. */
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

const folderOf = ({ root }: RunOptions) => ({
  // A test without a root of its own must not reach the user's store.
  JSONL_SESSION_ROOT: root ?? '/nonexistent',
  JSONL_SESSION_HOME: root ?? '/nonexistent',
})

/** The built program in a process of its own: for exit codes, pipes, signals, locks and loading. */
export function startCli(
  args: readonly string[],
  options: RunOptions = {},
): ChildProcessWithoutNullStreams {
  const { cwd, env, nodeOptions = [] } = options
  return spawn(process.execPath, [...nodeOptions, BINARY, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...folderOf(options), ...env },
  })
}

export async function spawnCli(args: readonly string[], options: RunOptions = {}): Promise<Answer> {
  const child = startCli(args, options)
  // A command that rejects its arguments does not read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  return answerOf(child)
}

/** The command line in this process, with streams, variables and a folder of its own. */
export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<Answer> {
  const { cwd = process.cwd(), input = '', env } = options
  return runWith(args, {
    cwd,
    input,
    env: { PATH: process.env['PATH'], ...folderOf(options), ...env },
    stream: () => new PassThrough(),
  })
}

interface StreamOptions {
  readonly cwd: string
  readonly input: string | Buffer
  readonly env: object
  readonly modules?: Partial<CliModules> | undefined
  stream(): PassThrough
}

async function runWith(
  args: readonly string[],
  { cwd, input, env, modules, stream }: StreamOptions,
): Promise<Answer> {
  const [stdin, stdout, stderr] = [stream(), stream(), stream()]
  stdin.end(input)
  const texts = Promise.all([textOf(stdout), textOf(stderr)])
  const signals = new EventEmitter()
  const io = Object.assign(signals, { stdin, stdout, stderr, env, cwd: () => cwd })
  const program = () => ({ node: process.execPath, program: BINARY })
  const exitCode = await main(args, io as unknown as CliIo, { program, ...modules })
  stdout.end()
  stderr.end()
  const [out, err] = await texts
  return { stdout: out, stderr: err, exitCode }
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

/** For steps that must succeed. */
export async function runWell(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const answer = await runCli(args, options)
  expect(answer).toMatchObject({ exitCode: 0 })
  return answer.stdout
}

/** In this process, with a pretended terminal of a known width. */
export async function runInTerminal(
  args: readonly string[],
  {
    columns = 80,
    input = '',
    env = {},
    cwd = '/nonexistent',
    modules,
  }: {
    columns?: number
    input?: string
    env?: object
    cwd?: string
    modules?: Partial<CliModules>
  } = {},
): Promise<Answer> {
  const stream = () => Object.assign(new PassThrough(), { isTTY: true, columns })
  return runWith(args, { cwd, input, env, modules, stream })
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
