// Type, uuid, link and place of every event of a log, without parsing payloads.
//
// A line spelled as our writer spells it is read by its bytes; any other goes through the full
// decoder, so what comes out is what a reader would yield. One thing it takes on trust: that a
// line which begins and ends as ours do is whole. With `verify` it trusts the checksum only.

import { checkChecksum } from '../format/index.js'
import { ChecksumWitness } from './checksum-witness.js'
import { EntryDecoder } from './decode-entry.js'
import type { DamageEntry, TornEntry } from './entry.js'
import { fillSync } from './fill-lines.js'
import { ForwardLines, type Line, type ReadSizes } from './line-source.js'
import { withOpenLog } from './open-for-reading.js'
import { ScannedLine } from './scanned-line.js'
import { UuidIndex } from './uuid-index.js'

export { countNewlines, lineStartBefore } from './newlines.js'
export type { ScannedLine } from './scanned-line.js'

export interface ScanOptions {
  /**
   * The byte to start at. Inside a line, the next line is the first.
   *
   * @default 0
   */
  from?: number | undefined

  /** @default the size of the file */
  to?: number | undefined

  /**
   * Checks every checksum, which takes about twice as long.
   *
   * @default false
   */
  verify?: boolean | undefined

  /** Called for what holds no event, in its place between the visits. */
  onDamage?: ((entry: DamageEntry | TornEntry) => void) | undefined

  /** Only for tests. */
  sizes?: ReadSizes | undefined
}

/**
 * It calls `visit` for every event, oldest first, with one view that changes from line to line.
 * A log may be given by its path or by a descriptor.
 */
export function scanLog(
  log: string | number,
  visit: (line: ScannedLine) => void,
  { from = 0, to, verify = false, onDamage, sizes }: ScanOptions = {},
): void {
  withOpenLog(log, (open) => {
    const witness = new ChecksumWitness({ isBare: false })
    const decoder = new EntryDecoder(open, { isBare: false, witness })
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
  })
}

/** Where every uuid stands; a repeated one, where it stands last. */
export function indexUuids(log: string | number, options: ScanOptions = {}): UuidIndex {
  const { from = 0 } = options
  const to = options.to ?? withOpenLog(log, ({ size }) => size)
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
