// A process that says what it has to say on its stdout, one JSON object per line, and is spoken to
// the same way.

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'vitest'

type Message = Record<string, never>

export class Subprocess {
  /** How it went: exit code, or the signal it died of. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  readonly #process: ChildProcess
  readonly #lines: Interface
  readonly #said: Message[] = []
  #errors = ''

  constructor(t: Pick<TestContext, 'onTestFinished'>, script: string, task: object) {
    const file = fileURLToPath(new URL(`children/${script}.mjs`, import.meta.url))
    const child = spawn(process.execPath, [file, JSON.stringify(task)])
    this.#process = child
    t.onTestFinished(() => {
      child.kill('SIGKILL')
    })
    child.stdin.on('error', () => {})
    child.stderr.on('data', (chunk) => {
      this.#errors += chunk
    })
    this.#lines = createInterface({ input: child.stdout })
    this.#lines.on('line', (line) => this.#said.push(JSON.parse(line)))
    this.ended = new Promise((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal }))
    })
  }

  say(message: object): void {
    this.#process.stdin!.write(`${JSON.stringify(message)}\n`)
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  /** The first thing it said that has this field, once it has said it. */
  async hears(field: string): Promise<Message> {
    let isOver = false
    void this.ended.then(() => {
      isOver = true
    })
    for (;;) {
      const found = this.#said.find((message) => field in message)
      if (found !== undefined) return found
      if (isOver) throw new Error(`It ended without "${field}": ${this.#errors}`)
      await Promise.race([this.ended, new Promise((next) => this.#lines.once('line', next))])
    }
  }
}
