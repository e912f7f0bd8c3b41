// When to look at a file again. Events of the file system are hints and nothing more: they may
// be missing, late or doubled, so a slow clock stands beside them and every look is cheap.

import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { FSWatcher } from 'chokidar'

// chokidar 5 swallows a change that follows another within 50 ms, which is how the last line of
// a burst gets lost: https://github.com/paulmillr/chokidar/issues/1084. So look once more.
const AFTERMATH_MS = 75

export interface FileHintsOptions {
  readonly pollMs: number
  readonly signal: AbortSignal | undefined
}

export class FileHints {
  readonly #folder: string
  readonly #path: string
  readonly #pollMs: number
  readonly #signal: AbortSignal | undefined
  #watcher: Promise<FSWatcher | undefined> | undefined
  #aftermath: NodeJS.Timeout | undefined
  #isHinted = false
  #wake: () => void = noop

  constructor(path: string, { pollMs, signal }: FileHintsOptions) {
    this.#folder = resolve(dirname(path))
    this.#path = join(this.#folder, basename(path))
    this.#pollMs = pollMs
    this.#signal = signal
  }

  /** Resolves when there may be something new, when the clock says so, or at the abort. */
  async next(): Promise<void> {
    this.#watch()
    await new Promise<void>((resolve) => {
      if (this.#isHinted || this.#signal?.aborted === true) return resolve()
      const timer = setTimeout(resolve, this.#pollMs)
      this.#signal?.addEventListener('abort', this.#hint, { once: true })
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = noop
    this.#signal?.removeEventListener('abort', this.#hint)
    this.#isHinted = false
  }

  async close(): Promise<void> {
    clearTimeout(this.#aftermath)
    const watcher = await this.#watcher
    await watcher?.close()
    clearTimeout(this.#aftermath)
  }

  readonly #hint = (): void => {
    this.#isHinted = true
    this.#wake()
  }

  readonly #hintTwice = (): void => {
    clearTimeout(this.#aftermath)
    this.#aftermath = setTimeout(this.#hint, AFTERMATH_MS)
    this.#hint()
  }

  /** Watches the folder, because a file that is not there yet cannot be watched. */
  #watch(): void {
    if (this.#watcher !== undefined || !existsSync(this.#folder)) return
    this.#watcher = this.#startWatching().catch(() => undefined)
  }

  async #startWatching(): Promise<FSWatcher> {
    const { watch } = await import('chokidar')
    const isOther = (path: string) => path !== this.#folder && resolve(path) !== this.#path
    const watcher = watch(this.#folder, { depth: 0, ignoreInitial: true, ignored: isOther })
    for (const event of ['add', 'change', 'unlink', 'ready'] as const) {
      watcher.on(event, this.#hintTwice)
    }
    // Out of watches, or the folder went away: the clock goes on.
    return watcher.on('error', noop)
  }
}

function noop(): void {}
