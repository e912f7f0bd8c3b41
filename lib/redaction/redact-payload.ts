// A payload before it becomes a line. What was said goes through redaction; what names things, what
// a provider has signed or sealed, and media in base64 stay as they are: one changed byte and the
// provider refuses the whole conversation.
//
// Tools are where secrets come from, so what goes into a tool or comes out of it cannot exempt
// itself by looking signed.

import { restoreAt } from './json-pointer.js'
import { mapStrings, type Visitor } from './map-strings.js'
import type { Redactor, RedactTextOptions } from './redactor.js'
import { isStructuralField } from './structural-fields.js'

export interface RedactPayloadOptions extends RedactTextOptions {
  /** JSON pointers to parts that must stay byte for byte, beside those that are known. */
  opaque?: readonly string[] | undefined
}

type Fields = Readonly<Record<string, unknown>>

const IDS = new Set(['id', 'tool_use_id', 'tool_call_id', 'call_id'])
const SEALED = new Set(['encrypted_content', 'encrypted_index'])
const SIGNATURES = ['signature', 'thoughtSignature', 'thought_signature']
const TOOL_EVENTS = new Set(['tool_call', 'tool_result'])
/** Calls and results as the providers write them: blocks by their type, or fields by their name. */
const TOOL_BLOCKS = new Set<unknown>([
  'tool_use',
  'tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
  'function',
  'function_call',
  'function_call_output',
])
const TOOL_FIELDS = new Set(['functionCall', 'functionResponse', 'function_call'])
const MEDIA_TYPES = ['media_type', 'mimeType', 'mime_type']

/** The payload as it may be stored; the same object if there is nothing to redact. */
export function redactPayload<Payload extends object>(
  type: string,
  payload: Payload,
  redactor: Redactor,
  { opaque = [], ...options }: RedactPayloadOptions = {},
): Payload {
  const { said, told } = visitorsFor(redactor, options)
  const inside = TOOL_EVENTS.has(type) ? told : said
  const redacted = mapStrings(payload, {
    text: inside.text,
    below: (name, member) => {
      const isSpared = isStructuralField(type, name) || isId(name, member)
      return isSpared ? undefined : inside.below(name, member)
    },
  })
  return opaque.reduce<unknown>(
    (current, pointer) => restoreAt(current, payload, pointer),
    redacted,
  ) as Payload
}

/** `said`: by people and models. `told`: to tools and by them. */
function visitorsFor(redactor: Redactor, options: RedactTextOptions) {
  const text: Visitor['text'] = (text, name) =>
    isDataUrl(text) ? text : redactor.member(name, text, options)
  const told: Visitor = {
    text,
    below(name, member) {
      if (isKind(name, member) || SEALED.has(name)) return undefined
      return isMedia(member) ? mediaIn(told) : told
    },
  }
  const said: Visitor = {
    text,
    below(name, member) {
      if (isId(name, member) || isKind(name, member)) return undefined
      if (SEALED.has(name) || name === 'usage') return undefined
      const fields = fieldsOf(member)
      if (isSigned(fields)) return undefined
      if (TOOL_BLOCKS.has(fields['type']) || TOOL_FIELDS.has(name)) return tool
      return isMedia(member) ? mediaIn(said) : said
    },
  }
  const tool: Visitor = {
    text,
    below: (name, member) =>
      isId(name, member) || name === 'name' ? undefined : told.below(name, member),
  }
  return { said, told }
}

function isId(name: string, member: unknown): boolean {
  return IDS.has(name) && typeof member === 'string'
}

/** Blocks are told apart by it, also when a rule fails and no text is let through. */
function isKind(name: string, member: unknown): boolean {
  const isName = name === 'type' || name === 'role'
  return isName && typeof member === 'string' && /^[a-z_]{1,40}$/.test(member)
}

function isSigned(fields: Fields): boolean {
  if (fields['type'] === 'redacted_thinking') return true
  return SIGNATURES.some((name) => typeof fields[name] === 'string' && fields[name] !== '')
}

/** Bytes in base64 that say what they are. A document may also hold its text as it is. */
function isMedia(member: unknown): boolean {
  const fields = fieldsOf(member)
  const { type, data } = fields
  const isDeclared =
    type === 'base64' || MEDIA_TYPES.some((name) => typeof fields[name] === 'string')
  return isDeclared && type !== 'text' && typeof data === 'string' && isBase64(data)
}

function mediaIn(around: Visitor): Visitor {
  return {
    text: around.text,
    below: (name, member) => (name === 'data' ? undefined : around.below(name, member)),
  }
}

function isDataUrl(text: string): boolean {
  const opening = /^data:[^,\s]{0,200};base64,/.exec(text)?.[0]
  return opening !== undefined && isBase64(text.slice(opening.length))
}

/** By what is not base64: to match all of many megabytes would overflow the stack of the engine. */
function isBase64(text: string): boolean {
  return !/[^A-Za-z0-9+/=_\r\n-]/.test(text)
}

function fieldsOf(value: unknown): Fields {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Fields) : {}
}
