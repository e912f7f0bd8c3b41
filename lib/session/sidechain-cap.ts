// All subagents of a session share one cap on their bytes, in whichever process they run. What
// this process writes is counted exactly; what others write is looked up on the disk, at most
// every 64 KiB. So with several processes the sum may pass the cap by 64 KiB for each other one.

import { SessionError } from '../errors.js'
import {
  belongsTo,
  type Diagnostic,
  diagnostic,
  measureLine,
  stringifyPayload,
} from '../format/index.js'
import type { LogHandle, NewEvent } from '../log/index.js'
import type { SidechainSizes } from '../store/index.js'

export const LOOK_BYTES = 64 * 1024
/** Kept free in every open log, so that even at the cap it can say how it ended. */
const ENDING_BYTES = 4 * 1024
const NEAR = 0.8

export interface SidechainCapSettings {
  readonly maxBytes: number
  readonly sizes: SidechainSizes
  readonly report: (diagnostic: Diagnostic) => void
}

type OpenLog = Pick<LogHandle, 'path' | 'size' | 'flush'>

export class SidechainCap {
  readonly #settings: SidechainCapSettings
  readonly #open = new Map<string, OpenLog>()
  /** Of logs that are not open here, as of the last look. */
  #othersBytes = 0
  #promisedBytes = 0
  #bytesAtLook = Number.NEGATIVE_INFINITY
  #isNearTold = false

  constructor(settings: SidechainCapSettings) {
    this.#settings = settings
  }

  /** Counts a log from now on. The bytes it begins with have their room while it is made. */
  async admit<Log extends OpenLog>(bytes: number, open: () => Promise<Log>): Promise<Log> {
    const needed = bytes + ENDING_BYTES
    if (!this.hasRoomFor(needed)) throw this.error()
    this.#promisedBytes += needed
    try {
      const log = await open()
      this.#open.set(log.path, log)
      return log
    } finally {
      this.#promisedBytes -= needed
    }
  }

  /** The log is closed, and stays as long as it is. */
  dismiss({ path, size }: OpenLog): void {
    this.expect(path)
    if (this.#open.delete(path)) this.#othersBytes += size
  }

  /** A child of this session will write there, or has. */
  expect(path: string): void {
    this.#settings.sizes.claim(path)
  }

  hasRoomFor(bytes: number): boolean {
    const used = this.#usedBytes(bytes) + bytes
    if (used > this.#settings.maxBytes) return false
    if (used >= NEAR * this.#settings.maxBytes) this.#tellNear(used)
    return true
  }

  /** How long the last line of an open log may be. */
  roomForEnding(): number {
    return Math.max(ENDING_BYTES, this.#settings.maxBytes - this.#usedBytes(0) + ENDING_BYTES)
  }

  error(): SessionError {
    return capError(this.#settings.maxBytes)
  }

  /** With what is kept free for endings. */
  #usedBytes(coming: number): number {
    let written = this.#writtenBytes()
    if (written + coming - this.#bytesAtLook >= LOOK_BYTES) {
      const others = this.#settings.sizes.sumExcept(this.#open)
      written += others - this.#othersBytes
      this.#othersBytes = others
      this.#bytesAtLook = written
    }
    return written + this.#promisedBytes + this.#open.size * ENDING_BYTES
  }

  #writtenBytes(): number {
    let bytes = this.#othersBytes
    for (const log of this.#open.values()) {
      // A tick may hold lines that are promised and not yet counted.
      log.flush()
      bytes += log.size
    }
    return bytes
  }

  #tellNear(used: number): void {
    if (this.#isNearTold) return
    this.#isNearTold = true
    const { maxBytes, report } = this.#settings
    const share = Math.round((used / maxBytes) * 100)
    const message = `The subagents of this session have used ${share} % of ${maxBytes} bytes`
    // Somebody else's code runs only after the step is done.
    queueMicrotask(() => report(diagnostic('sidechain_near_cap', message)))
  }
}

export function capError(maxBytes: number): SessionError {
  const what = `The subagents of this session may take ${maxBytes} bytes together, and have them`
  return new SessionError('ERR_SIDECHAIN_CAP', what, { maxSidechainBytes: maxBytes })
}

const TIME = new Date(0).toISOString()
const UUID = '-'.repeat(36)

/** How long the line of an event can get, at most, if it is one that the log will take at all. */
export function lineBytesMax(event: NewEvent, tip: string | null): number {
  const { type, payload, uuid = UUID, prev_uuid } = event
  if (!belongsTo('sidechain', type)) return 0
  const prev = [prev_uuid, tip, UUID].reduce(
    (longest, it) => ((it?.length ?? 0) > longest!.length ? it : longest),
    '',
  )
  try {
    const payloadJson = stringifyPayload(payload)
    return measureLine({ type, ts: TIME, uuid, prevJson: `"${prev}"`, payloadJson })
  } catch {
    // The log refuses it with a better reason.
    return 0
  }
}
