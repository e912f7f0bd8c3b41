// The events of a log as far as counting needs them: every type, time and size, and the payload of
// the few lines that hold something to count. Most bytes of a transcript are results of tools that
// went well, and those are only looked at by their ends.

import { closeSync } from 'node:fs'
import {
  CHECKSUM_BYTES,
  type Envelope,
  hasChecksumShape,
  readEnvelope,
  type SessionEvent,
} from '../format/index.js'
import { type Line, openForReading, type WalkedLine, walkLines } from '../log/inside.js'

export interface CountedEvent {
  readonly kind: 'event'
  readonly envelope: Envelope
  /** Only where there is something to count in it. */
  readonly event: SessionEvent | undefined
  readonly bytes: number
}

export type CountedLine = CountedEvent | { readonly kind: 'damage'; readonly bytes: number }

/** In their order. Blank lines and newlines count with what stands before them. */
export function* countedLines(path: string): Generator<CountedLine, void, undefined> {
  const log = openForReading(path)
  try {
    for (const walked of walkLines(log)) {
      const { line } = walked
      const envelope = line.isEnded && !line.isOversize ? envelopeOf(line) : undefined
      const bytes = line.length + (line.isEnded ? 1 : 0)
      if (envelope !== undefined && !hasCounts(envelope.type, line)) {
        yield { kind: 'event', envelope, event: undefined, bytes }
      } else {
        yield* decoded(walked, bytes)
      }
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

/** Of a line that begins and ends as ours do. */
function envelopeOf({ bytes, start, end }: Line): Envelope | undefined {
  return hasChecksumShape(bytes, start, end) ? readEnvelope(bytes, start, end) : undefined
}

const USAGE = Buffer.from('"usage":')
const TOOL_USE = Buffer.from('"tool_use"')
const FAILED = Buffer.from('"is_error":true')

// Fields that our users write behind the content; the brace that follows closes the payload.
const RESULT_END = /[,{]"is_error":(true|false)(?:,"\w+":(?:"[^"\\]*"|[-\w.]+))*\}$/
const RESULT_END_BYTES = 160

const ALWAYS_COUNTED: ReadonlySet<string> = new Set([
  'tool_call',
  'compaction_boundary',
  'subagent_result',
])

/** Whether the payload may hold what is counted. A maybe costs the parsing of the line. */
function hasCounts(type: string, line: Line): boolean {
  if (ALWAYS_COUNTED.has(type)) return true
  if (type === 'tool_result') return mayHaveFailed(line)
  if (type !== 'assistant' && type !== 'user') return false
  const bytes = line.bytes.subarray(line.start, line.end)
  if (type === 'user') return bytes.includes(FAILED)
  return bytes.includes(USAGE) || bytes.includes(TOOL_USE)
}

function mayHaveFailed({ bytes, start, end }: Line): boolean {
  const last = end - CHECKSUM_BYTES
  const text = bytes.toString('latin1', Math.max(start, last - RESULT_END_BYTES), last)
  const found = RESULT_END.exec(text)
  if (found !== null) return found[1] === 'true'
  return bytes.subarray(start, end).includes(FAILED)
}
