// Where a conversation may be cut: never between a tool call and its result, in either form in which
// they are recorded, and never after a call whose result may still come.

import { fieldsOf, type Message, pairTools } from '../chain/index.js'
import type { Context } from './context.js'

/** A position is the gap before the message of that index; the last one is after all. */
export interface Cuts {
  /** No call is separated from its result here. */
  readonly isSafe: (position: number) => boolean
  /** A prompt, or the first message of a reply. */
  readonly isStep: (position: number) => boolean
  readonly isPrompt: (position: number) => boolean
  /** The first call that may still be answered; the number of messages where there is none. */
  readonly firstLiveCall: number
}

export function cutsOf({ messages }: Pick<Context, 'messages'>): Cuts {
  const { calls, results } = pairTools(messages)
  const lastPrompt = messages.findLastIndex(isPrompt)
  // How many pairs start minus how many end at each position; the sum is positive inside a pair.
  const changes = new Int32Array(messages.length + 2)
  let firstLiveCall = messages.length
  for (const call of calls) {
    const result = results.get(call)
    if (result !== undefined) {
      changes[call.message + 1]!++
      changes[result.message + 1]!--
    } else if (call.message > lastPrompt) {
      // The conversation has not continued without its result.
      firstLiveCall = Math.min(firstLiveCall, call.message)
    }
  }
  const depths = changes.slice()
  for (let position = 1; position < depths.length; position++) {
    depths[position]! += depths[position - 1]!
  }
  return {
    isSafe: (position) => depths[position] === 0 && position <= firstLiveCall,
    isStep: (position) => isStep(messages, position),
    isPrompt: (position) => position < messages.length && isPrompt(messages[position]!),
    firstLiveCall,
  }
}

/** A user message that is not only tool results. */
function isPrompt({ type, payload }: Message): boolean {
  if (type !== 'user') return false
  const { content } = fieldsOf(payload)
  if (!Array.isArray(content)) return true
  return content.some((block) => fieldsOf(block)['type'] !== 'tool_result')
}

/** A reply may be several messages in a row, which stay together. */
function isStep(messages: readonly Message[], position: number): boolean {
  const message = messages[position]
  if (message === undefined) return true
  if (message.type === 'tool_result') return false
  return !isReply(message) || position === 0 || !isReply(messages[position - 1]!)
}

function isReply({ type }: Message): boolean {
  return type === 'assistant' || type === 'tool_call'
}
