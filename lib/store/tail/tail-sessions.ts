// Returns what is written into many logs, as it is written: each entry once, with a cursor from which
// another process can resume.

import { join } from 'node:path'
import type { FollowEntry } from '../../log/index.js'
import { FolderChanges, Follower } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { watchedLogName } from '../list-logs.js'
import { sortByChange } from '../sort-by-change.js'
import { TailCursor } from './cursor.js'
import { TailFilter } from './filter.js'
import { findLastEntries, mergeByTime } from './last-entries.js'
import { TailScope, type TailTarget } from './scope.js'

export interface TailSessionsOptions extends TailTarget {
  /**
   * Number of existing entries to start with.
   *
   * @default 10
   */
  lines?: number | undefined

  /**
   * Resume after the entry with this cursor, or where another tail ended; replaces `lines`.
   *
   * @default the last `lines` entries
   */
  cursor?: string | undefined

  /**
   * Only what a model sees: messages, and where its context was compacted or rewound.
   *
   * @default false
   */
  projected?: boolean | undefined

  /**
   * Continue with new entries until the signal aborts.
   *
   * @default false
   */
  follow?: boolean | undefined

  /**
   * Aborts the call.
   *
   * @default none
   */
  signal?: AbortSignal | undefined

  /**
   * How often to check for changes that the file system did not report.
   *
   * @default 1000
   */
  pollMs?: number | undefined
}

/** An entry of a log that is followed, with its session and its file. */
export type TailEntry = FollowEntry & {
  readonly sessionId: string | null
  readonly path: string
}

const LINES_BY_DEFAULT = 10

export class SessionTailing {
  readonly #store: StoreContext
  readonly #scope: TailScope
  readonly #filter: TailFilter
  readonly #options: TailSessionsOptions
  readonly #files = new Map<string, Follower>()
  /** What was last seen of each file. */
  readonly #stamps = new Map<string, string>()
  readonly #isContinued: boolean
  readonly #cursor: TailCursor

  /** Skips everything that exists, except the last lines or what follows the cursor. */
  constructor(store: StoreContext, options: TailSessionsOptions = {}) {
    const { cursor, lines = LINES_BY_DEFAULT, projected = false, follow = false } = options
    this.#store = store
    this.#options = options
    this.#scope = new TailScope(store, options, { isAwaited: follow })
    this.#filter = new TailFilter(store, projected)
    this.#isContinued = cursor !== undefined
    const members = this.#scope.listMembers()
    this.#cursor =
      cursor === undefined
        ? TailCursor.startAt(findLastEntries(store, members, { lines, filter: this.#filter }))
        : TailCursor.parse(cursor)
    for (const path of members) this.#track(path)
  }

  /** Where to resume, after the last entry that was returned. */
  get cursor(): string {
    return this.#cursor.toString()
  }

  /** Whether the session has no transcript yet, so that the first entry is waited for. */
  get isMissing(): boolean {
    return this.#scope.isMissing
  }

  /** Whether entries may be of more than one session. */
  get isMany(): boolean {
    return this.#scope.isMany
  }

  async *entries(): AsyncGenerator<TailEntry, void, undefined> {
    const { follow = false, signal, pollMs = 1000 } = this.#options
    // Started before the first read, so that no change is missed in between.
    const changes = follow
      ? new FolderChanges(this.#store.env, this.#scope.folder, {
          pollMs,
          signal,
          nameOf: watchedLogName,
        })
      : undefined
    try {
      yield* this.#isContinued ? this.#readAll(this.#byAge()) : this.#readMerged()
      const isOver = () => signal?.aborted === true
      while (changes !== undefined && !isOver()) {
        const names = await changes.next()
        if (!isOver()) yield* this.#readAll(this.#changed(names))
      }
    } finally {
      await changes?.close()
    }
  }

  /** The first read returns few entries, so it can sort them by time. */
  async *#readMerged(): AsyncGenerator<TailEntry, void, undefined> {
    const lists: TailEntry[][] = []
    for (const path of this.#files.keys()) {
      const entries: TailEntry[] = []
      for await (const entry of this.#readNew(path)) entries.push(entry)
      if (entries.length > 0) lists.push(entries)
    }
    for (const entry of mergeByTime(lists)) yield* this.#pass(entry)
  }

  async *#readAll(paths: Iterable<string>): AsyncGenerator<TailEntry, void, undefined> {
    for (const path of paths) {
      for await (const entry of this.#readNew(path)) {
        yield* this.#pass(entry)
        if (this.#options.signal?.aborted === true) return
      }
    }
  }

  async *#readNew(path: string): AsyncGenerator<TailEntry, void, undefined> {
    if (this.#isUnchanged(path)) return
    const sessionId = this.#scope.sessionOf(path)
    const follower = this.#files.get(path)!
    for await (const entry of follower.readNew()) yield { sessionId, path, ...entry }
  }

  /** From here on its cursor is valid for all files; entries that do not match are behind it, too. */
  *#pass(entry: TailEntry): Generator<TailEntry, void, undefined> {
    this.#cursor.move(entry.path, entry.cursor)
    if (this.#filter.matches(entry)) yield { ...entry, cursor: this.cursor }
  }

  #changed(names: ReadonlySet<string> | undefined): readonly string[] {
    const known = names === undefined ? this.#scope.listMembers() : this.#membersIn(names)
    for (const path of known) if (!this.#files.has(path)) this.#track(path)
    return known
  }

  #membersIn(names: ReadonlySet<string>): string[] {
    return [...names]
      .map((name) => join(this.#scope.folder, name))
      .filter((path) => this.#files.has(path) || this.#scope.has(path))
  }

  /** The file that was written last comes last, as if the files had been followed. */
  #byAge(): string[] {
    const newestFirst = sortByChange(this.#store, this.#files.keys())
    return newestFirst.reverse().map(({ path }) => path)
  }

  #track(path: string): void {
    const start = this.#cursor.startOf(path)
    this.#files.set(path, new Follower(path, { start, bare: false, env: this.#store.env }))
  }

  /** Whether the file is as it was when this was last asked. */
  #isUnchanged(path: string): boolean {
    const stats = this.#store.env.fs.statSync(path, { throwIfNoEntry: false })
    const stamp = stats === undefined ? '' : `${stats.size} ${stats.ino} ${stats.mtimeMs}`
    const isSame = stamp !== '' && stamp === this.#stamps.get(path)
    this.#stamps.set(path, stamp)
    return isSame
  }
}

/** The last entries of a session, of a project or of the store, and what follows them. */
export async function* tailSessions(
  store: StoreContext,
  options: TailSessionsOptions = {},
): AsyncGenerator<TailEntry, void, undefined> {
  yield* new SessionTailing(store, options).entries()
}
