// Which tool result belongs to which call. Calls and results are events of their own or blocks of the
// provider's messages; both are read here.

import { type AnyMessage, type Block, blocksOf } from './messages.js'
import { fieldsOf } from './projection.js'

interface ToolPart {
  readonly tool_call_id: string
  /** The index of the message that holds it. */
  readonly message: number
  /** The index of its block; `undefined` where the message itself is the call or result. */
  readonly block: number | undefined
}

export interface ToolCall extends ToolPart {
  readonly uuid: string
  readonly name: string
  readonly input: unknown
  /** It may be run twice without harm, as its writer recorded. */
  readonly idempotent: boolean
}

export interface ToolResult extends ToolPart {}

export interface ToolPairs {
  /** In order. */
  readonly calls: readonly ToolCall[]
  readonly results: ReadonlyMap<ToolCall, ToolResult>
  /** Results without a call, or whose call has a result already. */
  readonly orphans: readonly ToolResult[]
}

export function pairTools(messages: readonly AnyMessage[]): ToolPairs {
  const calls: ToolCall[] = []
  const results = new Map<ToolCall, ToolResult>()
  const orphans: ToolResult[] = []
  const open = new Map<string, ToolCall[]>()
  for (const [index, message] of messages.entries()) {
    for (const call of callsOf(message, index)) {
      calls.push(call)
      const waiting = open.get(call.tool_call_id)
      if (waiting === undefined) open.set(call.tool_call_id, [call])
      else waiting.push(call)
    }
    for (const result of resultsOf(message, index)) {
      const call = removeCallFor(result, open.get(result.tool_call_id) ?? [])
      if (call === undefined) orphans.push(result)
      else results.set(call, result)
    }
  }
  return { calls, results, orphans }
}

export function isResultBlock(block: unknown): block is Block {
  return fieldsOf(block)['type'] === 'tool_result'
}

function callsOf(message: AnyMessage, index: number): ToolCall[] {
  const { uuid, payload } = message
  if (message.type === 'tool_call') {
    const { tool_call_id, name, input, idempotent } = fieldsOf(payload)
    if (typeof tool_call_id !== 'string') return []
    const place = { message: index, block: undefined }
    return [
      { tool_call_id, uuid, name: textOf(name), input, idempotent: idempotent === true, ...place },
    ]
  }
  if (message.type !== 'assistant') return []
  return blocksOf(message).flatMap((value, block) => {
    const { type, id, name, input } = fieldsOf(value)
    if (type !== 'tool_use' || typeof id !== 'string') return []
    const place = { message: index, block }
    return [{ tool_call_id: id, uuid, name: textOf(name), input, idempotent: false, ...place }]
  })
}

/** A result without a call id gets an empty one, so that it is an orphan. */
function resultsOf(message: AnyMessage, index: number): ToolResult[] {
  if (message.type === 'tool_result') {
    const { tool_call_id } = fieldsOf(message.payload)
    return [{ tool_call_id: textOf(tool_call_id), message: index, block: undefined }]
  }
  if (message.type !== 'user') return []
  return blocksOf(message).flatMap((value, block) => {
    if (!isResultBlock(value)) return []
    return [{ tool_call_id: textOf(value['tool_use_id']), message: index, block }]
  })
}

/**
 * Some providers reuse call ids in every turn, so a result belongs to the nearest open call of its
 * id; where both forms are recorded, to the call of its own form.
 */
function removeCallFor(result: ToolResult, waiting: ToolCall[]): ToolCall | undefined {
  const isBlock = result.block !== undefined
  const sameForm = waiting.findLastIndex(({ block }) => (block !== undefined) === isBlock)
  const index = sameForm === -1 ? waiting.length - 1 : sameForm
  return index === -1 ? undefined : waiting.splice(index, 1)[0]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
