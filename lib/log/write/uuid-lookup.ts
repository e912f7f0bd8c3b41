// Which uuids the log holds, and where: asked only when a caller brings a uuid of their own.
//
// Derived from the file's bytes and nothing else. It covers a stretch of the file, and grows by
// scanning what it has not seen; a log whose writer makes all uuids itself never pays for it.

import type { Environment } from '../../environment/index.js'
import type { SessionEvent } from '../../format/index.js'
import type { BatchLine } from '../log-handle.js'
import { type OpenLog, readEventAt } from '../read/open-for-reading.js'
import { scanLog } from '../read/scan.js'
import { UuidIndex } from '../uuid-index.js'

export class KnownUuids {
  readonly #log: OpenLog
  readonly #reachBytes: number
  readonly #environment: Environment
  #made: UuidIndex | undefined
  #from = 0
  #to = -1

  /** `reachBytes`: how far back from the end to look; one-shots look at the tail only. */
  constructor(
    log: OpenLog,
    { reachBytes, environment }: { reachBytes: number; environment: Environment },
  ) {
    this.#environment = environment
    this.#log = log
    this.#reachBytes = reachBytes
  }

  /** The verified uuids of the first `size` bytes, from a caller that scanned them. */
  take(index: UuidIndex, size: number): void {
    this.#made = index
    this.#to = size
  }

  /** The event of that uuid among the first `size` bytes, and its offset. */
  find(uuid: string, size: number): { event: SessionEvent; byte_offset: number } | undefined {
    this.#cover(size)
    const offset = this.#index.find(uuid)
    if (offset === undefined) return undefined
    // The index keeps hashes: only the line itself can say that it is the one.
    const event = readEventAt(this.#log, offset)
    return event?.uuid === uuid ? { event, byte_offset: offset } : undefined
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
      this.#from = Math.max(0, size - this.#reachBytes)
      this.#to = this.#from
    }
    if (this.#to >= size) return
    scanLog(
      this.#log.fd,
      (line) => {
        line.addTo(this.#index)
      },
      // Verified, so that a record behind another one on its line is found as well.
      { from: this.#to, to: size, verify: true, environment: this.#environment },
    )
    this.#to = size
  }
}
