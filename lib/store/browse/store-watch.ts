// Who waits for changes in a store: many readers, one watch for each folder.

import { basename, dirname, join } from 'node:path'
import { isSessionError } from '../../errors.js'
import type { FollowEntry } from '../../log/index.js'
import { FolderWatcher, Follower, parseCursor, statIfThere } from '../../log/internal.js'
import { readLogSession } from '../catalog/log-session.js'
import type { StoreContext } from '../context.js'
import { listLogNames, watchedLogName } from '../list-logs.js'

/** A log of a session has changed. */
export interface LogChange {
  readonly sessionId: string
  readonly bytes: number
}

export interface FollowStart {
  /** The cursor of an entry, or the `next` of a page. */
  from: string
  signal: AbortSignal
}

/** Is called with names of files, or with `undefined`: any may have changed. */
type Listener = (names: ReadonlySet<string> | undefined) => void

interface WatchedFolder {
  readonly watcher: FolderWatcher
  /** And for how many readers each of them is called. */
  readonly listeners: Map<Listener, number>
}

export interface StoreWatchOptions {
  /**
   * How often to check for changes that the file system did not report.
   *
   * @default 1000
   */
  pollMs?: number | undefined
}

/** Its watches end with the last reader. */
export class StoreWatch {
  readonly #pollMs: number
  readonly #folders = new Map<string, WatchedFolder>()
  readonly #sizes = new Map<string, LogSizes>()

  constructor({ pollMs = 1000 }: StoreWatchOptions = {}) {
    this.#pollMs = pollMs
  }

  /** How many readers wait. */
  get size(): number {
    const counts = [...this.#folders.values()].flatMap(({ listeners }) => [...listeners.values()])
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /**
   * Yields each entry of a log once, until the signal aborts. It reads when the caller asks for the next
   * one, so a caller that waits holds one entry in memory, and no more is read.
   */
  follow(
    store: StoreContext,
    path: string,
    { from, signal }: FollowStart,
  ): AsyncGenerator<FollowEntry, void, undefined> {
    const start = parseCursor(from)
    return this.#follow(store, new Follower(path, { start, bare: false, env: store.env }), {
      path,
      signal,
    })
  }

  async *#follow(
    store: StoreContext,
    follower: Follower,
    { path, signal }: { readonly path: string; readonly signal: AbortSignal },
  ): AsyncGenerator<FollowEntry, void, undefined> {
    const name = basename(path)
    const changes = new Wakeup(signal)
    // Started before the first read, so that no change is missed in between.
    const stop = this.#listen(store, dirname(path), (names) => {
      if (names === undefined || names.has(name)) changes.wake()
    })
    try {
      while (!signal.aborted) {
        for await (const entry of follower.readNew()) {
          yield entry
          if (signal.aborted) return
        }
        await changes.next()
      }
    } finally {
      stop()
    }
  }

  /** Yields the sessions whose transcript changes, a session once however often it did meanwhile. */
  async *changes(
    store: StoreContext,
    { signal }: { signal: AbortSignal },
  ): AsyncGenerator<LogChange, void, undefined> {
    const { transcripts } = store.layout
    const wakeup = new Wakeup(signal)
    const waiting = new Map<string, number>()
    const sizes = this.#sizes.get(transcripts) ?? new LogSizes(store, transcripts)
    this.#sizes.set(transcripts, sizes)
    const remove = sizes.add((name, bytes) => {
      waiting.set(name, bytes)
      wakeup.wake()
    })
    const stop = this.#listen(store, transcripts, sizes.check)
    try {
      while (!signal.aborted) {
        await wakeup.next()
        for (const [name, bytes] of waiting) {
          waiting.delete(name)
          yield { sessionId: readLogSession(store, join(transcripts, name)), bytes }
          if (signal.aborted) return
        }
      }
    } finally {
      stop()
      if (remove()) this.#sizes.delete(transcripts)
    }
  }

  /** Returns how to stop. */
  #listen(store: StoreContext, folder: string, listener: Listener): () => void {
    const watched = this.#folders.get(folder) ?? this.#watch(store, folder)
    const count = watched.listeners.get(listener) ?? 0
    watched.listeners.set(listener, count + 1)
    return () => {
      const left = (watched.listeners.get(listener) ?? 1) - 1
      if (left === 0) watched.listeners.delete(listener)
      else watched.listeners.set(listener, left)
      if (watched.listeners.size > 0 || this.#folders.get(folder) !== watched) return
      this.#folders.delete(folder)
      // The caller does not wait: a watch that cannot be closed ends with the process.
      watched.watcher.close().catch(() => undefined)
    }
  }

  #watch({ env }: StoreContext, folder: string): WatchedFolder {
    const listeners: WatchedFolder['listeners'] = new Map()
    const notify: Listener = (names) => {
      for (const listener of listeners.keys()) listener(names)
    }
    const watcher = new FolderWatcher(env, folder, {
      pollMs: this.#pollMs,
      nameOf: watchedLogName,
      onNames: notify,
      onPoll: () => notify(undefined),
    })
    const watched = { watcher, listeners }
    this.#folders.set(folder, watched)
    return watched
  }
}

/** Something happened, once or many times, since it was last asked for. */
class Wakeup {
  readonly #signal: AbortSignal
  #isDue = false
  #resolve: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', () => this.wake(), { once: true })
  }

  wake(): void {
    this.#isDue = true
    this.#resolve?.()
  }

  async next(): Promise<void> {
    if (!this.#isDue && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve
      })
      this.#resolve = undefined
    }
    this.#isDue = false
  }
}

/** The logs of a folder change on average much less often than they are looked at. */
const POLLS_PER_CHECK = 5

/** Finds which logs of a folder have another size than before, once for all who want to know. */
class LogSizes {
  readonly #store: StoreContext
  readonly #folder: string
  readonly #sizes = new Map<string, number>()
  readonly #listeners = new Set<(name: string, bytes: number) => void>()
  #polls = 0

  constructor(store: StoreContext, folder: string) {
    this.#store = store
    this.#folder = folder
    for (const name of listLogNames(store, folder)) this.#sizes.set(name, this.#sizeOf(name))
  }

  /** Returns how to take it back; that returns whether it was the last. */
  add(listener: (name: string, bytes: number) => void): () => boolean {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener) && this.#listeners.size === 0
  }

  readonly check: Listener = (names) => {
    if (names === undefined && this.#polls++ % POLLS_PER_CHECK !== 0) return
    for (const name of names ?? listLogNames(this.#store, this.#folder)) {
      const bytes = this.#sizeOf(name)
      if (bytes === (this.#sizes.get(name) ?? 0)) continue
      this.#sizes.set(name, bytes)
      for (const listener of this.#listeners) listener(name, bytes)
    }
  }

  /** 0 for a log that is not there, or not one that can be looked at. */
  #sizeOf(name: string): number {
    try {
      return statIfThere(join(this.#folder, name), this.#store.env)?.size ?? 0
    } catch (error) {
      if (!isSessionError(error)) throw error
      return 0
    }
  }
}
