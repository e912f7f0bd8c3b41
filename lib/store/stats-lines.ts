// The events of a log as far as counting needs them: every type, time and size, and the payload of
// the few lines that hold something to count. Most bytes of a transcript are results of tools that
// went well, and those are only looked at by their ends.

import { closeSync } from 'node:fs'
import {
  type Envelope,
  hasChecksumShape,
  readEnvelope,
  type SessionEvent,
} from '../format/index.js'
import { type Line, openForReading, type WalkedLine, walkLines } from '../log/inside.js'
import { countedPayload } from './stats-payload.js'

export interface CountedEvent {
  readonly kind: 'event'
  readonly envelope: Envelope
  /** Only where there is something to count in it; perhaps with no more of the payload than that. */
  readonly event: SessionEvent | undefined
  readonly bytes: number
}

export type CountedLine = CountedEvent | { readonly kind: 'damage'; readonly bytes: number }

/** In their order, read into a `searchBuffer`. Blank lines and newlines count with what stands before them. */
export function* countedLines(
  path: string,
  buffer: Buffer,
): Generator<CountedLine, void, undefined> {
  const log = openForReading(path)
  try {
    for (const walked of walkLines(log, { buffer })) {
      const { line } = walked
      const envelope = line.isEnded && !line.isOversize ? envelopeOf(line) : undefined
      const bytes = line.length + (line.isEnded ? 1 : 0)
      const event = envelope === undefined ? undefined : countedPayload(envelope, line)
      if (envelope === undefined || event === undefined) yield* decoded(walked, bytes)
      else yield { kind: 'event', envelope, event: event ?? undefined, bytes }
    }
  } finally {
    closeSync(log.fd)
  }
}

function* decoded({ decode }: WalkedLine, bytes: number): Generator<CountedLine, void, undefined> {
  let left = bytes
  const entries = decode()
  for (const [index, entry] of entries.entries()) {
    const isLast = index === entries.length - 1
    const own = isLast ? left : entry.length
    left -= own
    if (entry.kind !== 'event') yield { kind: 'damage', bytes: own }
    else yield { kind: 'event', envelope: entry.event, event: entry.event, bytes: own }
  }
}

/**
 * Of a line that begins and ends as ours do. Two records of ours that somebody ran together do, too,
 * and count as one: to look for a second one in every line takes half as long again as the rest.
 */
function envelopeOf({ bytes, start, end }: Line): Envelope | undefined {
  return hasChecksumShape(bytes, start, end) ? readEnvelope(bytes, start, end) : undefined
}
