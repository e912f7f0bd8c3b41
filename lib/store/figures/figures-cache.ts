// What logs add up to, kept between two commands in `.cache/` of the store. Derived: a file of it
// that is missing, old, damaged or not writable costs time and nothing else.

import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { basename, join } from 'node:path'
import { isSessionError } from '../../errors.js'
import { AtomicFile } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { readSmallText } from '../read-small-text.js'
import type { LogState } from './log-figures.js'

// With another way to count, or another shape.
const VERSION = 1
// So that one session that grows rewrites few others.
const SHARDS = 32
const SHARD_BYTES_MAX = 8 * 1024 * 1024
const ENTRY_BYTES_MAX = 16 * 1024

/** What a file was when it was counted. */
interface Stamp {
  readonly size: number
  readonly mtimeMs: number
  readonly ino: number
}

interface Entry extends Stamp {
  readonly state: LogState
}

interface Shard {
  readonly entries: Map<string, Entry>
  isChanged: boolean
}

export class FiguresCache {
  readonly #store: StoreContext
  readonly #kind: string
  readonly #shards = new Map<number, Shard>()

  /** `kind`: the folder of the logs, since names repeat from one to another. */
  constructor(store: StoreContext, kind: 'transcripts' | 'sidechains') {
    this.#store = store
    this.#kind = kind
  }

  /** The state of a log; `isCurrent`: the file did not grow since. */
  find(
    path: string,
    stats: Stamp,
  ): { readonly state: LogState; readonly isCurrent: boolean } | undefined {
    const entry = this.#shardOf(path).entries.get(basename(path))
    if (entry === undefined || entry.ino !== stats.ino || entry.size > stats.size) return undefined
    const isCurrent = entry.size === stats.size
    // It did not grow and was written all the same.
    if (isCurrent && entry.mtimeMs !== stats.mtimeMs) return undefined
    return { state: entry.state, isCurrent }
  }

  put(path: string, { size, mtimeMs, ino }: Stamp, state: LogState): void {
    const entry = { size, mtimeMs, ino, state }
    if (JSON.stringify(entry).length > ENTRY_BYTES_MAX) return
    const shard = this.#shardOf(path)
    shard.entries.set(basename(path), entry)
    shard.isChanged = true
  }

  /** Writes what changed, without logs that are gone. Of two processes the last one wins. */
  save(paths: readonly string[]): void {
    const present = new Set(paths.map((path) => basename(path)))
    for (const [index, shard] of this.#shards) {
      if (!shard.isChanged) continue
      const entries = [...shard.entries].filter(([name]) => present.has(name))
      try {
        this.#write(this.#pathOf(index), JSON.stringify(Object.fromEntries(entries)))
      } catch (error) {
        // A store that may only be read, a full disk: the next reading counts again.
        if (!isSessionError(error)) throw error
        return
      }
      shard.isChanged = false
    }
  }

  #write(path: string, text: string): void {
    if (text.length > SHARD_BYTES_MAX) return
    const file = new AtomicFile(path, this.#store.env, { replace: true, makeFolder: true })
    try {
      file.write(Buffer.from(`${headOf(text)}\n${text}`))
      file.finish()
    } finally {
      file.abandon()
    }
  }

  #shardOf(path: string): Shard {
    const index = createHash('sha256').update(basename(path)).digest()[0]! % SHARDS
    const shard = this.#shards.get(index) ?? { entries: this.#read(index), isChanged: false }
    this.#shards.set(index, shard)
    return shard
  }

  #read(index: number): Map<string, Entry> {
    try {
      const bytes = readSmallText(this.#store, this.#pathOf(index), SHARD_BYTES_MAX)
      const text = bytes.toString('utf8')
      const at = text.indexOf('\n')
      const json = text.slice(at + 1)
      if (text.slice(0, at) !== headOf(json)) return new Map()
      return new Map(Object.entries(JSON.parse(json) as Record<string, Entry>))
    } catch (error) {
      if (!isSessionError(error) && !(error instanceof SyntaxError)) throw error
      return new Map()
    }
  }

  #pathOf(index: number): string {
    return join(this.#store.layout.cache, `${this.#kind}-${String(index).padStart(2, '0')}.json`)
  }
}

/** The first line of a file: it does not fit a file that was changed. */
function headOf(json: string): string {
  return `figures ${VERSION} ${createHash('sha256').update(json).digest('hex')}`
}

export function stampOf({ size, mtimeMs, ino }: Stats): Stamp {
  return { size, mtimeMs, ino }
}
