// The lines of a log in which something is looked for by its bytes. Blocks are searched as a whole,
// so a line that does not hold it costs the finding of its newline and a look at both its ends.
//
// A line that begins and ends as our writer's do is taken to be spelled as it spells: there is one
// way to write a text. In any other line the text may be spelled otherwise, so the finder is
// asked about each of them.

import { ownSpellingTest } from '../../format/index.js'
import { EntryDecoder } from './decode-entry.js'
import { ForwardLines, type Line, MARGIN_BYTES, type ReadSizes } from './forward-lines.js'
import { type OpenLog, readFullySync } from './open-for-reading.js'
import type { UndecodedLine } from './read-log.js'

export interface LineFinder {
  /** The next offset in the bytes, or -1. Without it every line is tested. */
  find?: ((bytes: Buffer, from: number) => number) | undefined
  /** Whether a line may hold it. With `find`, asked of lines that are not spelled as ours. */
  mayHold(line: Line): boolean
}

export interface PrefilterOptions {
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
export function* prefilteredLines(
  log: OpenLog,
  { find, mayHold }: LineFinder,
  { signal, buffer, sizes }: PrefilterOptions = {},
): Generator<UndecodedLine, void, undefined> {
  const lines = new ForwardLines({
    chunkBytes: CHUNK_BYTES,
    ...sizes,
    buffer,
    from: 0,
    to: log.size,
  })
  const decoder = new EntryDecoder(log, true)
  const walked: UndecodedLine = { line: lines, decode: () => decoder.decode(lines) }
  for (let request = lines.request(); request !== undefined; request = lines.request()) {
    signal?.throwIfAborted()
    readFullySync(log, lines.bytes, request)
    lines.accept(request)
    // A search in a buffer knows no other bound than its end.
    const filled = lines.bytes.subarray(0, request.at + request.length)
    const isOurs = ownSpellingTest(filled)
    let at = 0
    for (;;) {
      if (find !== undefined) {
        if (at < lines.nextStart) at = placeOf(find(filled, lines.nextStart))
        lines.skipLines(at, isOurs)
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
