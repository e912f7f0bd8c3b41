// What an event shows: texts, thoughts, tool calls with their results. Calls and results are events of
// their own or blocks of a provider's message; a result is shown with its call where both are at hand.

import { type SessionEvent, shownJson } from '../format/index.js'
import { fieldsOf } from './projection.js'

/** What a tool answered, as text. */
export interface ShownResult {
  readonly text: string
  readonly isError: boolean
  readonly durationMs: number | undefined
  readonly images: readonly ShownImage[]
}

/** An image in base64. */
export interface ShownImage {
  readonly mediaType: string
  readonly data: string
}

/** A part of what an event shows. */
export type Block =
  | { readonly kind: 'text' | 'thinking' | 'other'; readonly text: string }
  | {
      readonly kind: 'call'
      readonly id: string | undefined
      readonly name: string
      readonly input: unknown
      result?: ShownResult | undefined
    }
  | { readonly kind: 'image'; readonly text: string; readonly image: ShownImage | undefined }
  | { readonly kind: 'result'; readonly id: string | undefined; readonly result: ShownResult }

/** The blocks of an event that a model sees; of any other event none. */
export function blocksOf({ type, payload }: Pick<SessionEvent, 'type' | 'payload'>): Block[] {
  const fields = fieldsOf(payload)
  const { content, text, summary, name, input, tool_call_id } = fields
  switch (type) {
    case 'tool_call':
      return [{ kind: 'call', id: toText(tool_call_id), name: toText(name) ?? '?', input }]
    case 'tool_result':
      return [{ kind: 'result', id: toText(tool_call_id), result: toResult(fields) }]
    case 'user':
    case 'assistant':
    case 'system':
      if (Array.isArray(content)) return content.map(toBlock)
      return [{ kind: 'text', text: toText(content) ?? shownJson(payload) }]
    case 'summary':
    case 'subagent_result':
      return [{ kind: 'text', text: toText(text) ?? toText(summary) ?? '' }]
    default:
      return []
  }
}

function toBlock(block: unknown): Block {
  if (typeof block === 'string') return { kind: 'text', text: block }
  const fields = fieldsOf(block)
  const { type, text, thinking, id, name, input, tool_use_id } = fields
  if (type === 'tool_use') {
    return { kind: 'call', id: toText(id), name: toText(name) ?? '?', input }
  }
  if (type === 'tool_result') {
    return { kind: 'result', id: toText(tool_use_id), result: toResult(fields) }
  }
  if (typeof thinking === 'string') return { kind: 'thinking', text: thinking }
  if (typeof text === 'string') return { kind: 'text', text }
  const label = `[${toText(type) ?? 'block'}]`
  if (isImage(type)) return { kind: 'image', text: label, image: toImage(fields) }
  return { kind: 'other', text: label }
}

function isImage(type: unknown): boolean {
  return type === 'image' || type === 'image_url' || type === 'input_image'
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+);base64,/

/**
 * An image of Anthropic, of pi, or of chat completions and responses of OpenAI; `undefined` if it is only
 * named, by an address or a file.
 */
function toImage({ source, data, mimeType, image_url }: Record<string, unknown>) {
  const { media_type, data: inSource } = fieldsOf(source)
  if (typeof inSource === 'string') return { mediaType: toText(media_type) ?? '', data: inSource }
  if (typeof data === 'string') return { mediaType: toText(mimeType) ?? '', data }
  const url = toText(image_url) ?? toText(fieldsOf(image_url)['url']) ?? ''
  const [head, mediaType] = DATA_URL.exec(url) ?? []
  return head === undefined ? undefined : { mediaType: mediaType!, data: url.slice(head.length) }
}

function toResult({ content, is_error, duration_ms }: Record<string, unknown>): ShownResult {
  const durationMs = typeof duration_ms === 'number' ? duration_ms : undefined
  const images = Array.isArray(content)
    ? content.map(toBlock).flatMap((block) => (block.kind === 'image' ? (block.image ?? []) : []))
    : []
  return { text: toResultText(content), isError: is_error === true, durationMs, images }
}

function toResultText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return content === undefined ? '' : shownJson(content)
  return content.map((block) => textOfBlock(toBlock(block))).join('\n')
}

function textOfBlock(block: Block): string {
  return block.kind === 'call' || block.kind === 'result' ? '' : block.text
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Everything in a block that a search looks through. */
export function searchedText(block: Block): string {
  switch (block.kind) {
    case 'call':
      return `${block.name} ${shownJson(block.input)} ${block.result?.text ?? ''}`
    case 'result':
      return block.result.text
    default:
      return block.text
  }
}
