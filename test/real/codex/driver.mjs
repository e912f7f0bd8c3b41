// Runs one version of Codex in a throw-away HOME: `codex exec` for turns, its TUI in tmux for the rest.

import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Terminal } from '../rig/terminal.mjs'
import { toMessages } from './oracle.mjs'

const PROBE = 'PROBE of the rig'
const EXEC_MS_MAX = 60_000
const INSTRUCTIONS = 'You are a coding agent. This text replaces the instructions of the vendor.\n'

const TARGETS = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}

/** The native program of an installed package, so that a kill reaches it and not its launcher. */
export function findProgram(installed) {
  const here = `${platform()}-${arch()}`
  const target = TARGETS[here]
  const candidates = [
    join(installed, '..', `codex-${here}`, 'vendor', target, 'bin', 'codex'),
    join(installed, 'vendor', target, 'codex', 'codex'),
  ]
  const found = candidates.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`no program for ${here} in ${installed}`)
  return found
}

export class Codex {
  home
  project
  #program
  #model
  #server
  #terminals = 0

  /** `model`: one that this version does not ask to replace. */
  constructor({ folder, server, program, model, settings = '' }) {
    this.#program = program
    this.#model = model
    this.#server = server
    this.home = join(folder, 'home')
    this.project = join(this.home, 'app')
    mkdirSync(join(this.home, '.codex'), { recursive: true })
    mkdirSync(this.project)
    this.configure(settings)
  }

  /** The same HOME, run by another version from now on. */
  switchTo(program) {
    this.#program = program
  }

  configure(settings) {
    const instructions = join(this.home, '.codex', 'instructions.md')
    writeFileSync(instructions, INSTRUCTIONS)
    const config = `
model = "${this.#model}"
model_provider = "fake"
model_instructions_file = "${instructions}"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
disable_paste_burst = true
${settings}
[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:${this.#server.port}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."${this.project}"]
trust_level = "trusted"
[analytics]
enabled = false
`
    writeFileSync(join(this.home, '.codex', 'config.toml'), config)
  }

  get #env() {
    return {
      PATH: process.env.PATH,
      HOME: this.home,
      FAKE_KEY: 'no-key',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      NO_PROXY: '127.0.0.1',
    }
  }

  /** One turn of `codex exec`; returns the id of its session. `killWhen`: kills it with SIGKILL then. */
  async exec(prompt, { resume, fork, args = [], killWhen } = {}) {
    const base = ['exec', '--skip-git-repo-check', ...args]
    const how = resume !== undefined ? ['resume', resume] : fork !== undefined ? ['fork', fork] : []
    const { output, pid } = await this.#run([...base, ...how, prompt], killWhen)
    const id = /session id: (\S+)/.exec(output)?.[1]
    if (id === undefined) throw new Error(`codex exec (${pid}) did not start:\n${output}`)
    return id
  }

  /** Any other command. */
  async command(...args) {
    const { output } = await this.#run(args)
    return output
  }

  #run(args, killWhen) {
    const child = spawn(this.#program, args, {
      cwd: this.project,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    }
    const kill = () => child.kill('SIGKILL')
    const timer = setTimeout(kill, EXEC_MS_MAX)
    const watch = setInterval(() => killWhen?.() === true && kill(), 50)
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', () => {
        clearTimeout(timer)
        clearInterval(watch)
        resolve({ output, pid: child.pid })
      })
    })
  }

  /** The TUI, ready for a prompt. */
  async open(...args) {
    const name = `codex-${process.pid}-${++this.#terminals}-${Date.now()}`
    const command = [this.#program, ...args]
    const terminal = new Terminal(name, command, { cwd: this.project, env: this.#env })
    await terminal.waitFor(/[›▌] /)
    await sleep(1000)
    return terminal
  }

  /** Types a prompt and waits for the end of its turn. */
  async turn(terminal, prompt) {
    const before = this.countTurns()
    await terminal.say(prompt)
    await terminal.waitFor(() => this.countTurns() > before)
    await sleep(500)
  }

  /** Ends a TUI and the processes that it left behind: a thread has one writer at a time. */
  async close(terminal) {
    terminal?.close()
    for (let tries = 0; tries < 40; tries++) {
      const left = findProcesses(this.home)
      if (left.length === 0) return
      for (const pid of left) signal(pid, tries < 20 ? 'SIGTERM' : 'SIGKILL')
      await sleep(150)
    }
    throw new Error(`processes of ${this.home} do not end`)
  }

  /** How many turns have ended, by the files; the old version records replies and not the ends of turns. */
  countTurns() {
    return this.count(/"type":"(?:task_complete|turn_aborted|agent_message)"|"type":"compacted"/g)
  }

  /** How often a pattern is in the rollouts. */
  count(pattern) {
    const texts = this.files().map((path) => readFileSync(path, 'utf8'))
    return texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0)
  }

  /** The rollouts, oldest first. */
  files() {
    const sessions = join(this.home, '.codex', 'sessions')
    if (!existsSync(sessions)) return []
    return readdirSync(sessions, { recursive: true })
      .filter((name) => name.endsWith('.jsonl'))
      .sort()
      .map((name) => join(sessions, name))
  }

  /** The rollouts of one thread, oldest first. */
  filesOf(id) {
    return this.files().filter((path) => headOf(path).id === id)
  }

  /** The id of the first thread. */
  oldestId() {
    return headOf(this.files()[0]).id
  }

  /** The id of the newest thread. */
  newestId() {
    return headOf(this.files().at(-1)).id
  }

  /**
   * Resumes a session with the client itself; returns what it sends before the new prompt. The HOME is put
   * back afterwards: its database holds absolute paths, so the copy is what is kept.
   */
  async sentOnResume(id) {
    const kept = `${this.home}.kept`
    cpSync(this.home, kept, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    const before = this.#server.requests.length
    const output = await this.exec(PROBE, { resume: id })
    const asked = this.#server.requests.slice(before).filter(({ path }) => /responses$/.test(path))
    await this.close()
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    renameSync(kept, this.home)
    const request = asked.find(({ body }) => JSON.stringify(body.input).includes(PROBE))
    if (request === undefined) throw new Error(`nothing was sent on resume: ${output}`)
    const isContextNew = this.filesOf(id).some((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .some((line) => /"type":"compacted"/.test(line) && !/"replacement_history":\[/.test(line)),
    )
    return toMessages(request.body, PROBE, { isContextNew })
  }

  /** What the rig compares: the session, its files, and what the client sends on resume. */
  async outcome(id) {
    const theirs = await this.sentOnResume(id)
    const names = join(this.home, '.codex', 'session_index.jsonl')
    return {
      home: this.home,
      files: [...this.files(), ...(existsSync(names) ? [names] : [])],
      session: this.filesOf(id).at(-1),
      sessionId: id,
      theirs,
    }
  }
}

function headOf(path) {
  const [line] = readFileSync(path, 'utf8').split('\n', 1)
  return JSON.parse(line).payload
}

function signal(pid, name) {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** Processes with this HOME: the program, what it runs, and the daemon that its TUI starts. */
function findProcesses(home) {
  if (!existsSync('/proc')) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)
      } catch {
        return false
      }
    })
    .map(Number)
}
