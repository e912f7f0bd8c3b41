// The lines of a log in which something is looked for by its bytes. Blocks are searched as a whole,
// so a line that does not hold it costs the finding of its newline and a look at both its ends.
//
// A line that begins and ends as our writer's do is taken to be spelled as it spells: there is one
// way to write a text. In any other line the text may stand in another spelling, so the finder is
// asked about each of them.

import { CHECKSUM_BYTES, hasChecksumDigits } from '../format/index.js'
import { ChecksumWitness } from './checksum-witness.js'
import { EntryDecoder } from './decode-entry.js'
import { readFullySync } from './fill-lines.js'
import { ForwardLines, type Line, MARGIN_BYTES, type ReadSizes } from './line-source.js'
import type { OpenLog } from './open-for-reading.js'
import type { WalkedLine } from './walk-lines.js'

export interface LineFinder {
  /** Where it stands next in the bytes, from there on; -1 for nowhere. Without it lines are asked one by one. */
  find?: ((bytes: Buffer, from: number) => number) | undefined
  /** Whether a line may hold it. With `find`, asked of lines that are not spelled as ours. */
  mayHold(line: Line): boolean
}

export interface SearchLinesOptions {
  readonly signal?: AbortSignal | undefined
  /** To read into, for those who search many logs: made by `searchBuffer`. */
  readonly buffer?: Buffer | undefined
  /** Only for tests. */
  readonly sizes?: ReadSizes | undefined
}

const CHUNK_BYTES = 256 * 1024

/** Long enough for most lines; making one for every log takes as long as reading a short one. */
export function searchBuffer(): Buffer {
  return Buffer.allocUnsafeSlow(MARGIN_BYTES + 4 * CHUNK_BYTES)
}

/** In their order; also those that are damaged, torn, or have no envelope. Oversize ones always. */
export function* searchLines(
  log: OpenLog,
  { find, mayHold }: LineFinder,
  { signal, buffer, sizes }: SearchLinesOptions = {},
): Generator<WalkedLine, void, undefined> {
  const lines = new ForwardLines({
    chunkBytes: CHUNK_BYTES,
    ...sizes,
    buffer,
    from: 0,
    to: log.size,
  })
  const witness = new ChecksumWitness({ isBare: true })
  const decoder = new EntryDecoder(log, { isBare: true, witness })
  const walked: WalkedLine = { line: lines, decode: () => decoder.decode(lines) }
  for (let request = lines.request(); request !== undefined; request = lines.request()) {
    signal?.throwIfAborted()
    readFullySync(log, lines.bytes, request)
    lines.accept(request)
    // A search in a buffer knows no other bound than its end.
    const filled = lines.bytes.subarray(0, request.at + request.length)
    const isOurs = spellingTest(filled)
    let at = 0
    for (;;) {
      if (find !== undefined) {
        if (at < lines.nextStart) at = placeOf(find(filled, lines.nextStart))
        lines.passOver(at, isOurs)
      }
      if (!lines.next()) break
      const isFound = find !== undefined && at < lines.end
      const isAsked = find === undefined || !isOurs(lines.start, lines.end)
      if (isFound || lines.isOversize || (isAsked && mayHold(lines))) yield walked
    }
  }
}

/** Behind everything, when it is nowhere. */
function placeOf(found: number): number {
  return found === -1 ? Number.POSITIVE_INFINITY : found
}

const LITTLE = true
const RECORD_START = numberOf('{"type":')
const CHECKSUM_START = numberOf(',"crc":"')
const QUOTE = 0x22
const QUOTE_AND_BRACE = 0x7d22
const SHORTEST_BYTES = 9 + CHECKSUM_BYTES

/**
 * Whether a line begins and ends as ours. Eight bytes at a time, as numbers: no text is one that is
 * not equal to itself, and no two texts are the same one.
 */
function spellingTest(bytes: Buffer): (start: number, end: number) => boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return (start, end) =>
    end - start >= SHORTEST_BYTES &&
    view.getFloat64(start, LITTLE) === RECORD_START &&
    view.getUint8(start + 8) === QUOTE &&
    view.getFloat64(end - CHECKSUM_BYTES, LITTLE) === CHECKSUM_START &&
    view.getUint16(end - 2, LITTLE) === QUOTE_AND_BRACE &&
    hasChecksumDigits(bytes, end - 10)
}

function numberOf(text: string): number {
  return Buffer.from(text, 'latin1').readDoubleLE()
}
