// What an event says, for lists of events.

import { type SessionEvent, shownJson } from '../../format/index.js'

/** The text by which a list shows an event. */
export function eventText(event: SessionEvent): string {
  const { payload, type } = event
  // A line of a history has no envelope, only a prompt.
  if (type === undefined) return textOfBare(event)
  if (!isRecord(payload)) return ''
  const { content, text, summary, title, name, input, digest } = payload
  if (type === 'tool_call' && typeof name === 'string') return `${name} ${shownJson(input)}`
  if (content !== undefined) return textOfContent(content)
  for (const candidate of [text, summary, title, digest]) {
    if (typeof candidate === 'string') return candidate
  }
  return shownJson(payload)
}

function textOfBare(line: object): string {
  const { prompt } = line as { prompt?: unknown }
  return typeof prompt === 'string' ? prompt : shownJson(line)
}

/** A string, or the provider's blocks: text as text, anything else by its kind. */
function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return shownJson(content)
  return content
    .map((block) => {
      if (!isRecord(block)) return typeof block === 'string' ? block : shownJson(block)
      if (typeof block['text'] === 'string') return block['text']
      return `[${block['type']}${typeof block['name'] === 'string' ? ` ${block['name']}` : ''}]`
    })
    .join(' ')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
