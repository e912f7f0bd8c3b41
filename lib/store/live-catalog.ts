// The sessions of a store for a process that stays: remembers what it read and reads again only
// what changed. In memory only, and after every refresh equal to a listing made from nothing.

import { existsSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  cachedNormalizer,
  countEvents,
  type FolderEntry,
  readTranscriptFolder,
} from './catalog-folder.js'
import { type ListOptions, type SessionList, selectSessions } from './catalog-select.js'
import { layoutOf, type StoreOptions } from './layout.js'
import { FolderHints } from './live-catalog-hints.js'
import { isSkipped, type SessionDigest, type Skipped, withSurroundings } from './session-digest.js'
import { digestFile, GONE } from './session-digest-file.js'

export interface WatchOptions {
  /** Is called after a refresh that found something new. */
  onChange?: (() => void) | undefined

  /** Is told why the folder could not be read; the next look is made all the same. */
  onError?: ((error: unknown) => void) | undefined

  /**
   * How often to look at every file, for what nobody tells: a dead owner, a network folder.
   *
   * @default 5000
   */
  pollMs?: number | undefined
}

export interface Refreshed {
  /** A listing would now show something else. */
  readonly isChanged: boolean
  /** How many files had to be read. */
  readonly read: number
}

interface Entry {
  /** Before the file was read, so that a change in between is seen next time. */
  readonly stats: Stats | undefined
  readonly isFresh: boolean
  readonly file: SessionDigest | Skipped
  readonly shown: SessionDigest | Skipped
  lineCount?: number | null
}

// A file that changed this short a time ago may change again without a new date: file systems
// count in steps of up to two seconds.
const DATE_STEP_MS = 2000

export class LiveCatalog {
  readonly #store: StoreOptions
  readonly #folder: string
  readonly #entries = new Map<string, Entry>()
  #hints: FolderHints | undefined

  constructor(options: StoreOptions = {}) {
    this.#store = options
    this.#folder = layoutOf(options).transcripts
    this.refresh()
  }

  /** As `listSessions` would have answered at the last refresh. */
  list(options: ListOptions = {}): SessionList {
    const digests: SessionDigest[] = []
    const skipped: Skipped[] = []
    for (const { shown } of this.#entries.values()) {
      if (isSkipped(shown)) skipped.push(shown)
      else digests.push(shown)
    }
    return {
      sessions: selectSessions(digests, { ...options, ...this.#store }, (digest) =>
        this.#count(digest),
      ),
      skipped: skipped.sort((one, other) => (one.path < other.path ? -1 : 1)),
    }
  }

  /** Looks at every file, and reads those that changed. */
  refresh(): Refreshed {
    const found = readTranscriptFolder(this.#folder)
    const normalize = cachedNormalizer()
    let isChanged = false
    let read = 0
    for (const { path, hasLock } of found) {
      const looked = this.#look(path, hasLock, normalize)
      isChanged ||= looked.isChanged
      read += looked.read
    }
    const hasGone = this.#forgetOthers(found)
    return { isChanged: isChanged || hasGone, read }
  }

  /** Refreshes by itself from now on, until `close`. */
  watch({ onChange, onError, pollMs = 5000 }: WatchOptions = {}): void {
    if (this.#hints !== undefined) return
    const attempt = (refresh: () => Refreshed) => {
      let isChanged = false
      try {
        ;({ isChanged } = refresh())
      } catch (error) {
        onError?.(error)
      }
      if (isChanged) onChange?.()
    }
    this.#hints = new FolderHints(this.#folder, {
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
    const normalize = cachedNormalizer()
    let isChanged = false
    let read = 0
    for (const name of names) {
      const path = join(this.#folder, name)
      const looked = this.#look(path, existsSync(`${path}.lock`), normalize)
      isChanged ||= looked.isChanged
      read += looked.read
    }
    return { isChanged, read }
  }

  #look(path: string, hasLock: boolean, normalize: (project: string) => string): Refreshed {
    const before = this.#entries.get(path)
    const entry = refreshed(path, before)
    const { file } = entry
    if (isSkipped(file) && file.reason === GONE) {
      return { isChanged: this.#entries.delete(path), read: 0 }
    }
    const shown = isSkipped(file)
      ? file
      : withSurroundings(file, hasLock, normalize, shownOf(file, before))
    const isChanged = shown !== before?.shown && !isDeepStrictEqual(shown, before?.shown)
    if (isChanged || entry !== before) this.#entries.set(path, { ...entry, shown })
    return { isChanged, read: entry === before ? 0 : 1 }
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

  #count(digest: SessionDigest): number | null {
    const entry = this.#entries.get(digest.path)!
    entry.lineCount ??= countEvents(digest)
    return entry.lineCount
  }
}

/** The entry itself while its file is as it was. */
function refreshed(path: string, before: Entry | undefined): Entry {
  const now = Date.now()
  const stats = statSync(path, { throwIfNoEntry: false })
  if (before?.isFresh === false && stats !== undefined && isSame(stats, before.stats)) return before
  const file = digestFile(path)
  const isFresh = stats === undefined || stats.mtimeMs > now - DATE_STEP_MS
  return { stats, isFresh, file, shown: file }
}

/** What was made of this very digest. */
function shownOf(file: SessionDigest, before: Entry | undefined): SessionDigest | undefined {
  const isOfFile = before !== undefined && before.file === file && !isSkipped(before.shown)
  return isOfFile ? (before.shown as SessionDigest) : undefined
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
