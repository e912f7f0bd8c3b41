// The messages of a session as items that every provider knows: who said which parts, calls and
// results. Content is as its writer recorded it: our own events, or blocks of Anthropic and OpenAI.

import type { Message } from '../../chain/index.js'
import { fieldsOf } from '../../format/fields.js'
import { shownJson } from '../../format/index.js'

export type ContentPart =
  | { readonly kind: 'text'; readonly text: string }
  /** As a `data:` or another URL. */
  | { readonly kind: 'image'; readonly url: string }
  /** A block that one provider alone understands, as it was recorded. */
  | { readonly kind: 'native'; readonly type: string; readonly block: object }

export type Item =
  | {
      readonly kind: 'system' | 'user' | 'assistant'
      readonly parts: readonly ContentPart[]
    }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly kind: 'result'
      readonly id: string
      readonly parts: readonly ContentPart[]
      readonly isError: boolean
    }

/** In order. Parts without content are left out. */
export function itemsOf(messages: readonly Message[]): Item[] {
  return messages.flatMap((message) => itemsOfMessage(message))
}

function itemsOfMessage({ type, payload }: Message): Item[] {
  const fields = fieldsOf(payload)
  switch (type) {
    case 'user':
    case 'assistant':
      return itemsOfContent(type, fields['content'])
    case 'system':
      return said('system', partsOf(fields['content']))
    case 'tool_call':
      return [callItem(fields['tool_call_id'], fields['name'], fields['input'])]
    case 'tool_result':
      return [resultItem(fields['tool_call_id'], fields['content'], fields['is_error'])]
    case 'summary':
      return said('user', [text(`Summary of the conversation so far:\n\n${fields['text']}`)])
    case 'subagent_result': {
      const { task_id, completion_status, summary } = fields
      const body = typeof summary === 'string' ? `\n\n${summary}` : ''
      return said('user', [text(`Result of subagent ${task_id} (${completion_status}):${body}`)])
    }
    default:
      return said('user', [text(shownJson(payload))])
  }
}

/** Calls and results in the blocks of a message become items of their own, in their place. */
function itemsOfContent(kind: 'user' | 'assistant', content: unknown): Item[] {
  if (!Array.isArray(content)) return said(kind, partsOf(content))
  const items: Item[] = []
  let parts: ContentPart[] = []
  const flush = () => {
    items.push(...said(kind, parts))
    parts = []
  }
  for (const block of content) {
    const { type, id, name, input, tool_use_id, content: result, is_error } = fieldsOf(block)
    if (type === 'tool_use') {
      flush()
      items.push(callItem(id, name, input))
    } else if (type === 'tool_result') {
      flush()
      items.push(resultItem(tool_use_id, result, is_error))
    } else parts.push(...partsOf([block]))
  }
  flush()
  return items
}

function said(kind: 'system' | 'user' | 'assistant', parts: readonly ContentPart[]): Item[] {
  return parts.length === 0 ? [] : [{ kind, parts }]
}

function callItem(id: unknown, name: unknown, input: unknown): Item {
  return { kind: 'call', id: String(id), name: String(name ?? 'unknown'), input: input ?? {} }
}

function resultItem(id: unknown, content: unknown, isError: unknown): Item {
  return { kind: 'result', id: String(id), parts: partsOf(content), isError: isError === true }
}

function partsOf(content: unknown): ContentPart[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [text(content)]
  if (!Array.isArray(content)) {
    return content === undefined || content === null ? [] : [text(shownJson(content))]
  }
  return content.flatMap((block): ContentPart[] => {
    if (typeof block === 'string') return partsOf(block)
    const fields = fieldsOf(block)
    if (isText(fields)) return partsOf(fields['text'])
    const url = imageUrlOf(fields)
    if (url !== undefined) return [{ kind: 'image', url }]
    if (typeof fields['type'] !== 'string') return [text(shownJson(block))]
    return [{ kind: 'native', type: fields['type'], block: block as object }]
  })
}

type Fields = Readonly<Record<string, unknown>>

function isText({ type, text, thought }: Fields): boolean {
  const isSpoken = ['text', 'input_text', 'output_text', undefined].includes(type as string)
  return isSpoken && typeof text === 'string' && thought !== true
}

/** Of an image of Anthropic, of chat completions or of responses. */
function imageUrlOf({ type, source, image_url }: Fields): string | undefined {
  if (type === 'image') {
    const { type: form, media_type, data, url } = fieldsOf(source)
    if (form === 'base64') return `data:${media_type};base64,${data}`
    return typeof url === 'string' ? url : undefined
  }
  if (type !== 'image_url' && type !== 'input_image') return undefined
  const url = typeof image_url === 'string' ? image_url : fieldsOf(image_url)['url']
  return typeof url === 'string' ? url : undefined
}

function text(value: string): ContentPart {
  return { kind: 'text', text: value }
}

/** The texts, and the names of what is not text. */
export function plainTextOf(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : nameOf(part))).join('\n')
}

function nameOf(part: Exclude<ContentPart, { kind: 'text' }>): string {
  return part.kind === 'image' ? '[image]' : `[${part.type}]`
}
