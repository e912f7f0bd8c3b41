// The parent's side of children/*.mjs. A child says what happened on its stdout, one JSON object
// per line, so that it is known after its death; it waits for a start signal.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { LogOptions } from '../../lib/log/index.js'
import type { Ack } from './check.js'

export interface WriterTask {
  readonly path: string
  /** `lease` keeps the log open, `once` opens it for every line, the others are bad on purpose. */
  readonly how: 'lease' | 'once' | 'transcript' | 'promises'
  /** Begins every uuid that the child gives. */
  readonly name: string
  /** Characters of the texts, in turns. */
  readonly sizes: readonly number[]
  /**
   * Between two lines, so that writers without end leave something of the processor to others.
   *
   * @default 0
   */
  readonly pauseMs?: number
  /** @default until the finish signal, or death */
  readonly count?: number
  readonly options?: Pick<LogOptions, 'durability' | 'lockTimeoutMs' | 'useKernelLock'>
}

export interface Opened {
  readonly lockKind: 'kernel' | 'advisory'
  readonly tookMs: number
}

interface Said {
  readonly ready?: true
  readonly opened?: Opened
  readonly ack?: Required<Ack>
  readonly refused?: string
  readonly done?: true
}

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly errors: string
}

// Another run may be building dist at this very moment. A child that cannot load the library has
// done nothing yet, so it may try again.
const STARTS_MAX = 8

export class Child {
  readonly acks: Ack[] = []
  readonly refusals: string[] = []
  /** Resolves when the process is gone and everything it said is here. */
  readonly ended: Promise<Ending>
  readonly #waiters = new Set<() => void>()
  #process!: ChildProcess
  #isReady = false
  #isOver = false
  #opened: Opened | undefined

  /** `script`: the name of one of children/, or the path of another file. */
  constructor(script: string, task: object) {
    const file = isAbsolute(script) ? script : pathOfChild(script)
    this.ended = new Promise((resolve) => {
      this.#start([file, JSON.stringify(task)], STARTS_MAX, resolve)
    })
  }

  #start(args: readonly string[], startsLeft: number, resolve: (ending: Ending) => void): void {
    const child = spawn(process.execPath, args)
    this.#process = child
    // A write to a child that was killed meanwhile.
    child.stdin.on('error', () => {})
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    createInterface({ input: child.stdout }).on('line', (line) => this.#hear(JSON.parse(line)))
    child.on('close', (code, signal) => {
      if (!this.#isReady && signal === null && startsLeft > 1) {
        this.#start(args, startsLeft - 1, resolve)
        return
      }
      this.#isOver = true
      this.#wake()
      resolve({ code, signal, errors })
    })
  }

  get pid(): number {
    return this.#process.pid!
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Resolves when the child has loaded the library and waits. */
  ready(): Promise<void> {
    return this.#until(() => this.#isReady)
  }

  go(): void {
    this.#process.stdin!.write('go\n')
  }

  /** Asks for an end after the line under way. */
  finish(): void {
    this.#process.stdin!.write('finish\n')
  }

  /** Resolves when the log is open. */
  async opened(): Promise<Opened> {
    await this.#until(() => this.#opened !== undefined)
    return this.#opened!
  }

  ackCount(count: number): Promise<void> {
    return this.#until(() => this.acks.length >= count)
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  kill(): Promise<Ending> {
    if (!this.#isOver) this.#process.kill('SIGKILL')
    return this.ended
  }

  /** Stops it, and resolves when it is stopped. */
  async stop(): Promise<void> {
    this.signal('SIGSTOP')
    while (stateOf(this.pid) !== 'T') await sleep(1)
  }

  #hear(said: Said): void {
    if (said.ready) this.#isReady = true
    if (said.opened) this.#opened = said.opened
    if (said.ack) this.acks.push(said.ack)
    if (said.refused !== undefined) this.refusals.push(said.refused)
    this.#wake()
  }

  #wake(): void {
    for (const waiter of this.#waiters) waiter()
  }

  async #until(isThere: () => boolean): Promise<void> {
    if (isThere()) return
    // A child that has ended wakes no waiter.
    if (!this.#isOver) await this.#change(isThere)
    if (isThere()) return
    const { code, signal, errors } = await this.ended
    throw new Error(`The child ended too early (${code ?? signal}): ${errors}`)
  }

  #change(isThere: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isThere() && !this.#isOver) return
        this.#waiters.delete(look)
        resolve()
      }
      this.#waiters.add(look)
    })
  }
}

export function pathOfChild(script: string): string {
  return fileURLToPath(new URL(`children/${script}.mjs`, import.meta.url))
}

/** Lets all of them begin at the same moment; resolves when all have ended by themselves. */
export async function runTogether(children: readonly Child[]): Promise<readonly Ack[]> {
  await Promise.all(children.map((child) => child.ready()))
  for (const child of children) child.go()
  const endings = await Promise.all(children.map((child) => child.ended))
  const failed = endings.find(({ code }) => code !== 0)
  if (failed !== undefined) throw new Error(`A child failed: ${failed.errors}`)
  return children.flatMap(({ acks }) => acks)
}

function stateOf(pid: number): string | undefined {
  return /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1]
}
