// When to look at a folder of logs again, for a loop that waits.

import { FolderHints } from './live-catalog-hints.js'

export interface TailHintsOptions {
  readonly pollMs: number
  readonly signal: AbortSignal | undefined
}

export class TailHints {
  readonly #hints: FolderHints
  readonly #signal: AbortSignal | undefined
  #names = new Set<string>()
  #isAll = false
  #wake: () => void = noop

  constructor(folder: string, { pollMs, signal }: TailHintsOptions) {
    this.#signal = signal
    this.#hints = new FolderHints(folder, {
      pollMs,
      onPoll: () => {
        this.#isAll = true
        this.#wake()
      },
      onNames: (names) => {
        for (const name of names) this.#names.add(name)
        this.#wake()
      },
    })
    signal?.addEventListener('abort', this.#abort)
  }

  /** Resolves with the names of the files to look at, `undefined` for all, or at the abort. */
  async next(): Promise<ReadonlySet<string> | undefined> {
    if (!this.#isAll && this.#names.size === 0 && this.#signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = noop
    }
    const names = this.#isAll ? undefined : this.#names
    this.#names = new Set()
    this.#isAll = false
    return names
  }

  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#abort)
    await this.#hints.close()
  }

  readonly #abort = (): void => this.#wake()
}

function noop(): void {}
