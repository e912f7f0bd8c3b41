// The events of a log as far as counting needs them: type, time and size of all, and the payload of
// the few lines with something to count. Most bytes of a transcript are results of successful tools,
// of which only both ends are read.

import {
  CHECKSUM_BYTES,
  type Envelope,
  hasChecksumShape,
  payloadOffset,
  readEnvelope,
  type SessionEvent,
} from '../../format/index.js'
import {
  type Line,
  openForReading,
  type UndecodedLine,
  undecodedLines,
} from '../../log/internal.js'
import type { StoreContext } from '../context.js'

export interface CountedEvent {
  readonly kind: 'event'
  readonly envelope: Envelope
  /** Only if there is something to count in it, perhaps with that part of the payload only. */
  readonly event: SessionEvent | undefined
  readonly bytes: number
  /** Where the next line begins; `undefined` for bytes after the last newline. */
  readonly end: number | undefined
}

export type CountedLine =
  | CountedEvent
  | { readonly kind: 'damage'; readonly bytes: number; readonly end: number | undefined }

/** In order, read into a `searchBuffer`. Blank lines and newlines count for the line before. */
export function* readCountedLines(
  { env }: StoreContext,
  path: string,
  buffer: Buffer,
  from = 0,
): Generator<CountedLine, void, undefined> {
  const log = openForReading(path, env)
  try {
    for (const walked of undecodedLines(log, { buffer, from })) {
      const { line } = walked
      const envelope = line.isEnded && !line.isOversize ? skimEnvelope(line) : undefined
      const bytes = line.length + (line.isEnded ? 1 : 0)
      const event = envelope === undefined ? undefined : skimPayload(envelope, line)
      const end = line.isEnded ? line.byte_offset + bytes : undefined
      if (envelope === undefined || event === undefined) yield* decodeLine(walked, bytes, end)
      else yield { kind: 'event', envelope, event: event ?? undefined, bytes, end }
    }
  } finally {
    env.fs.closeSync(log.fd)
  }
}

function* decodeLine(
  { decode }: UndecodedLine,
  bytes: number,
  end: number | undefined,
): Generator<CountedLine, void, undefined> {
  let left = bytes
  const entries = decode()
  for (const [index, entry] of entries.entries()) {
    const isLast = index === entries.length - 1
    const own = isLast ? left : entry.length
    left -= own
    if (entry.kind !== 'event') yield { kind: 'damage', bytes: own, end }
    else yield { kind: 'event', envelope: entry.event, event: entry.event, bytes: own, end }
  }
}

/**
 * Of a line that begins and ends as ours do. Two concatenated records look the same and count as
 * one: to find the second would make counting half as slow again.
 */
function skimEnvelope({ bytes, start, end }: Line): Envelope | undefined {
  return hasChecksumShape(bytes, start, end) ? readEnvelope(bytes, start, end) : undefined
}

const HEAD_BYTES = 320
const TAIL_BYTES = 320

// Characters that JSON does not escape.
const PLAIN = '[ !#-\\[\\]-~]*'
const RESULT_START = new RegExp(`^\\{"tool_call_id":"(${PLAIN})"[,}]`)
const CALL_START = new RegExp(`^\\{"tool_call_id":"(${PLAIN})","name":"(${PLAIN})"[,}]`)

// Flat fields up to the end of the payload. A string cannot contain a plain quote, so this never
// matches inside of one.
const REST = `(?:,"\\w+":(?:"${PLAIN}"|[-\\w.]+))*\\}$`
const RESULT_END = new RegExp(`^[,{]"is_error":(true|false)${REST}`)
// Strict, since it is parsed: an edited line may look like ours and be invalid JSON.
const COUNT = '"\\w+":(?:0|[1-9]\\d{0,15})'
const USAGE_END = new RegExp(`^[,{]"usage":(\\{${COUNT}(?:,${COUNT})*\\})${REST}`)

const MODEL_END = new RegExp(`^[,{]"model":"(${PLAIN})","usage":\\{[^{}]*\\}${REST}`)

const BLOCKS_START = /^\{"content":\[\{"type":"(\w+)"/

const TEXT_CONTENT = '{"content":"'
const USAGE = Buffer.from('"usage":')
const TOOL_USE = Buffer.from('"type":"tool_use"')
const MODEL = Buffer.from('"model":')
const SUPERSEDES = Buffer.from('"supersedes":')
const MESSAGE_ID = Buffer.from('"message_id":')
const IS_META = Buffer.from('"is_meta":true')
const FAILED = Buffer.from('"is_error":true')
const COPIED_FROM = Buffer.from('"copied_from":"')

/**
 * What is counted of a payload, read from both ends of a line: the id and name of a call from its
 * beginning, tokens and failure from its end. `null`: there is nothing to count. `undefined`: the
 * line is spelled differently and must be parsed.
 */
function skimPayload(envelope: Envelope, line: Line): SessionEvent | null | undefined {
  if (mayBeCopy(line)) return undefined
  switch (envelope.type) {
    case 'tool_call':
      return skimCall(envelope, line)
    case 'tool_result':
      return mayHaveFailed(line) ? undefined : skimResult(envelope, line)
    case 'user':
      return skimPrompt(envelope, line)
    case 'session_header':
    case 'sidechain_header':
      return undefined
    case 'assistant':
      return skimReply(envelope, line)
    case 'compaction_boundary':
    case 'subagent_result':
      return undefined
    default:
      return isOfOtherProgram(envelope) && contains(line, USAGE) ? undefined : null
  }
}

function skimCall(envelope: Envelope, { bytes, start, end }: Line): SessionEvent | undefined {
  const from = start + payloadOffset(envelope)
  const head = bytes.toString('latin1', from, Math.min(end, from + HEAD_BYTES))
  const found = CALL_START.exec(head)
  if (found === null) return undefined
  return { ...envelope, payload: { tool_call_id: found[1]!, name: found[2]! } }
}

/** Of a successful result, which call it answers. */
function skimResult(envelope: Envelope, { bytes, start, end }: Line): SessionEvent | undefined {
  const from = start + payloadOffset(envelope)
  const found = RESULT_START.exec(bytes.toString('latin1', from, Math.min(end, from + HEAD_BYTES)))
  return found === null ? undefined : { ...envelope, payload: { tool_call_id: found[1]! } }
}

/** Of a prompt, what kind of content it begins with. */
function skimPrompt(envelope: Envelope, line: Line): SessionEvent | null | undefined {
  if (contains(line, IS_META) || contains(line, FAILED)) return undefined
  if (isText(envelope, line)) return { ...envelope, payload: { content: '' } }
  const from = line.start + payloadOffset(envelope)
  const head = line.bytes.toString('latin1', from, Math.min(line.end, from + HEAD_BYTES))
  const type = BLOCKS_START.exec(head)?.[1]
  if (type === undefined) return undefined
  return type === 'tool_result' ? null : { ...envelope, payload: { content: [{ type }] } }
}

function skimReply(envelope: Envelope, line: Line): SessionEvent | null | undefined {
  if (!isText(envelope, line) && contains(line, TOOL_USE)) return undefined
  if (!contains(line, USAGE)) return contains(line, MODEL) ? undefined : null
  const found = USAGE_END.exec(readEndFrom('"usage":', line))
  // The lines of a reply that has several name it; so does one that replaces another.
  if (found === null || contains(line, MESSAGE_ID) || contains(line, SUPERSEDES)) return undefined
  const usage: unknown = JSON.parse(found[1]!)
  if (!contains(line, MODEL)) return { ...envelope, payload: { usage } }
  const named = MODEL_END.exec(readEndFrom('"model":', line))
  return named === null ? undefined : { ...envelope, payload: { model: named[1]!, usage } }
}

/** An event that was imported and has no type of ours, for example `pi:usage`. */
export function isOfOtherProgram({ type }: { readonly type: string }): boolean {
  return type.includes(':')
}

/** A copy says last what it repeats. */
function mayBeCopy({ bytes, start, end }: Line): boolean {
  return bytes.subarray(Math.max(start, end - TAIL_BYTES), end).includes(COPIED_FROM)
}

/** Plain text has no blocks, and so no tools. */
function isText(envelope: Envelope, { bytes, start }: Line): boolean {
  const from = start + payloadOffset(envelope)
  return bytes.toString('latin1', from, from + TEXT_CONTENT.length) === TEXT_CONTENT
}

function mayHaveFailed(line: Line): boolean {
  const found = RESULT_END.exec(readEndFrom('"is_error":', line))
  return found === null ? contains(line, FAILED) : found[1] === 'true'
}

/** The end of the payload from the character before the last occurrence of the field. */
function readEndFrom(field: string, { bytes, start, end }: Line): string {
  const last = end - CHECKSUM_BYTES
  const tail = bytes.toString('latin1', Math.max(start, last - TAIL_BYTES), last)
  return tail.slice(Math.max(0, tail.lastIndexOf(field) - 1))
}

function contains({ bytes, start, end }: Line, field: Buffer): boolean {
  return bytes.subarray(start, end).includes(field)
}
