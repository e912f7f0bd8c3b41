// All subagents of a session share one limit on their bytes, in all processes. Writes of this process
// are counted exactly; those of others are read from the disk, every 64 KiB. So with several processes
// the sum may exceed the limit by 64 KiB for each other one.

import { SessionError } from '../../errors.js'
import {
  belongsTo,
  type Diagnostic,
  diagnostic,
  measureLine,
  stringifyPayload,
} from '../../format/index.js'
import type { LogHandle, NewEvent } from '../../log/index.js'
import type { SidechainSizes } from '../../store/index.js'

export const RECHECK_BYTES = 64 * 1024
/** Reserved for every open log, so that its ending can be written even at the limit. */
const ENDING_BYTES = 4 * 1024
const NEAR = 0.8

export interface ByteLimitSettings {
  readonly maxBytes: number
  readonly sizes: SidechainSizes
  readonly report: (diagnostic: Diagnostic) => void
}

type OpenLog = Pick<LogHandle, 'path' | 'size' | 'flush'>

export class ByteLimit {
  readonly #settings: ByteLimitSettings
  readonly #open = new Map<string, OpenLog>()
  /** Of logs that are not open here, as last read. */
  #othersBytes = 0
  #reservedBytes = 0
  #bytesAtLastRead = Number.NEGATIVE_INFINITY
  #isNearReported = false

  constructor(settings: ByteLimitSettings) {
    this.#settings = settings
  }

  /** Opens a log and counts it from then on. Its first bytes are reserved meanwhile. */
  async admit<Log extends OpenLog>(bytes: number, open: () => Promise<Log>): Promise<Log> {
    const needed = bytes + ENDING_BYTES
    if (!this.allows(needed)) throw this.error()
    this.#reservedBytes += needed
    try {
      const log = await open()
      this.#open.set(log.path, log)
      return log
    } finally {
      this.#reservedBytes -= needed
    }
  }

  /** The log is closed: its size does not change any more. */
  remove({ path, size }: OpenLog): void {
    this.expect(path)
    if (this.#open.delete(path)) this.#othersBytes += size
  }

  /** The path belongs to a subagent of this session. */
  expect(path: string): void {
    this.#settings.sizes.claim(path)
  }

  allows(bytes: number): boolean {
    const used = this.#usedBytes(bytes) + bytes
    if (used > this.#settings.maxBytes) return false
    if (used >= NEAR * this.#settings.maxBytes) this.#reportNear(used)
    return true
  }

  /** The maximal length of the last line of an open log. */
  maxEndingBytes(): number {
    return Math.max(ENDING_BYTES, this.#settings.maxBytes - this.#usedBytes(0) + ENDING_BYTES)
  }

  error(): SessionError {
    return limitError(this.#settings.maxBytes)
  }

  /** With the bytes reserved for endings. */
  #usedBytes(coming: number): number {
    let written = this.#writtenBytes()
    if (written + coming - this.#bytesAtLastRead >= RECHECK_BYTES) {
      const others = this.#settings.sizes.sumExcept(this.#open)
      written += others - this.#othersBytes
      this.#othersBytes = others
      this.#bytesAtLastRead = written
    }
    return written + this.#reservedBytes + this.#open.size * ENDING_BYTES
  }

  #writtenBytes(): number {
    let bytes = this.#othersBytes
    for (const log of this.#open.values()) {
      // Lines appended in this tick are not counted before they are written.
      log.flush()
      bytes += log.size
    }
    return bytes
  }

  #reportNear(used: number): void {
    if (this.#isNearReported) return
    this.#isNearReported = true
    const { maxBytes, report } = this.#settings
    const share = Math.round((used / maxBytes) * 100)
    const message = `The subagents of this session have used ${share} % of ${maxBytes} bytes`
    // Code of the caller runs after this step is done.
    queueMicrotask(() => report(diagnostic('sidechain_near_cap', message)))
  }
}

export function limitError(maxBytes: number): SessionError {
  const what = `The subagents of this session have reached their limit of ${maxBytes} bytes`
  return new SessionError('ERR_SUBAGENT_LIMIT', what, { maxSidechainBytes: maxBytes })
}

const TIME = new Date(0).toISOString()
const UUID = '-'.repeat(36)

/** The maximal length of the line of an event; 0 if the log rejects it. */
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
    // The log rejects it with a better reason.
    return 0
  }
}
