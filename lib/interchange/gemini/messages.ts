// A message of Gemini CLI as our events: what the client would send of it when it resumes the chat.

import { type Content, plainText, toUsage } from '../import/content.js'
import { fieldsOf, isObject, known, listOf, textOf } from '../import/fields.js'
import type { ForeignValue } from '../import/importer.js'

const USAGE = { input: 'input', output: 'output', cacheRead: 'cached' }

/** Messages that only people see. */
const NOTICES = new Set(['info', 'warning', 'error'])

/** Prompts that begin so are commands, or are made anew for every request: the client resends none. */
const NOT_RESENT = /^(?:$|[/?]|<session_context>|<hook_context>)/

export interface GeminiEvent {
  readonly type: 'user' | 'assistant' | 'tool_result'
  readonly payload: Record<string, unknown>
}

/** A call that a subagent answered. */
export interface AgentCall {
  readonly agentId: string
  readonly callId: string
  readonly agentType: string | undefined
}

export interface MessageView {
  /** What the model sees; empty for a message that is kept unchanged, or that repeats results. */
  readonly events: readonly GeminiEvent[]
  /** Only people see it. */
  readonly isKept: boolean
  /** The calls whose results are in these events. */
  readonly answers: readonly string[]
  readonly agentCalls: readonly AgentCall[]
  /** Parts that the model sees and we do not know. */
  readonly unknown: readonly string[]
}

const NOTHING: MessageView = { events: [], isKept: false, answers: [], agentCalls: [], unknown: [] }
const KEPT: MessageView = { ...NOTHING, isKept: true }

/** `isAnswered`: whether the result of this call comes earlier in the chat. */
export function viewMessage(
  message: ForeignValue,
  isAnswered: (callId: string) => boolean,
): MessageView {
  const { type } = message
  if (type === 'user') return viewPrompt(partsOf(message['content']), isAnswered)
  if (type === 'gemini') return viewReply(message)
  return NOTICES.has(String(type)) ? KEPT : { ...KEPT, unknown: [textOf(type) ?? 'message'] }
}

/** A prompt, or the results that the client stores a second time, with the pictures in them. */
function viewPrompt(
  parts: readonly ForeignValue[],
  isAnswered: (callId: string) => boolean,
): MessageView {
  if (NOT_RESENT.test(parts.map(spokenOf).join('').trim())) return KEPT
  const responses = parts.filter(isResponse)
  const results = responses.flatMap((part) => {
    const id = responseId(part)
    return isAnswered(id)
      ? []
      : [{ id, event: toResult(id, fieldsOf(part['functionResponse'])['response']) }]
  })
  const isRepeated = responses.length > 0 && results.length === 0
  const spoken = parts.filter(
    (part) =>
      isSpoken(part) && !isResponse(part) && (!isRepeated || typeof part['text'] === 'string'),
  )
  const prompt: GeminiEvent[] =
    spoken.length === 0
      ? []
      : [{ type: 'user', payload: { content: toPlain(spoken.map(toBlock)) } }]
  return {
    ...NOTHING,
    events: [...results.map(({ event }) => event), ...prompt],
    answers: results.map(({ id }) => id),
    unknown: spoken.flatMap(unknownOf),
  }
}

/** As the client reads it to find commands: a part without text has a name. */
function spokenOf(part: ForeignValue): string {
  const { text, thought } = part
  return typeof text === 'string' && thought === undefined ? text : '[part]'
}

function viewReply(message: ForeignValue): MessageView {
  const parts = partsOf(message['content'])
  const calls = listOf(message['toolCalls']).map(fieldsOf)
  const answers = calls.flatMap(answerOf)
  // In a list that was stored again, every call has the parts of all calls.
  const media = answers.flatMap(({ media, isShared }, index) =>
    isShared && index > 0 ? [] : media,
  )
  const pictures: GeminiEvent[] =
    media.length === 0 ? [] : [{ type: 'user', payload: { content: media.map(toBlock) } }]
  return {
    isKept: false,
    events: [
      { type: 'assistant', payload: replyOf(message, parts, calls) },
      ...answers.map(({ event }) => event),
      ...pictures,
    ],
    answers: answers.map(({ id }) => id),
    agentCalls: calls.flatMap(agentCallOf),
    unknown: [...parts.filter(isSpoken), ...media].flatMap(unknownOf),
  }
}

interface Answer {
  readonly id: string
  readonly event: GeminiEvent
  /** Pictures beside the response. */
  readonly media: readonly ForeignValue[]
  /** The parts are those of several calls. */
  readonly isShared: boolean
}

/** None if the call has no result. */
function answerOf(call: ForeignValue): Answer[] {
  const { result, status } = call
  if (result === undefined || result === null || result === '') return []
  const id = callId(call)
  const parts = partsOf(result)
  const responses = parts.filter(isResponse)
  const [first] = responses
  if (first === undefined)
    return [{ id, event: toResult(id, result, status), media: [], isShared: false }]
  const own = responses.find((part) => responseId(part) === id) ?? first
  return [
    {
      id,
      event: toResult(id, fieldsOf(own['functionResponse'])['response'], status),
      media: parts.filter((part) => !isResponse(part)),
      isShared: responses.length > 1,
    },
  ]
}

function isSpoken(part: ForeignValue): boolean {
  return part['thought'] !== true
}

/** Thoughts are beside the content: the client never sends them again. */
function replyOf(
  message: ForeignValue,
  parts: readonly ForeignValue[],
  calls: readonly ForeignValue[],
): Record<string, unknown> {
  const stored = listOf(message['thoughts'])
  const spoken = parts.filter((part) => part['thought'] === true)
  const thoughts = stored.length > 0 ? stored : spoken.map(({ text }) => ({ description: text }))
  const inContent = parts.map(({ functionCall }) => fieldsOf(functionCall)['id'])
  const others = calls.filter((call) => !inContent.includes(call['id'] ?? null))
  const blocks = [...parts.filter(isSpoken).map(toBlock), ...others.map(toUse)]
  return known({
    content: toPlain(blocks),
    model: textOf(message['model']),
    usage: toUsage(message['tokens'], USAGE),
    thoughts: thoughts.length > 0 ? thoughts : undefined,
    // A reply that grows is written several times; its tokens were used once.
    message_id: textOf(message['id']),
  })
}

/** A content that is only one text is that text, however the client stored it. */
function toPlain(blocks: readonly unknown[]): Content {
  if (blocks.length === 0) return ''
  const [only, ...more] = blocks.map(fieldsOf)
  return more.length === 0 && only!['type'] === 'text' ? String(only!['text']) : blocks
}

function toUse(call: ForeignValue): object {
  return {
    type: 'tool_use',
    id: callId(call),
    name: textOf(call['name']) ?? '?',
    input: call['args'] ?? {},
  }
}

/** `response`: an object with an output or an error, or anything that a tool returned. */
function toResult(id: string, response: unknown, status?: unknown): GeminiEvent {
  const { output, error } = fieldsOf(response)
  const is_error = status === 'error' || status === 'cancelled' || typeof error === 'string'
  const content = output ?? error ?? response ?? ''
  return { type: 'tool_result', payload: { tool_call_id: id, content, is_error } }
}

function agentCallOf(call: ForeignValue): AgentCall[] {
  const agentId = textOf(call['agentId'])
  if (agentId === undefined) return []
  const agentType = textOf(fieldsOf(call['args'])['agent_name']) ?? textOf(call['name'])
  return [{ agentId, callId: callId(call), agentType }]
}

function callId(call: ForeignValue): string {
  return textOf(call['id']) ?? textOf(call['name']) ?? '?'
}

function isResponse(part: ForeignValue): boolean {
  return isObject(part['functionResponse'])
}

function responseId(part: ForeignValue): string {
  return callId(fieldsOf(part['functionResponse']))
}

/** A content is a text, a part, or a list of both. */
function partsOf(value: unknown): readonly ForeignValue[] {
  const list = Array.isArray(value) ? value : [value]
  return list.flatMap((part) => {
    if (typeof part === 'string') return part === '' ? [] : [{ text: part }]
    return isObject(part) ? [part] : []
  })
}

/** Parts are text, files, calls, or something else that is named by its key. */
function toBlock(part: ForeignValue): unknown {
  const { text, thought, functionCall, inlineData } = part
  if (typeof text === 'string' && thought !== true) return { type: 'text', text }
  if (isObject(functionCall)) return toUse(functionCall)
  return fileOf(fieldsOf(inlineData)) ?? { ...part, type: keyOf(part) }
}

const FILES: readonly [RegExp, string][] = [
  [/^image\//, 'image'],
  [/^application\/pdf$/, 'document'],
]

function fileOf({ mimeType, data }: ForeignValue): object | undefined {
  if (typeof data !== 'string' || typeof mimeType !== 'string') return undefined
  const type = FILES.find(([pattern]) => pattern.test(mimeType))?.[1]
  if (type === undefined) return undefined
  return { type, source: { type: 'base64', media_type: mimeType, data } }
}

function keyOf(part: ForeignValue): string {
  return textOf(part['type']) ?? Object.keys(part)[0] ?? 'part'
}

const KNOWN_BLOCKS = new Set(['text', 'image', 'document', 'tool_use'])

function unknownOf(part: ForeignValue): string[] {
  const type = String(fieldsOf(toBlock(part))['type'])
  return KNOWN_BLOCKS.has(type) ? [] : [type]
}

/** The title of the chat. */
export function summaryOf(value: ForeignValue): string | undefined {
  return textOf(plainText(value['summary']))
}
