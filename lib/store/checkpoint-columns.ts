// What a shard holds, a million times over without a million objects: numbers and ids in two flat
// buffers, and what neighbours share once. An item becomes an object when somebody asks for it.

import type { CheckpointLabel, CheckpointPrefix } from '../format/index.js'
import { type ItemPlace, isTombstone, type ShardItem } from './checkpoint-items.js'

const CAPACITY_MIN = 8
// Few shards have shorter lines on average; one that has grows on.
const LINE_BYTES_USUAL = 1024
const ID_BYTES_USUAL = 36

// One row of numbers per item.
const OFFSET = 0
const LENGTH = 1
const CREATED_AT = 2
const LABEL = 3
const ID_END = 4
const ROW = 5

export class CheckpointColumns {
  #rows: Float64Array<ArrayBuffer>
  #ids: Buffer
  #idView: DataView
  /** `undefined` stands for tombstones. */
  readonly #labels: (CheckpointLabel | undefined)[] = []
  #count = 0

  /** With room for what a shard of that size usually holds. */
  constructor(shardBytes: number) {
    const capacity = Math.max(CAPACITY_MIN, Math.ceil(shardBytes / LINE_BYTES_USUAL))
    this.#rows = new Float64Array(capacity * ROW)
    this.#ids = Buffer.allocUnsafeSlow(capacity * ID_BYTES_USUAL)
    this.#idView = viewOf(this.#ids)
  }

  /** Adds a checkpoint from its line, whose beginning was read. */
  addLine(prefix: CheckpointPrefix, { byte_offset, length }: ItemPlace): void {
    const idBytes = prefix.idEnd - prefix.idStart
    const at = this.#add(prefix.label, prefix.createdAtMs, byte_offset, length, idBytes)
    prefix.copyId(this.#idView, at)
  }

  add(item: ShardItem): void {
    const { byte_offset, length } = item
    const id = Buffer.from(isTombstone(item) ? item.target_id : item.id)
    const label = isTombstone(item) ? undefined : item
    const createdAtMs = isTombstone(item) ? 0 : item.createdAtMs
    const at = this.#add(label, createdAtMs, byte_offset, length, id.length)
    id.copy(this.#ids, at)
  }

  /** Forgets the items from a place in the file on. */
  cutFrom(byteOffset: number): void {
    while (this.#count > 0 && this.#rows[(this.#count - 1) * ROW + OFFSET]! >= byteOffset) {
      this.#count--
    }
  }

  /** Whether it may hold that id; false is certain. */
  mayHave(id: string): boolean {
    const end = this.#count === 0 ? 0 : this.#rows[(this.#count - 1) * ROW + ID_END]!
    return this.#ids.subarray(0, end).includes(id)
  }

  /** Newest first; of one session only, with all tombstones, if asked so. */
  *fromEnd(session?: string): Generator<ShardItem, void, undefined> {
    for (let index = this.#count - 1; index >= 0; index--) {
      const label = this.#labels[this.#rows[index * ROW + LABEL]!]
      if (session === undefined || label === undefined || label.session_key === session) {
        yield this.#item(index, label)
      }
    }
  }

  #item(index: number, label: CheckpointLabel | undefined): ShardItem {
    const row = index * ROW
    const byte_offset = this.#rows[row + OFFSET]!
    const length = this.#rows[row + LENGTH]!
    const start = index === 0 ? 0 : this.#rows[row - ROW + ID_END]!
    const id = this.#ids.toString('utf8', start, this.#rows[row + ID_END])
    if (label === undefined) return { target_id: id, byte_offset, length }
    const { session_key, project_normalized, trigger } = label
    const createdAtMs = this.#rows[row + CREATED_AT]!
    return { id, createdAtMs, session_key, project_normalized, trigger, byte_offset, length }
  }

  /** Adds a row and returns where the bytes of the id belong. */
  #add(
    label: CheckpointLabel | undefined,
    createdAtMs: number,
    byteOffset: number,
    length: number,
    idBytes: number,
  ): number {
    const row = this.#count * ROW
    const idStart = this.#count === 0 ? 0 : this.#rows[row - ROW + ID_END]!
    const idEnd = idStart + idBytes
    if (row === this.#rows.length) this.#rows = doubled(this.#rows)
    if (idEnd > this.#ids.length) this.#growIds(idEnd)
    const rows = this.#rows
    rows[row + OFFSET] = byteOffset
    rows[row + LENGTH] = length
    rows[row + CREATED_AT] = createdAtMs
    rows[row + LABEL] = this.#labelIndex(label)
    rows[row + ID_END] = idEnd
    this.#count++
    return idStart
  }

  #growIds(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(least, 2 * this.#ids.length))
    this.#ids.copy(larger)
    this.#ids = larger
    this.#idView = viewOf(larger)
  }

  #labelIndex(label: CheckpointLabel | undefined): number {
    const labels = this.#labels
    if (labels.length === 0 || labels[labels.length - 1] !== label) labels.push(label)
    return labels.length - 1
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function doubled(rows: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * rows.length)
  larger.set(rows)
  return larger
}
