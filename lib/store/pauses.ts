// Long work that reads synchronously lets other tasks of its process run from time to time.

import type { Environment } from '../environment/index.js'

const WORK_MS = 20

export class Pauses {
  readonly #env: Environment
  #since: number

  constructor(env: Environment) {
    this.#env = env
    this.#since = env.monotonicNow()
  }

  /** Waits for one turn of the event loop if the last one is long ago. */
  async pause(): Promise<void> {
    if (this.#env.monotonicNow() - this.#since < WORK_MS) return
    await this.#env.timers.sleep(0)
    this.#since = this.#env.monotonicNow()
  }
}
