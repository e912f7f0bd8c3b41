// When to look at the files of a folder again. Events of the file system are hints only: they may be
// missing, late or repeated. So each changed file is reported twice, and a timer reports all of them.

import { basename, dirname, join, resolve } from 'node:path'
import type { Environment, FolderWatch, Timer } from '../../environment/index.js'

// chokidar 5 drops a change that follows a reported one within 50 ms, which would hide the last line of
// a burst: https://github.com/paulmillr/chokidar/issues/1084. So each change is reported once more, when
// those 50 ms are over.
const AFTERMATH_MS = 75

export interface FolderWatcherOptions {
  readonly pollMs: number
  /** The file that a changed path is about, by a name of the caller's choice; else `undefined`. */
  readonly nameOf: (path: string) => string | undefined
  /** These files may have changed. */
  readonly onNames: (names: ReadonlySet<string>) => void
  /** Every file may have changed. */
  readonly onPoll: () => void
}

/** Calls back for changes in a folder, which may be created later. */
export class FolderWatcher {
  readonly #env: Environment
  readonly #folder: string
  readonly #options: FolderWatcherOptions
  readonly #poll: Timer
  #watch: Promise<FolderWatch | undefined> | undefined
  #aftermath: Timer | undefined
  /** Reported before the timer started, and since then. */
  #early = new Set<string>()
  #late = new Set<string>()
  #isClosed = false

  constructor(env: Environment, folder: string, options: FolderWatcherOptions) {
    this.#env = env
    this.#folder = folder
    this.#options = options
    this.#poll = env.timers.setInterval(() => {
      this.#start()
      options.onPoll()
    }, options.pollMs)
    this.#start()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#env.timers.clearInterval(this.#poll)
    this.#env.timers.clearTimeout(this.#aftermath)
    const watch = await this.#watch
    await watch?.close()
  }

  /** A folder that does not exist cannot be watched; the timer tries again. */
  #start(): void {
    if (this.#watch !== undefined || !this.#env.fs.existsSync(this.#folder)) return
    const { nameOf, onPoll } = this.#options
    this.#watch = this.#env
      .watchFolder(this.#folder, {
        isWatched: (path) => nameOf(path) !== undefined,
        onChange: (path) => this.#report(nameOf(path)),
        onReady: () => {
          if (!this.#isClosed) onPoll()
        },
      })
      .catch(() => undefined)
  }

  #report(name: string | undefined): void {
    if (this.#isClosed || name === undefined) return
    this.#options.onNames(new Set([name]))
    if (this.#aftermath === undefined) this.#startAftermath(new Set([name]))
    else this.#late.add(name)
  }

  #startAftermath(names: Set<string>): void {
    this.#early = names
    this.#late = new Set()
    this.#aftermath = this.#env.timers.setTimeout(() => this.#reportAgain(), AFTERMATH_MS)
  }

  /** A late one is reported now and after another period: its 50 ms may not be over yet. */
  #reportAgain(): void {
    const [early, late] = [this.#early, this.#late]
    this.#aftermath = undefined
    if (late.size > 0) this.#startAftermath(late)
    this.#options.onNames(new Set([...early, ...late]))
  }
}

export interface FolderChangesOptions {
  readonly pollMs: number
  readonly nameOf: (path: string) => string | undefined
  readonly signal: AbortSignal | undefined
}

/** The same for a loop that waits for changes. */
export class FolderChanges {
  readonly #watcher: FolderWatcher
  readonly #signal: AbortSignal | undefined
  #names = new Set<string>()
  #isAll = false
  #wake: () => void = noop

  constructor(env: Environment, folder: string, { signal, ...options }: FolderChangesOptions) {
    this.#signal = signal
    this.#watcher = new FolderWatcher(env, folder, {
      ...options,
      onPoll: () => {
        this.#isAll = true
        this.#wake()
      },
      onNames: (names) => {
        for (const name of names) this.#names.add(name)
        this.#wake()
      },
    })
  }

  /** Resolves with the files to look at, `undefined` for all of them, or when the signal aborts. */
  async next(): Promise<ReadonlySet<string> | undefined> {
    if (!this.#isAll && this.#names.size === 0 && this.#signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        this.#signal?.addEventListener('abort', this.#abort)
      })
      this.#signal?.removeEventListener('abort', this.#abort)
      this.#wake = noop
    }
    const names = this.#isAll ? undefined : this.#names
    this.#names = new Set()
    this.#isAll = false
    return names
  }

  async close(): Promise<void> {
    await this.#watcher.close()
  }

  readonly #abort = (): void => this.#wake()
}

/** Changes of one file. Its folder is watched, because a missing file cannot be. */
export function watchFile(
  env: Environment,
  path: string,
  options: Omit<FolderChangesOptions, 'nameOf'>,
): FolderChanges {
  const folder = resolve(dirname(path))
  const name = basename(path)
  const file = join(folder, name)
  const nameOf = (changed: string) => (resolve(changed) === file ? name : undefined)
  return new FolderChanges(env, folder, { ...options, nameOf })
}

function noop(): void {}
