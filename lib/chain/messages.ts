// The projection as messages a model can be given. The log keeps what happened; what a provider
// would refuse or what would mislead is mended here, on copies, and reported.

import { type Diagnostic, diagnostic } from '../format/index.js'
import { type Message, placeOf, plainMessages } from './message.js'
import { fieldsOf, isGap, type Projection } from './projection.js'
import type { ToolCall } from './tool-pairs.js'
import { repairTools, type ToolPolicy } from './tool-repair.js'
import { toWellFormed } from './well-formed.js'

export interface MessagesOptions {
  /** `false`: the events as they are, whatever is wrong with them. Default `true`. */
  readonly repair?: boolean | undefined
  /** What becomes of a call without a result. Default `synthesize`. */
  readonly toolPolicy?: ToolPolicy | undefined
  /** Under `retry`, which calls may be run again. Default: those that say they are idempotent. */
  readonly isRetryable?: ((call: ToolCall) => boolean) | undefined
}

export interface Messages {
  readonly messages: readonly Message[]
  /** Of the repairs; the projection has its own. */
  readonly diagnostics: readonly Diagnostic[]
}

export function messagesOf(
  projection: Pick<Projection, 'entries' | 'compactedCount'>,
  { repair = true, toolPolicy = 'synthesize', isRetryable }: MessagesOptions = {},
): Messages {
  const plain = plainMessages(projection.entries)
  if (!repair) return { messages: plain, diagnostics: [] }
  const diagnostics: Diagnostic[] = []
  const compacted = projection.entries.slice(0, projection.compactedCount)
  const staleCount = compacted.filter((entry) => !isGap(entry)).length
  const usable = plain.flatMap((message, index) => {
    if (!isUsable(message)) {
      diagnostics.push(diagnostic('bad_payload', UNUSABLE, placeOf(message)))
      return []
    }
    const mended = mendText(message, diagnostics)
    return [index < staleCount ? withStaleUsage(mended) : mended]
  })
  const tools = repairTools(usable, {
    toolPolicy,
    isRetryable: (call) => isRetryCandidate(call, isRetryable),
  })
  return { messages: tools.messages, diagnostics: [...diagnostics, ...tools.diagnostics] }
}

/** The library runs nothing: it only says which calls a harness may offer to run again. */
export function isRetryCandidate(
  call: ToolCall,
  isRetryable: ((call: ToolCall) => boolean) | undefined,
): boolean {
  return call.isIdempotent || isRetryable?.(call) === true
}

const UNUSABLE = 'A message that cannot be read; left out'
const ILL_FORMED = 'Half a character in its text; replaced'

/** An oversize line has no payload, and a call without a name can be answered by nobody. */
function isUsable({ type, payload }: Message): boolean {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return false
  return type !== 'tool_call' || typeof fieldsOf(payload)['tool_call_id'] === 'string'
}

function mendText(message: Message, diagnostics: Diagnostic[]): Message {
  const payload = toWellFormed(message.payload)
  if (payload === message.payload) return message
  diagnostics.push(diagnostic('ill_formed_unicode', ILL_FORMED, placeOf(message)))
  return { ...message, payload }
}

/** It counts a context that was compacted since; believing it would compact again and again. */
function withStaleUsage(message: Message): Message {
  const fields = fieldsOf(message.payload)
  if (fields['usage'] === undefined || fields['usage'] === null) return message
  return { ...message, payload: { ...fields, usage: null, usage_stale: true } }
}
