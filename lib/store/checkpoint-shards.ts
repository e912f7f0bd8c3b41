// The shards a process has looked into, open for one step at a time. Whatever is wrong with one of
// them is told and hides no other.

import { closeSync } from 'node:fs'
import { isSessionError } from '../errors.js'
import { diagnostic } from '../format/index.js'
import { type OpenLogWithStats, openForReading } from '../log/inside.js'
import type { Report } from './checkpoint-items.js'
import { ShardIndex } from './checkpoint-shard-index.js'

// Holds most shards at once; making one takes longer than reading a shard.
const BUFFER_BYTES = 1024 * 1024

export class CheckpointShards {
  readonly #indexes = new Map<string, ShardIndex>()
  #buffer: Buffer | undefined

  /** The index of a shard, if one was made, as it was at the last refresh. */
  known(path: string): ShardIndex | undefined {
    return this.#indexes.get(path)
  }

  /** Makes the index of a shard, or brings it up to date; `undefined` when there is no shard. */
  refresh(path: string, report: Report): ShardIndex | undefined {
    return this.open(path, report, (log) => {
      const index = this.#indexes.get(path) ?? new ShardIndex()
      // For those who look into one shard only, a buffer of its size is made by the reader.
      if (this.#indexes.size > 0) this.#buffer ??= Buffer.allocUnsafeSlow(BUFFER_BYTES)
      index.refresh(log, this.#buffer)
      this.#indexes.set(path, index)
      for (const found of index.diagnostics) report(found)
      return index
    })
  }

  /**
   * Hands an open shard to a step; `undefined` when it is not there, cannot be read, or is cut
   * while it is read.
   */
  open<Result>(
    path: string,
    report: Report,
    step: (log: OpenLogWithStats) => Result,
  ): Result | undefined {
    let fd: number | undefined
    try {
      const log = openForReading(path)
      fd = log.fd
      return step(log)
    } catch (error) {
      if (!isSessionError(error)) throw error
      this.#indexes.delete(path)
      if (error.code === 'ERR_NOT_FOUND') return undefined
      report(diagnostic('unreadable_file', error.message, { file: path }))
      return undefined
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  }
}
