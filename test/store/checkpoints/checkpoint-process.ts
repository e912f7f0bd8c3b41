// The parent's side of children/checkpoints.mjs.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../children/checkpoints.mjs', import.meta.url))

export interface CheckpointTask {
  readonly root: string
  readonly how: 'append' | 'keyed' | 'prune'
  readonly name?: string
  readonly project?: string
  /** @default until it is killed */
  readonly count?: number
  readonly now?: number
  /** @default true */
  readonly useKernelLock?: boolean
}

export interface Said {
  readonly round: number
  readonly id?: string
  readonly duplicate?: boolean
  readonly replaced?: number
}

export class CheckpointProcess {
  readonly said: Said[] = []
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #waiters = new Set<() => void>()
  #isReady = false

  constructor(task: CheckpointTask) {
    this.#child = spawn(process.execPath, [SCRIPT, JSON.stringify(task)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: this.#child.stdout! })
    lines.on('line', (line) => this.#take(JSON.parse(line)))
    this.#ended = Promise.all([once(this.#child, 'exit'), once(lines, 'close')])
    onTestFinished(() => this.kill())
  }

  /** Resolves when it waits for the signal to go. */
  async ready(): Promise<void> {
    await this.#until(() => this.#isReady)
  }

  go(): void {
    this.#child.stdin!.write('go\n')
  }

  /** Resolves once it has said so much. */
  async says(count: number): Promise<void> {
    await this.#until(() => this.said.length >= count)
  }

  /** Resolves with its exit code when it has ended by itself. */
  async ends(): Promise<number | null> {
    await this.#ended
    return this.#child.exitCode
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  #take(line: Said | { ready: true }): void {
    if ('ready' in line) this.#isReady = true
    else this.said.push(line)
    for (const wake of this.#waiters) wake()
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      const next = new Promise<void>((resolve) => {
        this.#waiters.clear()
        this.#waiters.add(resolve)
      })
      await Promise.race([next, this.#ended])
      if (!isSo() && this.#child.exitCode !== null) throw new Error('The process ended too early')
    }
  }
}
