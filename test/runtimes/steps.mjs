// What each runtime must do with the library and its command line: write and resume, respect the locks
// of other processes on this and on another runtime, and lose nothing when a process is killed.

import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const LIBRARY = new URL('../../dist/lib/index.js', import.meta.url).href
const PROGRAM = fileURLToPath(new URL('../../dist/bin/jsonl-session.cjs', import.meta.url))
const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url))

const OTHER = [process.execPath]
const ACKNOWLEDGED_MIN = 20
const ONE_SHOTS = 15
const WAIT_MS_MAX = 60_000
/** A lock whose owner is known is judged at once; that of an unknown owner after ten seconds. */
const JUDGEMENT_MS_MAX = 9_000

/** Throws what the runtime did wrong; returns what it did. */
export async function trySteps(command) {
  const root = mkdtempSync(join(tmpdir(), 'jsonl-session-runtime-'))
  try {
    const steps = { write, contend, hold, kill, 'command line': useProgram }
    for (const [name, step] of Object.entries(steps)) {
      try {
        await step(command, root)
      } catch (error) {
        throw new Error(`${name}: ${error.message}`)
      }
    }
    return 'create, append, resume, lock, kill -9, command line'
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function write(command, root) {
  assertEqual(await run(command, root, 'write'), ['hello', 'hi'])
}

/** Writers of both runtimes at the same time: every event is there, and the chain is whole. */
async function contend(command, root) {
  const writers = [command, command, OTHER]
  await Promise.all(writers.map((one) => run(one, root, 'contend', ONE_SHOTS)))
  const { stdout } = await runProgram(OTHER, root, ['verify', '--all', '--json'])
  const shared = JSON.parse(stdout).find(({ path }) => path.endsWith('shared.jsonl'))
  const { events, onChain, findings } = shared
  // One more is the header.
  const all = writers.length * ONE_SHOTS + 1
  assertEqual({ events, onChain, findings }, { events: all, onChain: all, findings: [] })
}

/** A session that a living process holds is rejected. */
async function hold(command, root) {
  for (const [holder, others] of [
    [command, [command, OTHER]],
    [OTHER, [command]],
  ]) {
    const id = `held-${holder === OTHER ? 'other' : 'own'}`
    await withHolder(holder, root, id, async ({ acknowledged }) => {
      await acknowledged(1)
      for (const one of others) {
        assertEqual(await resume(one, root, id), { code: 'ERR_LOCKED' })
      }
    })
  }
}

/** The session of a killed process is resumed, and has every event that was acknowledged. */
async function kill(command, root) {
  for (const [holder, next] of [
    [command, command],
    [OTHER, command],
    [command, OTHER],
  ]) {
    const id = `killed-${holder === OTHER ? 'other' : 'own'}-${next === OTHER ? 'other' : 'own'}`
    const written = await withHolder(holder, root, id, ({ acknowledged }) =>
      acknowledged(ACKNOWLEDGED_MIN),
    )
    const { uuids, code } = await resume(next, root, id)
    if (uuids === undefined) throw new Error(`a killed session cannot be resumed: ${code}`)
    const lost = written.filter((uuid) => !uuids.includes(uuid))
    assertEqual({ lost }, { lost: [] })
  }
}

async function useProgram(command, root) {
  const home = join(root, 'program')
  const calls = [
    ['--version'],
    ['prompt', 'demo', 'hello'],
    ['list', '--json'],
    ['show', 'demo'],
    ['resume', 'demo', '--json'],
    ['grep', 'hel+o'],
    ['export', 'demo'],
    ['verify', '--all'],
    ['doctor'],
    ['completion', 'bash'],
    ['--help'],
  ]
  for (const args of calls) {
    const { stdout } = await runProgram(command, home, args)
    if (stdout === '') throw new Error(`${args.join(' ')} printed nothing`)
  }
  const event = { hook_event_name: 'UserPromptSubmit', session_id: 'hooked', prompt: 'by a hook' }
  await runProgram(command, home, ['hook', 'UserPromptSubmit'], JSON.stringify(event))
  const { stdout } = await runProgram(command, home, ['show', 'hooked'])
  if (!stdout.includes('by a hook')) throw new Error('the prompt of a hook was not recorded')
}

/** Starts a process that holds a session; kills it when the callback is done. */
async function withHolder([binary, ...args], root, id, use) {
  const child = spawn(binary, [...args, CHILD, LIBRARY, root, 'hold', id])
  const ended = new Promise((resolve) => child.on('close', resolve))
  const uuids = []
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  createInterface({ input: child.stdout }).on('line', (line) => uuids.push(JSON.parse(line)))
  const acknowledged = async (count) => {
    const deadline = performance.now() + WAIT_MS_MAX
    while (uuids.length < count) {
      if (child.exitCode !== null || performance.now() > deadline) {
        throw new Error(`the holder of ${id} wrote nothing: ${stderr}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return [...uuids]
  }
  try {
    return await use({ acknowledged })
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

async function resume(command, root, id) {
  const start = performance.now()
  const answer = await run(command, root, 'resume', id)
  const ms = performance.now() - start
  if (ms > JUDGEMENT_MS_MAX) throw new Error(`the lock of ${id} was judged after ${ms} ms`)
  return answer
}

async function run([binary, ...args], root, task, argument = '') {
  const given = [...args, CHILD, LIBRARY, root, task, `${argument}`]
  const { stdout } = await execute(binary, given)
  return JSON.parse(stdout)
}

function runProgram([binary, ...args], root, words, input = '') {
  return execute(binary, [...args, PROGRAM, ...words, '--root', root, '--home', root], input)
}

async function execute(binary, args, input = '') {
  const running = promisify(execFile)(binary, args, { timeout: WAIT_MS_MAX })
  running.child.stdin.end(input)
  try {
    return await running
  } catch (error) {
    const { code, signal, stderr } = error
    throw new Error(`${args.slice(-8).join(' ')}: ${signal ?? `exit code ${code}`}: ${stderr}`)
  }
}

function assertEqual(found, expected) {
  const [is, wanted] = [found, expected].map((value) => JSON.stringify(value))
  if (is !== wanted) throw new Error(`${is} instead of ${wanted}`)
}
