// The parent's side of children/worker.mjs, for tests and for those who know no tests.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { AcquireOptions } from '../../../lib/log/lock/acquire.js'
import type { ProcessIdentity } from '../../../lib/log/lock/process-identity.js'

const SCRIPT = fileURLToPath(new URL('children/worker.mjs', import.meta.url))

export interface Visit {
  readonly enteredAt: number
  readonly isAlone: boolean
}

interface Commands {
  ping(): 'pong'
  identity(): ProcessIdentity
  setTitle(args: { title: string }): void
  setUmask(args: { mask: number }): void
  becomeNobody(): void
  countSignalListeners(): number[]
  useSignalExit(): void
  acquire(args: Locking): { isKernel: boolean; wasCreated: boolean }
  isCompromised(): boolean
  release(): void
  throwUncaught(): void
  enter(args: Locking): Visit
  enterPlain(args: { path: string }): Visit
}

export interface Locking {
  readonly path: string
  /** Functions do not pass to another process: it uses its own environment. */
  readonly options: Omit<AcquireOptions, 'env'>
}

interface Reply {
  readonly id: number
  readonly result?: unknown
  readonly error?: { code?: string; message: string; details?: Record<string, unknown> }
}

export class Worker {
  readonly #child: ChildProcess
  readonly #pending = new Map<number, PromiseWithReply>()
  #lastId = 0

  constructor() {
    // What a child throws on purpose does not belong into the report.
    this.#child = fork(SCRIPT, { stdio: ['ignore', 'inherit', 'ignore', 'ipc'] })
    this.#child.on('message', (reply) => this.#settle(reply as Reply))
    this.#child.on('exit', () => this.#abandon())
  }

  get pid(): number {
    return this.#child.pid!
  }

  async ask<Name extends keyof Commands>(
    name: Name,
    ...args: Parameters<Commands[Name]>
  ): Promise<ReturnType<Commands[Name]>> {
    const id = ++this.#lastId
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
    })
    this.#child.send({ id, name, args: args[0] })
    return (await answer) as ReturnType<Commands[Name]>
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Resolves when the process is gone and reaped. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exit
  }

  /** Resolves when the process has ended by itself. */
  async ends(how: 'exit' | 'throwUncaught'): Promise<void> {
    const exit = once(this.#child, 'exit')
    this.#child.send({ id: 0, name: how })
    await exit
  }

  #settle({ id, result, error }: Reply): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (error === undefined) pending?.resolve(result)
    else pending?.reject(Object.assign(new Error(error.message), error))
  }

  #abandon(): void {
    for (const { reject } of this.#pending.values()) reject(new Error('The worker is gone'))
    this.#pending.clear()
  }
}

interface PromiseWithReply {
  resolve(value: unknown): void
  reject(error: Error): void
}

export const KERNEL = { useKernelLock: true } as const
export const ADVISORY = { useKernelLock: false } as const

export type Kind = typeof KERNEL | typeof ADVISORY
