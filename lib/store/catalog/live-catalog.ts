// The sessions of a store for a process that stays: remembers what it read and reads again only
// what changed. In memory only, and after every refresh equal to a listing made from nothing.

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { FolderWatcher } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { watchedLogName } from '../list-logs.js'
import {
  cachedNormalizer,
  countEvents,
  type ListOptions,
  listTranscriptFiles,
  type SessionList,
  selectSessions,
  type TranscriptFile,
} from './list-sessions.js'
import {
  GONE,
  isUnreadable,
  readEach,
  readTranscriptInfo,
  type SessionInfo,
  type Unreadable,
  withSurroundings,
} from './session-info.js'

export interface WatchOptions {
  /**
   * Is called after a refresh that found something new.
   *
   * @default none
   */
  onChange?: (() => void) | undefined

  /**
   * Called when the folder could not be read; polling continues.
   *
   * @default none
   */
  onError?: ((error: unknown) => void) | undefined

  /**
   * How often to check every file, for changes without an event: a dead owner, a network folder.
   *
   * @default 5000
   */
  pollMs?: number | undefined
}

export interface Refreshed {
  /** A listing would now show something else. */
  readonly changed: boolean
  /** How many files had to be read. */
  readonly read: number
}

interface Entry {
  /** Before the file was read, so that a change in between is seen next time. */
  readonly stamp: string | undefined
  readonly file: SessionInfo | Unreadable
  readonly shown: SessionInfo | Unreadable
  lineCount?: number | null
}

// A file that changed this short a time ago may change again without a new date: file systems
// count in steps of up to two seconds.
const DATE_STEP_MS = 2000

export class LiveCatalog {
  readonly #store: StoreContext
  readonly #folder: string
  readonly #entries = new Map<string, Entry>()
  #hints: FolderWatcher | undefined

  constructor(store: StoreContext) {
    this.#store = store
    this.#folder = store.layout.transcripts
    this.refresh()
  }

  /** As `listSessions` would have answered at the last refresh. */
  list(options: ListOptions = {}): SessionList {
    const { found, skipped } = readEach(this.#entries.values(), ({ shown }) => shown)
    return {
      sessions: selectSessions(this.#store, found, options, (info) => this.#count(info)),
      skipped: skipped.sort((one, other) => (one.path < other.path ? -1 : 1)),
    }
  }

  /** Looks at every file, and reads those that changed. */
  refresh(): Refreshed {
    const files = listTranscriptFiles(this.#store)
    const refreshed = this.#refreshFiles(files)
    const paths = new Set(files.map(({ path }) => path))
    const gone = [...this.#entries.keys()].filter((path) => !paths.has(path))
    for (const path of gone) this.#entries.delete(path)
    return { ...refreshed, changed: refreshed.changed || gone.length > 0 }
  }

  /** Refreshes by itself from now on, until `close`. */
  watch({ onChange, onError, pollMs = 5000 }: WatchOptions = {}): void {
    if (this.#hints !== undefined) return
    const attempt = (refresh: () => Refreshed) => {
      let refreshed: Refreshed | undefined
      try {
        refreshed = refresh()
      } catch (error) {
        onError?.(error)
      }
      if (refreshed?.changed) onChange?.()
    }
    this.#hints = new FolderWatcher(this.#store.env, this.#folder, {
      nameOf: watchedLogName,
      pollMs,
      onPoll: () => attempt(() => this.refresh()),
      onNames: (names) => attempt(() => this.#refreshSome(names)),
    })
  }

  /** Stops watching. The catalog can still be listed and refreshed. */
  async close(): Promise<void> {
    const hints = this.#hints
    this.#hints = undefined
    await hints?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #refreshSome(names: ReadonlySet<string>): Refreshed {
    const paths = [...names].map((name) => join(this.#folder, name))
    const { existsSync } = this.#store.env.fs
    return this.#refreshFiles(paths.map((path) => ({ path, hasLock: existsSync(`${path}.lock`) })))
  }

  #refreshFiles(files: readonly TranscriptFile[]): Refreshed {
    const normalize = cachedNormalizer(this.#store)
    const results = files.map((file) => this.#refreshFile(file, normalize))
    return {
      changed: results.some(({ changed }) => changed),
      read: results.reduce((sum, { read }) => sum + read, 0),
    }
  }

  #refreshFile({ path, hasLock }: TranscriptFile, normalize: (path: string) => string): Refreshed {
    const before = this.#entries.get(path)
    const stamp = stampOf(this.#store, path)
    const isKnown = before !== undefined && stamp !== undefined && stamp === before.stamp
    const file = isKnown ? before.file : readTranscriptInfo(this.#store, path)
    if (isUnreadable(file) && file.reason === GONE) {
      return { changed: this.#entries.delete(path), read: 0 }
    }
    const shown = isUnreadable(file)
      ? file
      : withSurroundings(this.#store, file, hasLock, normalize)
    const isChanged = !isDeepStrictEqual(shown, before?.shown)
    if (isChanged || !isKnown) this.#entries.set(path, { stamp, file, shown })
    return { changed: isChanged, read: isKnown ? 0 : 1 }
  }

  #count(digest: SessionInfo): number | null {
    const entry = this.#entries.get(digest.path)!
    entry.lineCount ??= countEvents(this.#store, digest)
    return entry.lineCount
  }
}

/** Changes with the file; `undefined` while it may change again without a new date. */
function stampOf({ env }: StoreContext, path: string): string | undefined {
  const now = env.now()
  const stats = env.fs.statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.mtimeMs > now - DATE_STEP_MS) return undefined
  const { dev, ino, size, mtimeMs, ctimeMs } = stats
  return [dev, ino, size, mtimeMs, ctimeMs].join(' ')
}
