// What one shard holds, kept in memory and kept up: of a shard that grew only the new bytes are
// read, one that was replaced or changed is read anew. It can be thrown away at any time.

import type { Stats } from 'node:fs'
import { CheckpointPrefix, type Diagnostic } from '../format/index.js'
import { checkBefore, type OpenLogWithStats, walkLines } from '../log/inside.js'
import { CheckpointColumns } from './checkpoint-columns.js'
import { decodedItems, isPrefixRead, type ShardItem } from './checkpoint-items.js'

export class ShardIndex {
  #columns = new CheckpointColumns(0)
  /** Goes on where it stopped, so that reading in two parts finds what reading at once does. */
  #prefix = new CheckpointPrefix()
  #diagnostics: Diagnostic[] = []
  #stats: Stats | undefined
  /** Behind the last finished line: what stands there may still become another line. */
  #readTo = 0
  #linesRead = 0
  /** Of the bytes before that place, so that another file is noticed that looks the same. */
  #check = 0

  /** What was tolerated in the shard. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics
  }

  /** Newest first; of one session only, with all tombstones, if asked so. */
  itemsFromEnd(session?: string): Iterable<ShardItem> {
    return this.#columns.fromEnd(session)
  }

  /** False is certain. */
  mayHave(id: string): boolean {
    return this.#columns.mayHave(id)
  }

  /** Whether an open shard is the file this index was made of. */
  isOf({ stats }: OpenLogWithStats): boolean {
    return this.#stats !== undefined && isSameFile(stats, this.#stats)
  }

  /** Takes over what changed. `buffer` is there to be used again for the next shard. */
  refresh(log: OpenLogWithStats, buffer?: Buffer): void {
    if (this.#stats !== undefined && isUnchanged(log.stats, this.#stats)) return
    if (this.#isContinued(log)) this.#forgetTail()
    else this.#startAgain(log.size)
    this.#read(log, buffer)
    this.#stats = log.stats
    this.#check = checkBefore(log.fd, this.#readTo)
  }

  #isContinued({ fd, stats }: OpenLogWithStats): boolean {
    const before = this.#stats
    if (before === undefined || !isSameFile(stats, before) || stats.size <= before.size)
      return false
    return checkBefore(fd, this.#readTo) === this.#check
  }

  #startAgain(shardBytes: number): void {
    this.#columns = new CheckpointColumns(shardBytes)
    this.#prefix = new CheckpointPrefix()
    this.#diagnostics = []
    this.#readTo = 0
    this.#linesRead = 0
  }

  #forgetTail(): void {
    const from = this.#readTo
    this.#columns.cutFrom(from)
    this.#diagnostics = this.#diagnostics.filter(({ byte_offset = 0 }) => byte_offset < from)
  }

  #read(log: OpenLogWithStats, buffer: Buffer | undefined): void {
    const prefix = this.#prefix
    const report = (found: Diagnostic) => this.#diagnostics.push(found)
    const place = { from: this.#readTo, linesBefore: this.#linesRead }
    for (const walked of walkLines(log, { ...place, buffer })) {
      const { line } = walked
      if (isPrefixRead(prefix, line)) this.#columns.addLine(prefix, line)
      else for (const item of decodedItems(walked, log, report)) this.#columns.add(item)
      if (!line.isEnded) break
      this.#readTo = line.byte_offset + line.length + 1
      this.#linesRead++
    }
  }
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev && one.birthtimeMs === other.birthtimeMs
}

function isUnchanged(stats: Stats, before: Stats): boolean {
  return (
    isSameFile(stats, before) &&
    stats.size === before.size &&
    stats.mtimeMs === before.mtimeMs &&
    stats.ctimeMs === before.ctimeMs
  )
}
