// One throw-away home of Gemini CLI: runs it with a prompt or in a terminal, and resumes it to see what
// it sends.

import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Terminal } from '../rig/terminal.mjs'
import { toTheirs } from './oracle.mjs'

const RUN_MS_MAX = 90_000
const PROBE = 'PROBE'
let terminals = 0

const SETTINGS = {
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, sessionRetention: { enabled: false } },
  // The long replies of the fake model repeat themselves.
  model: { name: 'gemini-2.5-flash', disableLoopDetection: true },
  ui: { hideTips: true, hideBanner: true },
  ide: { hasSeenNudge: true },
}

export class GeminiHome {
  #program
  #server
  #terminal

  constructor({ folder, server, installed }, settings = {}) {
    this.home = join(folder, 'home')
    this.project = join(this.home, 'app')
    this.#program = join(installed, 'bundle', 'gemini.js')
    this.#server = server
    mkdirSync(join(this.home, '.gemini'), { recursive: true })
    mkdirSync(this.project)
    const merged = { ...SETTINGS, ...settings, model: { ...SETTINGS.model, ...settings.model } }
    writeFileSync(join(this.home, '.gemini', 'settings.json'), JSON.stringify(merged))
  }

  get #env() {
    return {
      PATH: process.env.PATH,
      HOME: this.home,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      GEMINI_API_KEY: 'not-a-key',
      GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${this.#server.port}`,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      // Without a second process of itself, kill -9 hits the right one.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      NO_PROXY: '127.0.0.1',
    }
  }

  /** Runs the client with one prompt to its end; returns what it printed. */
  async ask(prompt, ...args) {
    const { output, ended } = this.start(prompt, ...args)
    await ended
    return output()
  }

  /** Starts the client with one prompt. */
  start(prompt, ...args) {
    const all = [this.#program, '--yolo', ...args, '-p', prompt]
    const options = { cwd: this.project, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] }
    const child = spawn(process.execPath, all, { ...options, detached: true })
    const chunks = []
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => chunks.push(chunk))
    const kill = () => killGroup(child.pid)
    const timer = setTimeout(kill, RUN_MS_MAX)
    const ended = new Promise((resolve) => {
      child.on('close', () => {
        clearTimeout(timer)
        resolve()
      })
    })
    return { output: () => Buffer.concat(chunks).toString('utf8'), kill, ended }
  }

  /** Starts the client with its screen. */
  async open(...args) {
    const command = [process.execPath, this.#program, '--yolo', ...args]
    const options = { cwd: this.project, env: this.#env }
    this.#terminal = new Terminal(`gemini-${++terminals}`, command, options)
    await this.#terminal.waitFor(/Type your message/)
    return this.#terminal
  }

  /** Says something on the screen and waits for the end of the turn. */
  async say(prompt, wanted = /REPLY-\d+/) {
    await this.submit(prompt)
    await this.waitForIdle(wanted)
  }

  /** Says something on the screen and waits for the request that follows. */
  async submit(prompt) {
    const before = this.#server.requests.length
    await this.enter(prompt, () => this.#server.requests.length > before)
  }

  /** Types a text and Enter; presses Enter again where a slow machine took both for one paste. */
  async enter(text, wanted) {
    await this.#terminal.say(text)
    for (let tries = 10; tries > 0; tries--) {
      try {
        return await this.#terminal.waitFor(wanted, 4)
      } catch (error) {
        if (tries === 1) throw error
        await this.#terminal.press('Enter')
      }
    }
  }

  async waitForIdle(wanted) {
    await this.#terminal.waitFor(wanted)
    await this.#terminal.waitFor(() => !/esc to cancel/.test(this.#terminal.screen()))
    await sleep(300)
  }

  /** Ends the client as a user does. */
  async quit() {
    await this.enter('/quit', /Pane is dead|Agent powering down/)
    this.#terminal.close()
  }

  /** Waits until a request to the model has this text in it. */
  async waitForRequest(text, seconds = 30) {
    for (let tries = seconds * 10; tries > 0; tries--) {
      if (this.#server.requests.some(({ body }) => JSON.stringify(body).includes(text))) return
      await sleep(100)
    }
    throw new Error(`no request with ${text}`)
  }

  /** Waits until a process below the client runs this command. */
  async waitForCommand(command, seconds = 30) {
    const wanted = command.split(' ').join('\0')
    for (let tries = seconds * 10; tries > 0; tries--) {
      if (listProcesses(this.project).some((line) => line.startsWith(wanted))) return
      await sleep(100)
    }
    throw new Error(`${command} never ran`)
  }

  /** The chats of the project in the order of their names, which begin with their time. */
  chats() {
    return this.#listProject('chats')
      .filter((path) => basename(path).startsWith('session-'))
      .sort()
  }

  /** Everything that belongs to the sessions of the project: chats, subagents, and its folder. */
  files() {
    return [
      ...this.#listProject('chats'),
      ...this.#listProject('.').filter((path) => path.endsWith('.project_root')),
    ]
  }

  #listProject(name) {
    return this.#list(join(this.home, '.gemini', 'tmp', 'app', name))
  }

  #list(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? this.#list(path) : [path]
    })
  }

  sessionIds() {
    const ids = this.chats().map(
      (path) => /"sessionId":\s*"([^"]+)"/.exec(readFileSync(path, 'utf8'))[1],
    )
    return [...new Set(ids)]
  }

  /**
   * Resumes the session with the client itself, which writes to its files, and puts the files back.
   * Returns what `npm run real` compares.
   */
  async probe(sessionId = this.sessionIds()[0], session = this.chats()[0]) {
    const copy = `${this.home}.copy`
    cpSync(this.home, copy, { recursive: true })
    const before = this.#server.requests.length
    const printed = await this.ask(PROBE, '--resume', sessionId)
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    renameSync(copy, this.home)
    const sent = this.#server.requests
      .slice(before)
      .filter(({ path }) => path.endsWith(':streamGenerateContent'))
      .map(({ body }) => body)
      .filter(({ contents }) => contents.at(-1).parts.some(({ text }) => text === PROBE))
    if (sent.length === 0) throw new Error(`the client did not resume: ${printed.slice(0, 400)}`)
    const { home } = this
    return { home, files: this.files(), session, sessionId, theirs: toTheirs(sent[0], PROBE) }
  }
}

/** The command lines of the processes in a folder. */
function listProcesses(folder) {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) !== folder) return []
      return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')]
    } catch {
      // Not a process, or one that has ended.
      return []
    }
  })
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
