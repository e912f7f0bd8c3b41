// Redacts a payload before it becomes a line. Texts are redacted. Names and ids, what a provider has
// signed or encrypted, and media in base64 stay as they are: with one changed byte the provider
// rejects the whole conversation.
//
// Most secrets come from tools, so the input or output of a tool is redacted even if it looks signed.

import { SessionError } from '../errors.js'
import { mapStrings, type Visitor } from './map-strings.js'
import type { Redactor, RedactTextOptions } from './redactor.js'
import { isStructuralField } from './structural-fields.js'

export interface RedactPayloadOptions extends RedactTextOptions {
  /** JSON pointers (RFC 6901) to further parts that must stay byte for byte. */
  opaque?: readonly string[] | undefined
}

type Fields = Readonly<Record<string, unknown>>

const IDS = new Set(['id', 'tool_use_id', 'tool_call_id', 'call_id'])
const SEALED = new Set(['encrypted_content', 'encrypted_index'])
const SIGNATURES = ['signature', 'thoughtSignature', 'thought_signature']
const TOOL_EVENTS = new Set(['tool_call', 'tool_result'])
/** Calls and results of the providers: blocks by their type, or fields by their name. */
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
  const { message, toolData } = visitorsFor(redactor, options)
  const inside = TOOL_EVENTS.has(type) ? toolData : message
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

/** `message`: texts of people and models. `toolData`: input and output of tools. */
function visitorsFor(redactor: Redactor, options: RedactTextOptions) {
  const text: Visitor['text'] = (text, name) =>
    isDataUrl(text) ? text : redactor.member(name, text, options)
  const toolData: Visitor = {
    text,
    below(name, member) {
      if (isKind(name, member) || SEALED.has(name)) return undefined
      return isMedia(member) ? mediaIn(toolData) : toolData
    },
  }
  const message: Visitor = {
    text,
    below(name, member) {
      if (isId(name, member) || isKind(name, member)) return undefined
      if (SEALED.has(name) || name === 'usage') return undefined
      const fields = fieldsOf(member)
      if (isSigned(fields)) return undefined
      if (TOOL_BLOCKS.has(fields['type']) || TOOL_FIELDS.has(name)) return tool
      return isMedia(member) ? mediaIn(message) : message
    },
  }
  const tool: Visitor = {
    text,
    below: (name, member) =>
      isId(name, member) || name === 'name' ? undefined : toolData.below(name, member),
  }
  return { message, toolData }
}

function isId(name: string, member: unknown): boolean {
  return IDS.has(name) && typeof member === 'string'
}

/** It identifies the kind of a block, also when a rule fails and every text is replaced. */
function isKind(name: string, member: unknown): boolean {
  const isName = name === 'type' || name === 'role'
  return isName && typeof member === 'string' && /^[a-z_]{1,40}$/.test(member)
}

function isSigned(fields: Fields): boolean {
  if (fields['type'] === 'redacted_thinking') return true
  return SIGNATURES.some((name) => typeof fields[name] === 'string' && fields[name] !== '')
}

/** Bytes in base64 with a media type. A document may hold plain text instead. */
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

/** Searches what is not base64: matching many megabytes would overflow the regex stack. */
function isBase64(text: string): boolean {
  return !/[^A-Za-z0-9+/=_\r\n-]/.test(text)
}

function fieldsOf(value: unknown): Fields {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Fields) : {}
}

/** The redacted value, with the original where a JSON pointer (RFC 6901) points, if that exists. */
function restoreAt(redacted: unknown, original: unknown, pointer: string): unknown {
  return restore(redacted, original, tokensOf(pointer))
}

function tokensOf(pointer: string): string[] {
  if (typeof pointer !== 'string') throw new TypeError('A JSON pointer must be a string')
  if (pointer !== '' && !pointer.startsWith('/')) {
    throw new SessionError('ERR_ARG', `"${pointer}" is not a JSON pointer: it must start with /`)
  }
  const tokens = pointer.split('/').slice(1)
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function restore(redacted: unknown, original: unknown, tokens: readonly string[]): unknown {
  const [token, ...rest] = tokens
  if (redacted === original || token === undefined) return original
  if (!isContainer(original) || !isContainer(redacted) || !Object.hasOwn(original, token)) {
    return redacted
  }
  const restored = restore(redacted[token], original[token], rest)
  if (restored === redacted[token]) return redacted
  if (Array.isArray(redacted)) return redacted.with(Number(token), restored)
  const entries = Object.entries(redacted)
  return Object.fromEntries(entries.map(([key, value]) => [key, key === token ? restored : value]))
}

function isContainer(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}
