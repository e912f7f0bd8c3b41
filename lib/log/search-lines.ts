// The lines of a log in which something is looked for by its bytes. Blocks are searched as a whole,
// so a line that does not hold it costs the finding of its newline and a look at both its ends.
//
// A line that begins and ends as our writer's do is taken to be spelled as it spells: there is one
// way to write a text. In any other line the text may stand in another spelling, so the finder is
// asked about each of them.

import { hasChecksumShape } from '../format/index.js'
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
  return Buffer.allocUnsafeSlow(MARGIN_BYTES + 2 * CHUNK_BYTES)
}

const RECORD_START = Buffer.from('{"type":"', 'latin1')

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
    let at = find === undefined ? -1 : 0
    while (lines.next()) {
      if (at !== -1 && at < lines.start) at = find!(filled, lines.start)
      const isFound = at !== -1 && at < lines.end
      const isAsked = find === undefined || !isOurs(lines)
      if (isFound || lines.isOversize || (isAsked && mayHold(lines))) yield walked
    }
  }
}

function isOurs({ bytes, start, end }: Line): boolean {
  for (let index = 0; index < RECORD_START.length; index++) {
    if (bytes[start + index] !== RECORD_START[index]) return false
  }
  return hasChecksumShape(bytes, start, end)
}
