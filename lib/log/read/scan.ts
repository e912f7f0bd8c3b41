// Type, uuid, link and place of every event of a log, without parsing payloads.
//
// A line spelled as our writer spells it is read by its bytes; any other goes through the full
// decoder, so what comes out is what a reader would yield. One thing it takes on trust: that a
// line which begins and ends as ours do is whole. With `verify` it trusts the checksum only.

import {
  type Environment,
  type EnvironmentOverrides,
  environmentFrom,
} from '../../environment/index.js'
import { checkChecksum, EnvelopeOffsets, NEWLINE } from '../../format/index.js'
import type { DamageEntry, EventEntry, TornEntry } from '../entry.js'
import { UuidIndex } from '../uuid-index.js'
import { BackwardLines } from './backward-lines.js'
import { EntryDecoder } from './decode-entry.js'
import { ForwardLines, type Line, MARGIN_BYTES, type ReadSizes } from './forward-lines.js'
import { fillSync, type OpenLog, readFullySync, withOpenLog } from './open-for-reading.js'

export interface ScanOptions {
  /**
   * The byte to start at. Inside a line, the next line is the first.
   *
   * @default 0
   */
  from?: number | undefined

  /**
   * The byte to stop before.
   *
   * @default the size of the file
   */
  to?: number | undefined

  /**
   * Checks every checksum, which takes about twice as long.
   *
   * @default false
   */
  verify?: boolean | undefined

  /**
   * Called for what holds no event, in its place between the visits.
   *
   * @default none
   */
  onDamage?: ((entry: DamageEntry | TornEntry) => void) | undefined

  /**
   * Replaces the file system, for tests and simulators.
   *
   * @default the system's
   */
  environment?: EnvironmentOverrides | undefined

  /**
   * Only for tests.
   *
   * @default the usual sizes
   */
  sizes?: ReadSizes | undefined
}

/**
 * It calls `visit` for every event, oldest first, with one view that changes from line to line.
 * A log may be given by its path or by a descriptor.
 */
export function scanLog(
  log: string | number,
  visit: (line: ScannedLine) => void,
  { from = 0, to, verify = false, onDamage, environment, sizes }: ScanOptions = {},
): void {
  const scan = (open: OpenLog) => {
    const decoder = new EntryDecoder(open, false)
    const view = new ScannedLine()
    const lines = new ForwardLines({ ...sizes, from, to: Math.min(to ?? open.size, open.size) })
    while (fillSync(open, lines)) {
      while (lines.next()) {
        if (mayTrust(lines, verify) && view.setLine(lines)) {
          visit(view)
          continue
        }
        for (const entry of decoder.decode(lines)) {
          if (entry.kind !== 'event') {
            onDamage?.(entry)
            continue
          }
          view.setEntry(entry)
          visit(view)
        }
      }
    }
  }
  withOpenLog(log, scan, environmentFrom(environment))
}

/** The offset of every uuid; of a repeated one, the last. */
export function indexUuids(log: string | number, options: ScanOptions = {}): UuidIndex {
  const { from = 0 } = options
  const env = environmentFrom(options.environment)
  const to = options.to ?? withOpenLog(log, ({ size }) => size, env)
  const index = new UuidIndex({ expected: Math.max(0, to - from) / LINE_BYTES_USUAL })
  scanLog(log, (line) => line.addTo(index), options)
  return index
}

// Few logs have longer lines on average; for one that has, a little memory is wasted.
const LINE_BYTES_USUAL = 8 * 1024

function mayTrust({ bytes, start, end, isEnded, isOversize }: Line, verify: boolean): boolean {
  if (!isEnded || isOversize) return false
  return !verify || checkChecksum(bytes, start, end) === 'valid'
}

// What a scan knows of a line without parsing it. Strings are made on access, so that a caller who
// needs only offsets makes none.

const EMPTY = Buffer.alloc(0)

/** One view for all lines of a scan, valid during the visit only. */
export class ScannedLine {
  byte_offset = 0
  length = 0

  #bytes: Buffer = EMPTY
  #entry: EventEntry | undefined
  readonly #offsets = new EnvelopeOffsets()

  /** Read from its place in the bytes; else the whole line was decoded. */
  get isCanonical(): boolean {
    return this.#entry === undefined
  }

  /** What a reader yields, where the line was decoded. */
  get entry(): EventEntry | undefined {
    return this.#entry
  }

  get type(): string {
    const { typeStart, typeEnd } = this.#offsets
    return this.#entry?.event.type ?? this.#bytes.toString('latin1', typeStart, typeEnd)
  }

  get uuid(): string {
    const { uuidStart, uuidEnd } = this.#offsets
    return this.#entry?.event.uuid ?? this.#bytes.toString('latin1', uuidStart, uuidEnd)
  }

  get prev_uuid(): string | null {
    if (this.#entry !== undefined) return this.#entry.event.prev_uuid
    const { prevStart, prevEnd } = this.#offsets
    return prevEnd === 0 ? null : this.#bytes.toString('latin1', prevStart, prevEnd)
  }

  addTo(index: UuidIndex): void {
    const { uuidStart, uuidEnd } = this.#offsets
    if (this.#entry !== undefined) index.add(this.#entry.event.uuid, this.byte_offset)
    else index.addBytes(this.#bytes, uuidStart, uuidEnd, this.byte_offset)
  }

  setEntry(entry: EventEntry): void {
    this.#entry = entry
    this.byte_offset = entry.byte_offset
    this.length = entry.length
  }

  /** False when the line is not spelled exactly as our writer does; then nothing is known. */
  setLine({ bytes, start, end, byte_offset, length }: Line): boolean {
    if (!this.#offsets.find(bytes, start, end)) return false
    this.#bytes = bytes
    this.#entry = undefined
    this.byte_offset = byte_offset
    this.length = length
    return true
  }
}

// Where lines begin and end, for callers who need nothing else of them.

const CHUNK_BYTES = 256 * 1024

export function countNewlines(
  log: string | number,
  env: Environment,
  from = 0,
  to?: number,
): number {
  const count = (open: OpenLog) => {
    const end = Math.min(to ?? open.size, open.size)
    const chunkBytes = Math.min(CHUNK_BYTES, Math.max(0, end - from))
    const bytes = Buffer.allocUnsafeSlow(MARGIN_BYTES + chunkBytes + 1)
    let lines = 0
    for (let position = from; position < end; ) {
      const length = Math.min(CHUNK_BYTES, end - position)
      readFullySync(open, bytes, { at: MARGIN_BYTES, length, position })
      lines += countIn(bytes, MARGIN_BYTES, MARGIN_BYTES + length)
      position += length
    }
    return lines
  }
  return withOpenLog(log, count, env)
}

/** Where the line starts that holds the byte before `offset`. */
export function lineStartBefore(log: string | number, offset: number, env: Environment): number {
  const find = (open: OpenLog) => {
    const lines = new BackwardLines({ from: 0, to: Math.min(offset, open.size) })
    while (fillSync(open, lines)) if (lines.next()) return lines.byte_offset
    return 0
  }
  return withOpenLog(log, find, env)
}

/** Where the last line ends that has its newline; what follows is not written yet. */
export function endOfLines(log: string | number, env: Environment): number {
  const find = (open: OpenLog) => {
    const last = Buffer.alloc(1)
    if (open.size === 0) return 0
    readFullySync(open, last, { at: 0, length: 1, position: open.size - 1 })
    return last[0] === NEWLINE ? open.size : lineStartBefore(open.fd, open.size, env)
  }
  return withOpenLog(log, find, env)
}

function countIn(bytes: Buffer, start: number, end: number): number {
  // Ends the search: the bytes after it are from an earlier read.
  bytes[end] = NEWLINE
  let count = 0
  for (let at = bytes.indexOf(NEWLINE, start); at < end; at = bytes.indexOf(NEWLINE, at + 1)) {
    count++
  }
  return count
}
