// Lines of a log before they are decoded, from either end: for those who find what they want by
// the bytes of most lines and ask for the meaning of few.

import { BackwardLines } from './backward-lines.js'
import { ChecksumWitness } from './checksum-witness.js'
import { EntryDecoder } from './decode-entry.js'
import type { LogEntry } from './entry.js'
import { fillSync } from './fill-lines.js'
import { ForwardLines, type Line } from './line-source.js'
import type { OpenLog } from './open-for-reading.js'

export interface WalkOptions {
  /** @default 0 */
  readonly from?: number | undefined
  /** @default the size of the log */
  readonly to?: number | undefined
  /** @default false */
  readonly isBackward?: boolean | undefined
  /** How many lines stand before `from`, if known. */
  readonly linesBefore?: number | undefined
  /** To read into, forward, for those who walk many short logs. */
  readonly buffer?: Buffer | undefined
}

/** One for all lines of a walk: good until the walk goes on. */
export interface WalkedLine {
  readonly line: Line
  /** What the readers would yield for this line, oldest first. */
  decode(): readonly LogEntry[]
}

export function* walkLines(
  log: OpenLog,
  { from = 0, to = log.size, isBackward = false, ...rest }: WalkOptions = {},
): Generator<WalkedLine, void, undefined> {
  const range = { from, to: Math.min(to, log.size), ...rest }
  const line = isBackward ? new BackwardLines(range) : new ForwardLines(range)
  const witness = new ChecksumWitness({ isBare: false })
  const decoder = new EntryDecoder(log, { isBare: false, witness })
  const walked: WalkedLine = { line, decode: () => decoder.decode(line) }
  while (fillSync(log, line)) while (line.next()) yield walked
}
