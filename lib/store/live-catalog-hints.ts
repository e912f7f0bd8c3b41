// When to look at a folder of transcripts again, and at which of its files. What the file system
// tells are hints and nothing more: they may be missing, late or doubled, so every file named is
// looked at twice, and a slow clock asks for all of them.

import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { isLogName } from './log-names.js'

// chokidar 5 swallows a change that follows another within 50 ms, which is how the last line of
// a burst gets lost: https://github.com/paulmillr/chokidar/issues/1084. So look once more.
const AFTERMATH_MS = 75

export interface FolderHintsOptions {
  readonly pollMs: number
  /** Look at these transcripts, given by the names of their files. */
  readonly onNames: (names: ReadonlySet<string>) => void
  /** Look at everything. */
  readonly onPoll: () => void
}

export class FolderHints {
  readonly #folder: string
  readonly #options: FolderHintsOptions
  readonly #clock: NodeJS.Timeout
  #watcher: Promise<FSWatcher | undefined> | undefined
  #aftermath: NodeJS.Timeout | undefined
  #named = new Set<string>()
  #isClosed = false

  constructor(folder: string, options: FolderHintsOptions) {
    this.#folder = folder
    this.#options = options
    this.#clock = setInterval(() => this.#poll(), options.pollMs)
    this.#watch()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#clock)
    clearTimeout(this.#aftermath)
    const watcher = await this.#watcher
    await watcher?.close()
  }

  #poll(): void {
    this.#watch()
    this.#options.onPoll()
  }

  /** A folder that is not there yet cannot be watched: the clock comes by until it is. */
  #watch(): void {
    if (this.#watcher !== undefined || !existsSync(this.#folder)) return
    this.#watcher = this.#startWatching().catch(() => undefined)
  }

  async #startWatching(): Promise<FSWatcher> {
    const { watch } = await import('chokidar')
    const isOther = (path: string) => path !== this.#folder && nameOf(path) === undefined
    const watcher = watch(this.#folder, { depth: 0, ignoreInitial: true, ignored: isOther })
    for (const event of ['add', 'change', 'unlink', 'addDir', 'unlinkDir'] as const) {
      watcher.on(event, (path) => this.#hint(path))
    }
    watcher.on('ready', () => {
      if (!this.#isClosed) this.#options.onPoll()
    })
    // Out of watches, or the folder went away: the clock goes on.
    return watcher.on('error', () => undefined)
  }

  #hint(path: string): void {
    const name = nameOf(path)
    if (this.#isClosed || name === undefined) return
    this.#options.onNames(new Set([name]))
    this.#named.add(name)
    this.#aftermath ??= setTimeout(() => this.#lookAgain(), AFTERMATH_MS)
  }

  #lookAgain(): void {
    const names = this.#named
    this.#named = new Set()
    this.#aftermath = undefined
    this.#options.onNames(names)
  }
}

/** The transcript that is meant, also by what stands beside it: a lock tells that it is open. */
function nameOf(path: string): string | undefined {
  const name = basename(path).replace(/\.lock(?:\.owner)?$/, '')
  return isLogName(name) ? name : undefined
}
