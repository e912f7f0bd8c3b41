// What is counted of a payload, read from both ends of a line of ours: the id and name of a call
// from its beginning, tokens and failure from its end. Where a line is spelled otherwise nobody
// knows, and it is parsed.

import { CHECKSUM_BYTES, type Envelope, payloadOffset, type SessionEvent } from '../format/index.js'
import type { Line } from '../log/index.js'

const HEAD_BYTES = 320
const TAIL_BYTES = 320

// Between plain quotes only what means itself.
const PLAIN = '[ !#-\\[\\]-~]*'
const CALL_START = new RegExp(`^\\{"tool_call_id":"(${PLAIN})","name":"(${PLAIN})"[,}]`)

// Flat fields up to the brace that closes the payload: no string can hold a plain quote, so none of
// this stands inside of one.
const REST = `(?:,"\\w+":(?:"${PLAIN}"|[-\\w.]+))*\\}$`
const RESULT_END = new RegExp(`^[,{]"is_error":(true|false)${REST}`)
// Strict, since it is parsed: a line that was changed may look like ours and be no JSON.
const COUNT = '"\\w+":(?:0|[1-9]\\d{0,15})'
const USAGE_END = new RegExp(`^[,{]"usage":(\\{${COUNT}(?:,${COUNT})*\\})${REST}`)

const TEXT_CONTENT = '{"content":"'
const USAGE = Buffer.from('"usage":')
const TOOL_USE = Buffer.from('"type":"tool_use"')
const MESSAGE_ID = Buffer.from('"message_id":')
const FAILED = Buffer.from('"is_error":true')

/**
 * The event with as much of its payload as is counted, `null` when there is nothing to count, and
 * `undefined` when the line must be parsed.
 */
export function countedPayload(envelope: Envelope, line: Line): SessionEvent | null | undefined {
  switch (envelope.type) {
    case 'tool_call':
      return callOf(envelope, line)
    case 'tool_result':
      return mayHaveFailed(line) ? undefined : null
    case 'user':
      return isText(envelope, line) || !holds(line, FAILED) ? null : undefined
    case 'assistant':
      return replyOf(envelope, line)
    case 'compaction_boundary':
    case 'subagent_result':
      return undefined
    default:
      return null
  }
}

function callOf(envelope: Envelope, { bytes, start, end }: Line): SessionEvent | undefined {
  const from = start + payloadOffset(envelope)
  const head = bytes.toString('latin1', from, Math.min(end, from + HEAD_BYTES))
  const found = CALL_START.exec(head)
  if (found === null) return undefined
  return { ...envelope, payload: { tool_call_id: found[1]!, name: found[2]! } }
}

function replyOf(envelope: Envelope, line: Line): SessionEvent | null | undefined {
  if (!isText(envelope, line) && holds(line, TOOL_USE)) return undefined
  const found = USAGE_END.exec(lastFrom('"usage":', line))
  if (found === null) return holds(line, USAGE) ? undefined : null
  if (holds(line, MESSAGE_ID)) return undefined
  return { ...envelope, payload: { usage: JSON.parse(found[1]!) } }
}

/** A content of plain text has no blocks, and so no tools. */
function isText(envelope: Envelope, { bytes, start }: Line): boolean {
  const from = start + payloadOffset(envelope)
  return bytes.toString('latin1', from, from + TEXT_CONTENT.length) === TEXT_CONTENT
}

function mayHaveFailed(line: Line): boolean {
  const found = RESULT_END.exec(lastFrom('"is_error":', line))
  return found === null ? holds(line, FAILED) : found[1] === 'true'
}

/** The end of the payload from the character before the last of these on. */
function lastFrom(field: string, { bytes, start, end }: Line): string {
  const last = end - CHECKSUM_BYTES
  const tail = bytes.toString('latin1', Math.max(start, last - TAIL_BYTES), last)
  return tail.slice(Math.max(0, tail.lastIndexOf(field) - 1))
}

function holds({ bytes, start, end }: Line, field: Buffer): boolean {
  return bytes.subarray(start, end).includes(field)
}
