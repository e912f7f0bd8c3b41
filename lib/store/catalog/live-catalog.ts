// The sessions of a store for a process that stays: remembers what it read and reads again only
// what changed. In memory only, and after every refresh equal to a listing made from nothing.

import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { FolderWatcher } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { type ListOptions, type SessionList, selectSessions } from './filter-sessions.js'
import { GONE, readTranscriptInfo } from './read-session-info.js'
import {
  cachedNormalizer,
  countEvents,
  type FolderEntry,
  readTranscriptFolder,
} from './scan-folder.js'
import {
  isUnreadable,
  type SessionInfo,
  type Unreadable,
  withSurroundings,
} from './session-info.js'
import { watchedLogName } from './watched-log-name.js'

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
  readonly stats: Stats | undefined
  readonly isFresh: boolean
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
    const digests: SessionInfo[] = []
    const skipped: Unreadable[] = []
    for (const { shown } of this.#entries.values()) {
      if (isUnreadable(shown)) skipped.push(shown)
      else digests.push(shown)
    }
    return {
      sessions: selectSessions(this.#store, digests, options, (digest) => this.#count(digest)),
      skipped: skipped.sort((one, other) => (one.path < other.path ? -1 : 1)),
    }
  }

  /** Looks at every file, and reads those that changed. */
  refresh(): Refreshed {
    const found = readTranscriptFolder(this.#store, this.#folder)
    const normalize = cachedNormalizer(this.#store)
    let isChanged = false
    let read = 0
    for (const { path, hasLock } of found) {
      const looked = this.#look(path, hasLock, normalize)
      isChanged ||= looked.changed
      read += looked.read
    }
    const hasGone = this.#forgetOthers(found)
    return { changed: isChanged || hasGone, read }
  }

  /** Refreshes by itself from now on, until `close`. */
  watch({ onChange, onError, pollMs = 5000 }: WatchOptions = {}): void {
    if (this.#hints !== undefined) return
    const attempt = (refresh: () => Refreshed) => {
      let isChanged = false
      try {
        ;({ changed: isChanged } = refresh())
      } catch (error) {
        onError?.(error)
      }
      if (isChanged) onChange?.()
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
    const normalize = cachedNormalizer(this.#store)
    let isChanged = false
    let read = 0
    for (const name of names) {
      const path = join(this.#folder, name)
      const looked = this.#look(path, this.#store.env.fs.existsSync(`${path}.lock`), normalize)
      isChanged ||= looked.changed
      read += looked.read
    }
    return { changed: isChanged, read }
  }

  #look(path: string, hasLock: boolean, normalize: (project: string) => string): Refreshed {
    const before = this.#entries.get(path)
    const entry = refreshed(this.#store, path, before)
    const { file } = entry
    if (isUnreadable(file) && file.reason === GONE) {
      return { changed: this.#entries.delete(path), read: 0 }
    }
    const shown = isUnreadable(file)
      ? file
      : withSurroundings(this.#store, file, hasLock, normalize, shownOf(file, before))
    const isChanged = shown !== before?.shown && !isDeepStrictEqual(shown, before?.shown)
    if (isChanged || entry !== before) this.#entries.set(path, { ...entry, shown })
    return { changed: isChanged, read: entry === before ? 0 : 1 }
  }

  /** Whether there were any. */
  #forgetOthers(found: readonly FolderEntry[]): boolean {
    if (this.#entries.size <= found.length && found.every(({ path }) => this.#entries.has(path))) {
      return false
    }
    const before = this.#entries.size
    const paths = new Set(found.map(({ path }) => path))
    for (const path of this.#entries.keys()) if (!paths.has(path)) this.#entries.delete(path)
    return this.#entries.size < before
  }

  #count(digest: SessionInfo): number | null {
    const entry = this.#entries.get(digest.path)!
    entry.lineCount ??= countEvents(this.#store, digest)
    return entry.lineCount
  }
}

/** The entry itself while its file is as it was. */
function refreshed(store: StoreContext, path: string, before: Entry | undefined): Entry {
  const now = store.env.now()
  const stats = store.env.fs.statSync(path, { throwIfNoEntry: false })
  if (before?.isFresh === false && stats !== undefined && isSame(stats, before.stats)) return before
  const file = readTranscriptInfo(store, path)
  const isFresh = stats === undefined || stats.mtimeMs > now - DATE_STEP_MS
  return { stats, isFresh, file, shown: file }
}

/** What was made of this very digest. */
function shownOf(file: SessionInfo, before: Entry | undefined): SessionInfo | undefined {
  const isOfFile = before !== undefined && before.file === file && !isUnreadable(before.shown)
  return isOfFile ? (before.shown as SessionInfo) : undefined
}

function isSame(stats: Stats, before: Stats | undefined): boolean {
  return (
    before !== undefined &&
    stats.size === before.size &&
    stats.mtimeMs === before.mtimeMs &&
    stats.ctimeMs === before.ctimeMs &&
    stats.ino === before.ino &&
    stats.dev === before.dev
  )
}
