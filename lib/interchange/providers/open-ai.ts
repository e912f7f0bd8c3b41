// The messages of a session as a request of OpenAI: of chat completions or of responses.

import type { Message } from '../../chain/index.js'
import { type ContentPart, type Item, itemsOf, plainTextOf } from './items.js'

/** A message of chat completions, assignable to `ChatCompletionMessageParam` of `openai`. */
export type OpenAIChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: OpenAIChatPart[] }
  | { role: 'assistant'; content: string | null; tool_calls?: OpenAIToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string }

export type OpenAIChatPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }

export interface OpenAIToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** An item of responses, assignable to `ResponseInputItem` of `openai`. */
export type OpenAIInputItem =
  | { role: 'system' | 'assistant'; content: string }
  | { role: 'user'; content: OpenAIInputPart[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string }

export type OpenAIInputPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }

export interface ToOpenAIOptions {
  /**
   * `chat` returns `messages` for chat completions, `responses` returns `input` for responses.
   *
   * @default 'chat'
   */
  api?: 'chat' | 'responses' | undefined
}

/**
 * Converts messages to a request of OpenAI: `messages` for chat completions or, with
 * `api: 'responses'`, `input` for responses. Reasoning is left out, and images in a tool's result
 * are named.
 *
 * @example
 * await client.chat.completions.create({ model, ...toOpenAI(messages) })
 * await client.responses.create({ model, ...toOpenAI(messages, { api: 'responses' }) })
 */
export function toOpenAI(
  messages: readonly Message[],
  options?: { api?: 'chat' | undefined },
): { messages: OpenAIChatMessage[] }
export function toOpenAI(
  messages: readonly Message[],
  options: { api: 'responses' },
): { input: OpenAIInputItem[] }
export function toOpenAI(
  messages: readonly Message[],
  { api = 'chat' }: ToOpenAIOptions = {},
): { messages: OpenAIChatMessage[] } | { input: OpenAIInputItem[] } {
  const items = itemsOf(messages)
  return api === 'responses' ? { input: items.flatMap(toInput) } : { messages: toChat(items) }
}

function toChat(items: readonly Item[]): OpenAIChatMessage[] {
  const messages: OpenAIChatMessage[] = []
  for (const item of items) {
    if (item.kind === 'call') {
      const last = messages.at(-1)
      const { id, name } = item
      const call = { id, type: 'function' as const, function: { name, arguments: json(item) } }
      // Calls belong to the reply before them.
      if (last?.role === 'assistant') last.tool_calls = [...(last.tool_calls ?? []), call]
      else messages.push({ role: 'assistant', content: null, tool_calls: [call] })
    } else if (item.kind === 'result') {
      messages.push({ role: 'tool', tool_call_id: item.id, content: plainTextOf(item.parts) })
    } else if (item.kind === 'user') {
      const content = item.parts.map(
        (part): OpenAIChatPart =>
          part.kind === 'image'
            ? { type: 'image_url', image_url: { url: part.url } }
            : { type: 'text', text: plainTextOf([part]) },
      )
      messages.push({ role: 'user', content })
    } else {
      const content = spoken(item.parts)
      if (content !== '') messages.push({ role: item.kind, content })
    }
  }
  return messages
}

function toInput(item: Item): OpenAIInputItem[] {
  switch (item.kind) {
    case 'call':
      return [{ type: 'function_call', call_id: item.id, name: item.name, arguments: json(item) }]
    case 'result':
      return [{ type: 'function_call_output', call_id: item.id, output: plainTextOf(item.parts) }]
    case 'user':
      return [
        {
          role: 'user',
          content: item.parts.map((part) =>
            part.kind === 'image'
              ? { type: 'input_image', image_url: part.url, detail: 'auto' }
              : { type: 'input_text', text: plainTextOf([part]) },
          ),
        },
      ]
    default: {
      const content = spoken(item.parts)
      return content === '' ? [] : [{ role: item.kind, content }]
    }
  }
}

/** Without reasoning and other blocks that only another provider understands. */
function spoken(parts: readonly ContentPart[]): string {
  return plainTextOf(parts.filter(({ kind }) => kind !== 'native'))
}

function json({ input }: { readonly input: unknown }): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}
