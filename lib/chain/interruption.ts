// What the last run of a session left unfinished.

import { type AnyMessage, isRetryCandidate, plainMessages } from './messages.js'
import { fieldsOf, isGap, type Projection } from './projection.js'
import { pairTools, type ToolCall } from './tool-pairs.js'

/** The most urgent first. */
export type InterruptionKind = 'tool_call' | 'no_reply' | 'partial_reply' | 'compaction'

/** One reason why a session counts as interrupted, with the events concerned. */
export interface Interruption {
  readonly kind: InterruptionKind
  /** The events concerned: the open calls, the last message, the boundary or summary. */
  readonly uuids: readonly string[]
}

/** What was unfinished when the session ended. */
export interface Interruptions {
  /** The most urgent of those found. */
  readonly kind: InterruptionKind | 'none'
  readonly found: readonly Interruption[]
  /** Open calls that may be run again, after a new permission check. Nothing here runs them. */
  readonly retry: readonly ToolCall[]
}

export interface InterruptionOptions {
  /** Which calls may be run again, besides those marked as idempotent. */
  readonly isRetryable?: ((call: ToolCall) => boolean) | undefined
}

export function findInterruptions(
  projection: Pick<Projection, 'entries' | 'unfinishedCompaction'>,
  { isRetryable }: InterruptionOptions = {},
): Interruptions {
  const messages = plainMessages(projection.entries)
  const { calls, results } = pairTools(messages)
  // A turn that was ended, by the model or by the user, was not interrupted.
  const isEnded = isTurnEnded(projection)
  const open = isEnded ? [] : calls.filter((call) => !results.has(call))
  const found: Interruption[] = []
  if (open.length > 0) {
    found.push({ kind: 'tool_call', uuids: [...new Set(open.map(({ uuid }) => uuid))] })
  }
  const last = isEnded ? undefined : messages.at(-1)
  if (last !== undefined && isUnanswered(last)) found.push({ kind: 'no_reply', uuids: [last.uuid] })
  if (last !== undefined && isPartial(last)) {
    found.push({ kind: 'partial_reply', uuids: [last.uuid] })
  }
  const { unfinishedCompaction } = projection
  if (unfinishedCompaction !== null) {
    found.push({ kind: 'compaction', uuids: [unfinishedCompaction] })
  }
  const retry = open.filter((call) => isRetryCandidate(call, isRetryable))
  return { kind: found[0]?.kind ?? 'none', found, retry }
}

/** The model had to reply. A tool result may be a block of a user message or an event. */
function isUnanswered({ type }: AnyMessage): boolean {
  return type === 'user' || type === 'tool_result'
}

/** Marked as partial, or with `null`: many harnesses never record a stop reason. */
function isPartial({ type, payload }: AnyMessage): boolean {
  const { partial, stop_reason } = fieldsOf(payload)
  return type === 'assistant' && (partial === true || stop_reason === null)
}

function isTurnEnded({ entries }: Pick<Projection, 'entries'>): boolean {
  const last = entries.findLast((entry) => !isGap(entry))
  return last?.kind === 'event' && last.turnEnded === true
}
