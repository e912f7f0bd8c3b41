// The real Claude Code in a throw-away home: print mode, stream mode, the screen in tmux, and the probe that
// shows what the client sends when it resumes a session. Scenarios and hook tests share it.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { installClient, pinnedPackage } from '../rig/install.mjs'
import { Terminal } from '../rig/terminal.mjs'
import { isConversation } from '../rig/wire/anthropic.mjs'

const API_KEY = 'sk-ant-fake-0000000000000000000000000000'
/** Set it to try another version without changing the pinned one. */
const EXECUTABLE = process.env.JSONL_SESSION_REAL_CLAUDE
const RUN_MS_MAX = 120_000
const MODEL = 'claude-haiku-4-5'
export const PROBE = 'PROBE-OF-THE-RIG'

export const VERSION = EXECUTABLE ?? pinnedPackage('claude-code').version

/** The path of the client's program. */
export async function installClaude() {
  if (EXECUTABLE !== undefined) return EXECUTABLE
  return join(await installClient('claude-code'), 'bin', 'claude.exe')
}

/** One person's machine: a home with settings, a project in it, and the client. */
export class ClaudeHome {
  #executable
  #server
  #env
  #names = 0

  /**
   * `context` is what a scenario is given. `settings` becomes `~/.claude/settings.json` (hooks, too);
   * `env` is added to the environment of every run.
   */
  constructor(
    { folder, server, installed },
    { settings, env = {}, home = join(folder, 'home') } = {},
  ) {
    this.#executable = installed
    this.#server = server
    this.#env = env
    this.home = home
    this.project = join(folder, 'home', 'app')
    mkdirSync(join(home, '.claude'), { recursive: true })
    mkdirSync(this.project, { recursive: true })
    this.#answerFirstQuestions()
    if (settings !== undefined) this.writeSettings(settings)
  }

  writeSettings(settings) {
    const path = join(this.home, '.claude', 'settings.json')
    writeFileSync(path, `${JSON.stringify(settings, null, 2)}\n`)
  }

  /** Onboarding, trust in the project and the API key, as if a person had answered. */
  #answerFirstQuestions() {
    const path = join(this.home, '.claude.json')
    if (existsSync(path)) return
    const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
    const answers = {
      hasCompletedOnboarding: true,
      bypassPermissionsModeAccepted: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
      projects: { [this.project]: trusted },
    }
    writeFileSync(path, JSON.stringify(answers))
  }

  get env() {
    return {
      PATH: process.env.PATH,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      HOME: this.home,
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${this.#server.port}`,
      ANTHROPIC_API_KEY: API_KEY,
      ANTHROPIC_MODEL: MODEL,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '0',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      // As root the client refuses bypassPermissions unless a variable says that it runs in a sandbox.
      IS_SANDBOX: '1',
      ...this.#env,
    }
  }

  /** Starts the client with these arguments; the caller waits for `ended` or kills it. */
  start(args, { stdin = 'ignore' } = {}) {
    const all = ['--permission-mode', 'bypassPermissions', ...args]
    const child = spawn(this.#executable, all, {
      cwd: this.project,
      env: this.env,
      stdio: [stdin, 'pipe', 'pipe'],
    })
    const output = []
    if (stdin === 'ignore') child.stdout.on('data', (chunk) => output.push(chunk))
    child.stderr.on('data', (chunk) => output.push(chunk))
    const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS_MAX)
    const ended = new Promise((resolve) => {
      child.on('exit', (code) => {
        clearTimeout(timer)
        resolve({ code, output: Buffer.concat(output).toString('utf8') })
      })
    })
    return { child, ended }
  }

  /** One prompt in print mode (`-p`); returns exit code and output. */
  async ask(prompt, args = []) {
    return this.start([...args, '-p', prompt]).ended
  }

  /** The client with its screen. */
  async open(args = []) {
    const name = `claude-${++this.#names}-${randomUUID().slice(0, 8)}`
    const command = [this.#executable, '--permission-mode', 'bypassPermissions', ...args]
    const terminal = new Terminal(name, command, { cwd: this.project, env: this.env })
    await terminal.waitFor(/\? for shortcuts|bypass permissions on/)
    return terminal
  }

  /** A session fed through `--input-format stream-json`, as the SDK does. */
  openStream(sessionId, args = []) {
    const { child, ended } = this.start(
      [
        ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
        ...['--session-id', sessionId, ...args],
      ],
      { stdin: 'pipe' },
    )
    return new ClaudeStream(child, ended, sessionId)
  }

  /** Transcripts of the project, as absolute paths. */
  get transcripts() {
    const projects = join(this.home, '.claude', 'projects')
    const folders = existsSync(projects) ? readdirSync(projects) : []
    return folders.flatMap((folder) =>
      readdirSync(join(projects, folder), { recursive: true })
        .filter((path) => path.endsWith('.jsonl') || path.endsWith('.meta.json'))
        .map((path) => join(projects, folder, path)),
    )
  }

  transcriptOf(sessionId) {
    const found = this.transcripts.find((path) => path.endsWith(`/${sessionId}.jsonl`))
    if (found === undefined) throw new Error(`no transcript of ${sessionId} in ${this.home}`)
    return found
  }

  /** The session that was written to last and is none of `known`. */
  newestSession(known = []) {
    const sessions = this.transcripts
      .map((path) => /([0-9a-f-]{36})\.jsonl$/.exec(path)?.[1])
      .filter((id) => id !== undefined && !known.includes(id))
    if (sessions.length !== 1) throw new Error(`not one session: ${sessions}`)
    return sessions[0]
  }

  readLines(sessionId) {
    const text = readFileSync(this.transcriptOf(sessionId), 'utf8')
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  /** Waits until the transcript has such a line. */
  async waitForLine(sessionId, isWanted, seconds = 30) {
    for (let tries = seconds * 20; tries > 0; tries--) {
      const isThere = this.transcripts.some((path) => path.endsWith(`/${sessionId}.jsonl`))
      if (isThere && this.readLines(sessionId).some(isWanted)) return
      await sleep(50)
    }
    throw new Error(`the transcript of ${sessionId} never had the line`)
  }

  /** Waits until the model server was sent a request that matches. */
  async waitForRequest(isWanted, seconds = 30) {
    for (let tries = seconds * 20; tries > 0; tries--) {
      if (this.#server.requests.some(({ body }) => isConversation(body) && isWanted(body))) return
      await sleep(50)
    }
    throw new Error('the client never sent that request')
  }

  /**
   * Resumes a session on a copy of this home with a prompt of the rig; returns the body of the request that
   * the client sends then. Nothing in this home changes.
   */
  async probe(sessionId, args = []) {
    const copy = `${this.home}-probe-${++this.#names}`
    // Files of running processes come and go while they are copied.
    const left = [this.project, join(this.home, '.claude', 'sessions')]
    const isCopied = (path) => !left.includes(path) && !path.endsWith('.lock')
    cpSync(this.home, copy, { recursive: true, filter: isCopied })
    rmSync(join(copy, '.claude', 'settings.json'), { force: true })
    const context = {
      folder: join(this.home, '..'),
      server: this.#server,
      installed: this.#executable,
    }
    const there = new ClaudeHome(context, { home: copy, env: this.#env })
    const from = this.#server.requests.length
    const { output } = await there.ask(PROBE, ['--resume', sessionId, ...args])
    const request = this.#server.requests
      .slice(from)
      .find(({ body }) => isConversation(body) && JSON.stringify(body.messages).includes(PROBE))
    if (request === undefined) throw new Error(`the client did not resume: ${output.slice(0, 500)}`)
    return request.body
  }
}

/** A session of the client that reads messages and control requests from a stream. */
class ClaudeStream {
  #child
  #ended
  #sessionId
  #waiting = []

  constructor(child, ended, sessionId) {
    this.#child = child
    this.#ended = ended
    this.#sessionId = sessionId
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event = JSON.parse(line)
      if (event.type === 'result' || event.type === 'control_response')
        this.#waiting.shift()?.(event)
    })
  }

  /** Sends a prompt and waits for the end of its turn; returns the uuid it was given. */
  async say(content) {
    const uuid = randomUUID()
    const message = { role: 'user', content }
    const ids = { uuid, session_id: this.#sessionId, parent_tool_use_id: null }
    await this.#send({ type: 'user', ...ids, message })
    return uuid
  }

  /** Sends a control request and waits for its answer. */
  control(request) {
    return this.#send({ type: 'control_request', request_id: randomUUID(), request })
  }

  #send(value) {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#child.stdin.write(`${JSON.stringify(value)}\n`)
    })
  }

  async close() {
    this.#child.stdin.end()
    return this.#ended
  }
}
