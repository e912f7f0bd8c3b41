// The real OpenCode in a throw-away home, with a provider that is the fake model.

import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installClient, pinnedPackage } from '../rig/install.mjs'

export const VERSION = pinnedPackage('opencode').version
const RUN_MS_MAX = 240_000
const CONFIG = join('.config', 'opencode')

/** Before its first session the client installs the types of plugins; later homes of a run get a copy. */
let prepared

export async function installOpencode() {
  return join(await installClient('opencode'), 'bin', 'opencode.exe')
}

export class OpencodeHome {
  #executable
  #server

  constructor({ folder, server, installed }) {
    this.#executable = installed
    this.#server = server
    this.home = join(folder, 'home')
    this.project = join(this.home, 'app')
    mkdirSync(this.project, { recursive: true })
    if (prepared !== undefined) cpSync(prepared, join(this.home, CONFIG), { recursive: true })
    writeFileSync(join(this.project, 'opencode.json'), JSON.stringify(this.#settings))
  }

  get #settings() {
    const models = { fake: { name: 'Fake', limit: { context: 200_000, output: 8000 } } }
    const options = { baseURL: `http://127.0.0.1:${this.#server.port}/v1`, apiKey: 'none' }
    const provider = { npm: '@ai-sdk/openai-compatible', name: 'Fake', options, models }
    return {
      autoupdate: false,
      share: 'disabled',
      model: 'fake/fake',
      small_model: 'fake/fake',
      provider: { fake: provider },
      permission: { bash: 'allow', edit: 'allow' },
    }
  }

  /** One prompt; the caller waits for `ended` or kills it. */
  start(prompt, args = []) {
    const child = spawn(this.#executable, ['run', ...args], {
      cwd: this.project,
      env: {
        PATH: process.env.PATH,
        HOME: this.home,
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    // An argument with a blank would get quotes.
    child.stdin.end(prompt)
    const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS_MAX)
    const ended = new Promise((resolve) => {
      child.on('exit', (code) => {
        clearTimeout(timer)
        resolve(code)
      })
    })
    return { kill: () => child.kill('SIGKILL'), ended }
  }

  async ask(prompt, args) {
    const code = await this.start(prompt, args).ended
    if (code !== 0) throw new Error(`the client ended with ${code}`)
    prepared ??= this.#keepPrepared()
  }

  #keepPrepared() {
    const kept = mkdtempSync(join(tmpdir(), 'real-opencode-prepared-'))
    process.once('exit', () => rmSync(kept, { recursive: true, force: true }))
    cpSync(join(this.home, CONFIG), kept, { recursive: true })
    return kept
  }

  /** Waits until our store has an event of this type. */
  async waitForEvent(type, seconds = 240) {
    const folder = join(this.home, '.jsonl-session', '.transcripts')
    for (let tries = seconds * 5; tries > 0; tries--) {
      const names = existsSync(folder) ? readdirSync(folder) : []
      const logs = names.filter((name) => name.endsWith('.jsonl'))
      if (logs.some((name) => readFileSync(join(folder, name), 'utf8').includes(`"${type}"`)))
        return
      await sleep(200)
    }
    throw new Error(`the hooks never recorded a ${type}`)
  }
}
