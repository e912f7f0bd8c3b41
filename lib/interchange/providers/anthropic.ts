// The messages of a session as a request of the Anthropic Messages API.

import type { Message } from '../../chain/index.js'
import { fieldsOf } from '../../format/fields.js'
import { type ContentPart, type Item, itemsOf, plainTextOf } from './items.js'

/** A message of the Messages API, assignable to `MessageParam` of `@anthropic-ai/sdk`. */
export interface AnthropicMessage {
  role: 'user' | 'assistant'
  content: AnthropicBlock[]
}

export type AnthropicBlock =
  | AnthropicText
  | AnthropicImage
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | {
      type: 'tool_result'
      tool_use_id: string
      content: (AnthropicText | AnthropicImage)[]
      is_error?: boolean
    }

export interface AnthropicText {
  type: 'text'
  text: string
}

export interface AnthropicImage {
  type: 'image'
  source: { type: 'base64'; media_type: ImageType; data: string } | { type: 'url'; url: string }
}

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const
type ImageType = (typeof IMAGE_TYPES)[number]

/** What `toAnthropic` returns; spread it into the request. */
export interface AnthropicConversation {
  /** The system messages before the first other one; later ones are said by the user. */
  system?: string
  messages: AnthropicMessage[]
}

/**
 * Converts messages to a request of Anthropic's Messages API: `system` and `messages`. Tool calls
 * and results are paired as `messages()` paired them. Reasoning without a signature is left out.
 *
 * @example
 * await client.messages.create({ model, max_tokens: 4096, ...toAnthropic(messages) })
 */
export function toAnthropic(messages: readonly Message[]): AnthropicConversation {
  const items = itemsOf(messages)
  const leading: string[] = []
  const turns: AnthropicMessage[] = []
  for (const item of items) {
    if (item.kind === 'system' && turns.length === 0) {
      leading.push(plainTextOf(item.parts))
      continue
    }
    const role = item.kind === 'assistant' || item.kind === 'call' ? 'assistant' : 'user'
    const blocks = blocksOf(item)
    if (blocks.length === 0) continue
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else turns.push({ role, content: blocks })
  }
  // The API wants a user's message first, and results before what the user says.
  if (turns[0]?.role === 'assistant') {
    turns.unshift({ role: 'user', content: [{ type: 'text', text: CONTINUED }] })
  }
  for (const { content } of turns) content.sort((a, b) => Number(isResult(b)) - Number(isResult(a)))
  return { ...(leading.length > 0 && { system: leading.join('\n\n') }), messages: turns }
}

const CONTINUED = 'The conversation continues.'

function isResult({ type }: AnthropicBlock): boolean {
  return type === 'tool_result'
}

function blocksOf(item: Item): AnthropicBlock[] {
  if (item.kind === 'call') {
    return [{ type: 'tool_use', id: item.id, name: item.name, input: inputOf(item.input) }]
  }
  if (item.kind !== 'result') return item.parts.flatMap(blockOf)
  const content = item.parts.flatMap((part) => (part.kind === 'native' ? [] : plainBlockOf(part)))
  const error = item.isError ? { is_error: true } : {}
  return [{ type: 'tool_result', tool_use_id: item.id, content, ...error }]
}

/** An object: some providers record the arguments of a call as JSON text. */
function inputOf(input: unknown): unknown {
  if (typeof input !== 'string') return input
  try {
    const parsed: unknown = JSON.parse(input)
    return typeof parsed === 'object' && parsed !== null ? parsed : { input }
  } catch {
    // It is no JSON.
    return { input }
  }
}

// Blocks that only Anthropic writes, such as documents, are sent as they were recorded.
const NATIVE = new Set([
  'document',
  'search_result',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'container_upload',
])

type PlainPart = Exclude<ContentPart, { kind: 'native' }>

function blockOf(part: ContentPart): AnthropicBlock[] {
  if (part.kind !== 'native') return [plainBlockOf(part)]
  const { signature, thinking, data } = fieldsOf(part.block)
  if (part.type === 'thinking' && typeof signature === 'string' && signature !== '') {
    return [{ type: 'thinking', thinking: String(thinking), signature }]
  }
  if (part.type === 'redacted_thinking') return [{ type: part.type, data: String(data) }]
  return NATIVE.has(part.type) ? [part.block as AnthropicBlock] : []
}

function plainBlockOf(part: PlainPart): AnthropicText | AnthropicImage {
  if (part.kind === 'text') return { type: 'text', text: part.text }
  const [, type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(part.url) ?? []
  if (data === undefined) return { type: 'image', source: { type: 'url', url: part.url } }
  const media_type = IMAGE_TYPES.find((known) => known === type)
  if (media_type === undefined) return { type: 'text', text: `[${type}]` }
  return { type: 'image', source: { type: 'base64', media_type, data } }
}
