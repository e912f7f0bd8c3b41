// What is written into many logs, as it is written: each entry once, with a cursor from which another
// process goes on. Events of the file system are hints and nothing more; a clock stands beside them.

import { type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FollowEntry } from '../log/index.js'
import { Follower, parseCursor } from '../log/inside.js'
import { TailCursor } from './tail-cursor.js'
import { TailHints } from './tail-hints.js'
import { lastEntries, mergeByTime } from './tail-last.js'
import { TailScope, type TailTarget } from './tail-scope.js'
import { TailView } from './tail-view.js'

export interface TailSessionsOptions extends TailTarget {
  /**
   * How many of the newest entries to begin with.
   *
   * @default 10
   */
  lines?: number | undefined

  /** Go on behind the entry that carried it, or where another tail ended; `lines` has no say then. */
  cursor?: string | undefined

  /**
   * Only what a model is shown: messages, and where its context was compacted or rewound.
   *
   * @default false
   */
  projected?: boolean | undefined

  /**
   * Go on with what is written, until the signal.
   *
   * @default false
   */
  follow?: boolean | undefined

  signal?: AbortSignal | undefined

  /**
   * How often to look when nobody says that something changed.
   *
   * @default 1000
   */
  pollMs?: number | undefined
}

export type TailEntry = FollowEntry & {
  readonly session_id: string | null
  readonly path: string
}

const LINES_BY_DEFAULT = 10

export class SessionTailing {
  readonly #scope: TailScope
  readonly #view: TailView
  readonly #options: TailSessionsOptions
  readonly #files = new Map<string, Tracked>()
  readonly #isContinued: boolean
  readonly #cursor: TailCursor

  /** Everything that was written before now is behind it, but for the last lines or the cursor. */
  constructor(options: TailSessionsOptions = {}) {
    const { cursor, lines = LINES_BY_DEFAULT, projected = false } = options
    this.#options = options
    this.#scope = new TailScope(options)
    this.#view = new TailView({ isProjected: projected, store: options })
    this.#isContinued = cursor !== undefined
    const members = this.#scope.listMembers()
    if (cursor === undefined) {
      this.#cursor = TailCursor.after(lastEntries(members, { lines, view: this.#view }))
    } else {
      this.#cursor = TailCursor.parse(cursor)
    }
    for (const path of members) this.#track(path)
  }

  /** From where to go on, after the last entry that was handed out. */
  get cursor(): string {
    return this.#cursor.toString()
  }

  /** Whether rows may be of more than one session. */
  get isMany(): boolean {
    return this.#scope.isMany
  }

  async *entries(): AsyncGenerator<TailEntry, void, undefined> {
    const { follow = false, signal, pollMs = 1000 } = this.#options
    // From before the first look, so that nothing falls between the two.
    const hints = follow ? new TailHints(this.#scope.folder, { pollMs, signal }) : undefined
    try {
      yield* this.#isContinued ? this.#readAll(this.#byAge()) : this.#readMerged()
      const isOver = () => signal?.aborted === true
      while (hints !== undefined && !isOver()) {
        const names = await hints.next()
        if (!isOver()) yield* this.#readAll(this.#changed(names))
      }
    } finally {
      await hints?.close()
    }
  }

  /** The first look holds few entries, so it can show them in the order of time. */
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
    const tracked = this.#files.get(path)!
    if (tracked.isUnchanged()) return
    const session_id = this.#scope.sessionOf(path)
    for await (const entry of tracked.follower.readNew()) yield { session_id, path, ...entry }
  }

  /** Its cursor speaks for all files from here on; what the view hides is behind it, too. */
  *#pass(entry: TailEntry): Generator<TailEntry, void, undefined> {
    this.#cursor.move(entry.path, entry.cursor)
    if (this.#view.isShown(entry)) yield { ...entry, cursor: this.cursor }
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

  /** Those that were written to last come last, as they would have while somebody watched. */
  #byAge(): string[] {
    return [...this.#files.keys()]
      .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .sort((one, other) => one.at - other.at)
      .map(({ path }) => path)
  }

  #track(path: string): void {
    const place = this.#cursor.placeOf(path) ?? { byte_offset: 0 }
    const start = place.cursor === undefined ? place : parseCursor(place.cursor)
    this.#files.set(path, new Tracked(path, new Follower(path, { start, isBare: false })))
  }
}

/** The last lines of a session, of a project or of the store, and what follows them. */
export async function* tailSessions(
  options: TailSessionsOptions = {},
): AsyncGenerator<TailEntry, void, undefined> {
  yield* new SessionTailing(options).entries()
}

/** A follower, and whether it is worth opening its file. */
class Tracked {
  readonly follower: Follower
  readonly #path: string
  #seen: Stats | undefined

  constructor(path: string, follower: Follower) {
    this.#path = path
    this.follower = follower
  }

  isUnchanged(): boolean {
    const now = statSync(this.#path, { throwIfNoEntry: false })
    const seen = this.#seen
    this.#seen = now
    if (now === undefined || seen === undefined) return false
    return now.size === seen.size && now.ino === seen.ino && now.mtimeMs === seen.mtimeMs
  }
}
