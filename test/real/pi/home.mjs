// One throw-away home of pi: its settings, the ways to run it in it, and its session files.

import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Terminal } from '../rig/terminal.mjs'

const EXTENSION = fileURLToPath(new URL('extension.mjs', import.meta.url))
const PROMPT = 'You help with a made-up project.'
const RUN_MS_MAX = 60_000
let terminals = 0

export class PiHome {
  /** `pi`: `{ node, program, isOld }`; `keep`: tokens that a compaction keeps; `window`: the context window of the model. */
  constructor({ folder, server, pi, keep = 50, window = 128_000, name = 'home' }) {
    this.pi = pi
    this.path = join(folder, name)
    this.project = join(this.path, 'app')
    this.agent = join(this.path, '.pi', 'agent')
    mkdirSync(this.project, { recursive: true })
    mkdirSync(this.agent, { recursive: true })
    writeJson(join(this.agent, 'models.json'), {
      providers: { fake: makeProvider(server.port, window) },
    })
    writeJson(join(this.agent, 'settings.json'), {
      defaultProvider: 'fake',
      defaultModel: 'fake',
      defaultProjectTrust: 'always',
      quietStartup: true,
      compaction: { enabled: true, reserveTokens: 1000, keepRecentTokens: keep },
      retry: { enabled: true, maxRetries: 1, baseDelayMs: 10 },
    })
  }

  get #env() {
    // Nothing of the person who runs this; no update checks and no downloads.
    return {
      PATH: process.env.PATH,
      HOME: this.path,
      // pi names files of long outputs to the model.
      TMPDIR: this.path,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      PI_OFFLINE: '1',
      PI_SKIP_VERSION_CHECK: '1',
      NO_PROXY: '127.0.0.1',
    }
  }

  #command(args) {
    const { node, program } = this.pi
    return [
      node,
      program,
      '--system-prompt',
      PROMPT,
      '--no-context-files',
      '--no-skills',
      '-e',
      EXTENSION,
      ...args,
    ]
  }

  #spawn(args, options) {
    const [program, ...rest] = this.#command(args)
    return spawn(program, rest, { cwd: this.project, env: this.#env, ...options })
  }

  /** Print mode: one prompt, in the newest session unless `args` name another. */
  async print(prompt, args = this.sessions().length > 0 ? ['--continue'] : []) {
    const child = this.#spawn([...args, '-p', prompt], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_MS_MAX,
      killSignal: 'SIGKILL',
    })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    const code = await new Promise((resolve) => child.on('close', resolve))
    return { code, output }
  }

  rpc(args = []) {
    return new Rpc(
      this.#spawn(['--mode', 'rpc', ...args], { stdio: ['pipe', 'pipe', 'pipe'] }),
      this.pi.isOld,
    )
  }

  async terminal(args = []) {
    const terminal = new Terminal(`pi-${++terminals}`, this.#command(args), {
      cwd: this.project,
      env: this.#env,
    })
    await terminal.waitFor(/fake/)
    await sleep(500)
    return terminal
  }

  /** The session files, oldest first. */
  sessions() {
    const folder = join(this.agent, 'sessions')
    try {
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => join(folder, name))
        .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs)
    } catch {
      return []
    }
  }

  /** The entries of the newest session that are on the disk now. */
  entries() {
    const newest = this.sessions().at(-1)
    if (newest === undefined) return []
    return readFileSync(newest, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  }

  /** Runs something on this home, and puts everything back as it was before. */
  async tryOut(run) {
    const before = `${this.path}.before`
    // What Node compiles is written by renaming, so its files vanish while they are copied.
    const filter = (path) => !path.includes('node-compile-cache')
    cpSync(this.path, before, { recursive: true, preserveTimestamps: true, filter })
    try {
      return await run()
    } finally {
      rmSync(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
      renameSync(before, this.path)
    }
  }
}

function makeProvider(port, contextWindow) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  // In place, as pi sends them to a model that accepts them: otherwise it folds all of them into the first message.
  const compat = { supportsMidConvoSystemMessages: true }
  const model = {
    id: 'fake',
    name: 'fake',
    reasoning: true,
    input: ['text', 'image'],
    contextWindow,
    maxTokens: 4096,
    cost,
    compat,
  }
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    api: 'openai-completions',
    apiKey: 'sk-made-up',
    models: [model, { ...model, id: 'other', name: 'other' }],
  }
}

function writeJson(path, value) {
  writeFileSync(path, JSON.stringify(value))
}

/** pi in RPC mode: commands in, responses and events out. */
class Rpc {
  #child
  #lines = []
  #errors = ''
  #next = 1
  #settledName
  #closed

  constructor(child, isOld) {
    this.#child = child
    this.#settledName = isOld ? 'agent_end' : 'agent_settled'
    this.#closed = new Promise((resolve) => child.on('close', resolve))
    createInterface({ input: child.stdout }).on('line', (line) =>
      this.#lines.push(JSON.parse(line)),
    )
    child.stderr.on('data', (chunk) => (this.#errors += chunk))
  }

  /** Sends a command and waits for its response. */
  async send(type, fields = {}) {
    const id = `request-${this.#next++}`
    this.#child.stdin.write(`${JSON.stringify({ id, type, ...fields })}\n`)
    const response = await this.waitFor((line) => line.id === id && line.type === 'response')
    if (response.success !== true) throw new Error(`${type}: ${response.error}`)
    return response.data
  }

  /** A prompt, and everything until pi waits for the next one. */
  async prompt(message, fields = {}) {
    const seen = this.#count()
    await this.send('prompt', { message, ...fields })
    await this.settled(seen)
  }

  #count() {
    return this.#lines.filter(({ type }) => type === this.#settledName).length
  }

  /** Until pi has settled more often than `seen` times. */
  async settled(seen = this.#count()) {
    await this.#until(() => this.#count() > seen)
    // Entries that follow the end of a turn, for example of an automatic compaction.
    await sleep(200)
  }

  async waitFor(isWanted) {
    await this.#until(() => this.#lines.some(isWanted))
    return this.#lines.find(isWanted)
  }

  async #until(isDone) {
    for (const end = Date.now() + RUN_MS_MAX; !isDone(); await sleep(25)) {
      if (Date.now() > end)
        throw new Error(
          `pi does not answer: ${this.#errors} ${JSON.stringify(this.#lines.slice(-3)).slice(0, 600)}`,
        )
    }
  }

  /** Ends pi as its user would. */
  async close() {
    this.#child.stdin.end()
    await this.#closed
  }

  async kill() {
    this.#child.kill('SIGKILL')
    await this.#closed
  }
}
