// The projection as messages for a model. The log keeps what happened; what a provider would reject
// is repaired here, on copies, and reported.

import { type Diagnostic, diagnostic, type PayloadByType } from '../format/index.js'
import { fieldsOf, isGap, type Projection, type ProjectionEntry } from './projection.js'
import type { ToolCall } from './tool-pairs.js'
import { assertToolPolicy, repairTools, type ToolPolicy } from './tool-repair.js'

export interface MessagesOptions {
  /**
   * `false`: the events as they are.
   *
   * @default true
   */
  readonly repair?: boolean | undefined
  /**
   * What happens to a call without a result.
   *
   * @default 'synthesize'
   */
  readonly toolPolicy?: ToolPolicy | undefined
  /**
   * With `retry`, which calls may be run again.
   *
   * @default those marked as idempotent
   */
  readonly isRetryable?: ((call: ToolCall) => boolean) | undefined
}

/** The messages that the model sees, and what was found while making them. */
export interface Messages {
  readonly messages: readonly Message[]
  /** Of the repairs; the projection has its own diagnostics. */
  readonly diagnostics: readonly Diagnostic[]
}

export function messagesOf(
  projection: Pick<Projection, 'entries' | 'compactedCount'>,
  { repair = true, toolPolicy = 'synthesize', isRetryable }: MessagesOptions = {},
): Messages {
  assertToolPolicy(toolPolicy)
  const plain = plainMessages(projection.entries)
  if (!repair) return { messages: asMessages(plain), diagnostics: [] }
  const diagnostics: Diagnostic[] = []
  const compacted = projection.entries.slice(0, projection.compactedCount)
  const staleCount = compacted.filter((entry) => !isGap(entry)).length
  const usable = plain.flatMap((message, index) => {
    if (!isUsable(message)) {
      diagnostics.push(diagnostic('bad_payload', UNUSABLE, locationOf(message)))
      return []
    }
    const repaired = repairText(message, diagnostics)
    return [index < staleCount ? withStaleUsage(repaired) : repaired]
  })
  const tools = repairTools(usable, {
    toolPolicy,
    isRetryable: (call) => isRetryCandidate(call, isRetryable),
  })
  return {
    messages: asMessages(tools.messages),
    diagnostics: [...diagnostics, ...tools.diagnostics],
  }
}

/** A projection holds only events of these types; their payloads were checked when they were written. */
function asMessages(messages: readonly AnyMessage[]): readonly Message[] {
  return messages as readonly Message[]
}

/** The library runs no tools: it only reports which calls a harness may offer to run again. */
export function isRetryCandidate(
  call: ToolCall,
  isRetryable: ((call: ToolCall) => boolean) | undefined,
): boolean {
  return call.idempotent || isRetryable?.(call) === true
}

const UNUSABLE = 'A message that cannot be read; left out'
const ILL_FORMED = 'Half a character in its text; replaced'

/** An oversize line has no payload, and a call without an id cannot have a result. */
function isUsable({ type, payload }: AnyMessage): boolean {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return false
  return type !== 'tool_call' || typeof fieldsOf(payload)['tool_call_id'] === 'string'
}

function repairText(message: AnyMessage, diagnostics: Diagnostic[]): AnyMessage {
  const payload = toWellFormed(message.payload)
  if (payload === message.payload) return message
  diagnostics.push(diagnostic('ill_formed_unicode', ILL_FORMED, locationOf(message)))
  return { ...message, payload }
}

/** Its count is of a context that was compacted since; using it would trigger another compaction. */
function withStaleUsage(message: AnyMessage): AnyMessage {
  const fields = fieldsOf(message.payload)
  if (fields['usage'] === undefined || fields['usage'] === null) return message
  return { ...message, payload: { ...fields, usage: null, usage_stale: true } }
}

/**
 * Half a surrogate pair is legal in JSON and in JavaScript, but not in UTF-8, and providers reject
 * it. Returns the same value where there is none, else a copy with repaired strings and keys.
 * Without recursion: nesting deeper than the stack is legal JSON.
 */
export function toWellFormed(value: unknown): unknown {
  return isWellFormed(value) ? value : repairedCopy(value)
}

function isWellFormed(value: unknown): boolean {
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string' && !next.isWellFormed()) return false
    if (typeof next !== 'object' || next === null) continue
    for (const [key, member] of Object.entries(next)) {
      if (!key.isWellFormed()) return false
      if (typeof member === 'string' || typeof member === 'object') waiting.push(member)
    }
  }
  return true
}

function repairedCopy(value: unknown): unknown {
  const top: { value?: unknown } = {}
  const waiting: { into: object; key: string; from: unknown }[] = []
  waiting.push({ into: top, key: 'value', from: value })
  while (waiting.length > 0) {
    const { into, key, from } = waiting.pop()!
    const copy = shallowCopy(from)
    Object.defineProperty(into, key, { value: copy, ...PLAIN })
    if (typeof from !== 'object' || from === null) continue
    for (const [name, member] of Object.entries(from)) {
      // Defined here already, to keep the order of the keys.
      const repaired = name.toWellFormed()
      Object.defineProperty(copy, repaired, { value: null, ...PLAIN })
      waiting.push({ into: copy as object, key: repaired, from: member })
    }
  }
  return top.value
}

// An assignment would not store the key `__proto__`.
const PLAIN = { enumerable: true, writable: true, configurable: true }

function shallowCopy(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? [] : {}
}

// A message as a harness passes it to a model: an event of the projection, or one made in its place.

/** A message of any type and with any payload, before it was checked. */
export interface AnyMessage {
  readonly type: string
  readonly uuid: string
  readonly ts: string
  readonly payload: unknown
  readonly file?: string | undefined
  readonly byte_offset?: number | undefined
  /** It is in no log: it was made for this projection. */
  readonly synthetic?: true | undefined
}

/** The types of events that a model sees. */
export type MessageType =
  | 'user'
  | 'assistant'
  | 'tool_call'
  | 'tool_result'
  | 'system'
  | 'summary'
  | 'subagent_result'

/** Of a message before the last compaction, `usage` is `null`: it counted another context. */
type SeenPayload<Payload> = {
  [Name in keyof Payload]: Name extends 'usage' ? Payload[Name] | null : Payload[Name]
}

/** A message of one type; its payload is as `payloadSchemas` describes it. */
export interface MessageOf<Type extends MessageType> extends AnyMessage {
  readonly type: Type
  readonly payload: SeenPayload<PayloadByType[Type]>
}

/**
 * A message as the model sees it. `type` decides which payload it has: after
 * `if (message.type === 'user')`, `message.payload.content` is a text or blocks.
 */
export type Message = { [Type in MessageType]: MessageOf<Type> }[MessageType]

export type Block = Readonly<Record<string, unknown>>

/** One message per entry, in order, without gaps. */
export function plainMessages(entries: readonly ProjectionEntry[]): AnyMessage[] {
  const messages: AnyMessage[] = []
  for (const entry of entries) {
    if (isGap(entry)) continue
    const { file, byte_offset, event } = entry
    const { type, uuid, ts } = event
    const payload =
      entry.kind === 'summary' ? { ...fieldsOf(event.payload), text: entry.text } : event.payload
    messages.push({ type, uuid, ts, payload, file, byte_offset })
  }
  return messages
}

/** The provider's blocks of a message; empty where its content is a text. */
export function blocksOf({ payload }: AnyMessage): readonly unknown[] {
  const { content } = fieldsOf(payload)
  return Array.isArray(content) ? content : []
}

/** A copy with other blocks; the stored event stays as it is. */
export function withBlocks(message: AnyMessage, content: readonly unknown[]): AnyMessage {
  return { ...message, payload: { ...fieldsOf(message.payload), content } }
}

export function locationOf({ file, byte_offset, uuid }: AnyMessage) {
  return { file, byte_offset, uuid }
}
