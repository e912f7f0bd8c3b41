// Calls made together are answered together: a run is an unbroken row of assistant messages and
// calls, directly followed by its results.

import { type AnyMessage, blocksOf } from './messages.js'
import { isResultBlock, type ToolCall, type ToolPairs, type ToolResult } from './tool-pairs.js'

export interface ToolRun {
  /** Missing results are inserted after this message: the last result of the run, else its last call. */
  readonly anchor: number
  readonly isInPlace: (result: ToolResult) => boolean
}

export function toolRuns(
  messages: readonly AnyMessage[],
  { calls, results }: Pick<ToolPairs, 'calls' | 'results'>,
): (call: ToolCall) => ToolRun {
  const ends = rowEnds(messages)
  const answerEnds = new Map<number, number>()
  const anchors = new Map<number, number>()
  for (const { message } of calls) {
    const end = ends[message]!
    anchors.set(end, message)
    if (!answerEnds.has(end)) answerEnds.set(end, answersEnd(messages, end))
  }
  for (const [call, result] of results) {
    const end = ends[call.message]!
    if (isInPlace(end, result)) anchors.set(end, Math.max(anchors.get(end)!, result.message))
  }
  return (call) => {
    const end = ends[call.message]!
    return { anchor: anchors.get(end)!, isInPlace: (result) => isInPlace(end, result) }
  }

  // A row contains no results, so a result is after the end of the row of its call.
  function isInPlace(end: number, { message }: ToolResult): boolean {
    return message < answerEnds.get(end)!
  }
}

/** For every message the index after its row, which identifies the row. */
function rowEnds(messages: readonly AnyMessage[]): Int32Array {
  const ends = new Int32Array(messages.length)
  for (let index = messages.length - 1; index >= 0; index--) {
    const isInRow = index + 1 < messages.length && isCalling(messages[index + 1]!)
    ends[index] = isInRow ? ends[index + 1]! : index + 1
  }
  return ends
}

function isCalling({ type }: AnyMessage): boolean {
  return type === 'assistant' || type === 'tool_call'
}

/** Where the unbroken row of results from `start` on ends. */
function answersEnd(messages: readonly AnyMessage[], start: number): number {
  let end = start
  while (end < messages.length && isAnswer(messages[end]!)) {
    // After a message with other text of the user no result answers the calls.
    if (isMixed(messages[end++]!)) break
  }
  return end
}

function isAnswer(message: AnyMessage): boolean {
  if (message.type === 'tool_result') return true
  return message.type === 'user' && blocksOf(message).some(isResultBlock)
}

function isMixed(message: AnyMessage): boolean {
  return message.type === 'user' && !blocksOf(message).every(isResultBlock)
}
