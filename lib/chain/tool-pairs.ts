// Which tool result answers which call. A call is recorded once, in one of two shapes: as events
// of its own, or as blocks of a provider's messages; both are read here, side by side.

import { type Block, blocksOf, type Message } from './message.js'
import { fieldsOf } from './projection.js'

interface ToolPart {
  readonly tool_call_id: string
  /** Which of the messages it stands in. */
  readonly message: number
  /** Which block of that message it is; `undefined` where the message is the call or result. */
  readonly block: number | undefined
}

export interface ToolCall extends ToolPart {
  readonly uuid: string
  readonly name: string
  readonly input: unknown
  /** Its writer said that running it twice does no harm. */
  readonly isIdempotent: boolean
}

export interface ToolResult extends ToolPart {}

export interface ToolPairs {
  /** In their order. */
  readonly calls: readonly ToolCall[]
  readonly results: ReadonlyMap<ToolCall, ToolResult>
  /** Results whose call is not there, or has its result already. */
  readonly orphans: readonly ToolResult[]
}

export function pairTools(messages: readonly Message[]): ToolPairs {
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
      const call = takeCallOf(result, open.get(result.tool_call_id) ?? [])
      if (call === undefined) orphans.push(result)
      else results.set(call, result)
    }
  }
  return { calls, results, orphans }
}

export function isResultBlock(block: unknown): block is Block {
  return fieldsOf(block)['type'] === 'tool_result'
}

function callsOf(message: Message, index: number): ToolCall[] {
  const { uuid, payload } = message
  if (message.type === 'tool_call') {
    const { tool_call_id, name, input, idempotent } = fieldsOf(payload)
    if (typeof tool_call_id !== 'string') return []
    const isIdempotent = idempotent === true
    const place = { message: index, block: undefined }
    return [{ tool_call_id, uuid, name: textOf(name), input, isIdempotent, ...place }]
  }
  if (message.type !== 'assistant') return []
  return blocksOf(message).flatMap((value, block) => {
    const { type, id, name, input } = fieldsOf(value)
    if (type !== 'tool_use' || typeof id !== 'string') return []
    const place = { message: index, block }
    return [{ tool_call_id: id, uuid, name: textOf(name), input, isIdempotent: false, ...place }]
  })
}

/** A result that does not say what it answers has a name no call has: it is an orphan. */
function resultsOf(message: Message, index: number): ToolResult[] {
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
 * Some providers number their calls anew in every turn, so a result belongs to the nearest call
 * of its name that has none; of two shapes, to the one of its own.
 */
function takeCallOf(result: ToolResult, waiting: ToolCall[]): ToolCall | undefined {
  const isBlock = result.block !== undefined
  const sameShape = waiting.findLastIndex(({ block }) => (block !== undefined) === isBlock)
  const index = sameShape === -1 ? waiting.length - 1 : sameShape
  return index === -1 ? undefined : waiting.splice(index, 1)[0]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
