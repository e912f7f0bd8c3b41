// Which uuids the log holds, and where: asked only when a caller brings a uuid of their own.
//
// Derived from the file's bytes and nothing else. It covers the end of the file, and grows by
// scanning what it has not seen; a log whose writer makes all uuids itself never pays for it. What is
// before the part it covers is searched, and indexed only where many uuids are asked for.

import type { Environment } from '../../environment/index.js'
import type { BatchLine } from '../log-handle.js'
import { type FoundEvent, findUuid } from '../read/find-uuid.js'
import { type OpenLog, readEventAt } from '../read/open-for-reading.js'
import { lineStartBefore, scanLog } from '../read/scan.js'
import { UuidIndex } from '../uuid-index.js'

// From then on an index of the whole log is quicker.
const SEARCHES_MAX = 3

export interface KnownUuidsOptions {
  /** How far back from the end to index; a one-shot asks for few uuids. */
  readonly reachBytes: number
  /** Also search what is before that. */
  readonly isWhole: boolean
  readonly environment: Environment
}

export class KnownUuids {
  readonly #log: OpenLog
  readonly #reachBytes: number
  readonly #isWhole: boolean
  readonly #environment: Environment
  #made: UuidIndex | undefined
  /** Of what is before `#from`. */
  #older: UuidIndex | undefined
  #searches = 0
  #from = 0
  #to = -1

  constructor(log: OpenLog, { reachBytes, isWhole, environment }: KnownUuidsOptions) {
    this.#environment = environment
    this.#isWhole = isWhole
    this.#log = log
    this.#reachBytes = reachBytes
  }

  /** The verified uuids of the first `size` bytes, from a caller that scanned them. */
  take(index: UuidIndex, size: number): void {
    this.#made = index
    this.#to = size
  }

  /** The last event of that uuid among the first `size` bytes, and its offset. */
  find(uuid: string, size: number): FoundEvent | undefined {
    this.#cover(size)
    return this.#eventAt(this.#index.find(uuid), uuid) ?? this.#findOlder(uuid)
  }

  #findOlder(uuid: string): FoundEvent | undefined {
    if (this.#from === 0 || !this.#isWhole) return undefined
    if (this.#older === undefined && ++this.#searches <= SEARCHES_MAX) {
      const found = findUuid(this.#log, uuid, this.#from, this.#environment)
      if (found !== 'unclear') return found
    }
    this.#older ??= this.#scan(new UuidIndex(), 0, this.#from)
    return this.#eventAt(this.#older.find(uuid), uuid)
  }

  // The index keeps hashes: only the line itself can say that it is the one.
  #eventAt(offset: number | undefined, uuid: string): FoundEvent | undefined {
    const event = offset === undefined ? undefined : readEventAt(this.#log, offset)
    return event?.uuid === uuid ? { event, byte_offset: offset! } : undefined
  }

  /** Adds lines just written, unless some before them are still unseen: then a scan will find them. */
  addLines(lines: readonly BatchLine[], end: number): void {
    const [first] = lines
    if (first === undefined || this.#to !== first.receipt.byteOffset) return
    for (const { uuid, receipt } of lines) this.#index.add(uuid, receipt.byteOffset)
    this.#to = end
  }

  // Made on demand: most writers never need it.
  get #index(): UuidIndex {
    this.#made ??= new UuidIndex()
    return this.#made
  }

  #cover(size: number): void {
    if (this.#to === -1) {
      const from = Math.max(0, size - this.#reachBytes)
      // From the start of a line: what is before it is searched, and no line is in neither part.
      this.#from = from === 0 ? 0 : lineStartBefore(this.#log.fd, from + 1, this.#environment)
      this.#to = this.#from
    }
    if (this.#to >= size) return
    this.#scan(this.#index, this.#to, size)
    this.#to = size
  }

  #scan(index: UuidIndex, from: number, to: number): UuidIndex {
    // Verified, so that a record behind another one on its line is found as well.
    const options = { from, to, verify: true, environment: this.#environment }
    scanLog(this.#log.fd, (line) => line.addTo(index), options)
    return index
  }
}
