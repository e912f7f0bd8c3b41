// What the model sees of a Claude Code transcript, as a list of messages with one block each: for a
// log that hooks recorded, which must show the same.

import {
  type PlacedEvent,
  type Projection,
  type ProjectionEntry,
  projectLog,
} from '../../chain/index.js'
import { FORMAT_VERSION, type SessionEvent, UNKNOWN_TIME } from '../../format/index.js'
import { fieldsOf, known, listOf, textOf } from '../import/fields.js'
import {
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportedEvent,
  type ImportSink,
} from '../import/importer.js'
import { claudeCode } from './importer.js'
import { answeredCalls, isBoundary } from './lines.js'

/** A message of the client as an event of ours. */
export interface ClaudeMessage {
  readonly type: 'user' | 'assistant' | 'tool_call' | 'tool_result'
  readonly ts: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface ClaudeCompaction {
  /** The uuid of the client's boundary line. */
  readonly line: string
  readonly ts: string
  readonly summary: string
  readonly trigger: 'manual' | 'auto'
  readonly tokensBefore: number
  readonly tokensAfter: number | undefined
  readonly summarized: number
  /** What is kept comes before the summary. */
  readonly isPrefixKept: boolean
  readonly kept: readonly ClaudeMessage[]
}

export interface ClaudeConversation {
  /** The last compaction; what it keeps is not in `messages`. */
  readonly compaction: ClaudeCompaction | undefined
  readonly messages: readonly ClaudeMessage[]
  /** Every message of the file, also of branches that were left. */
  readonly all: readonly ClaudeMessage[]
  /** The uuid of the last line. */
  readonly lastLine: string | undefined
}

const FIRST_RECORDS = 64

/** Whether these are the first records of a transcript of Claude Code. */
export function isClaudeTranscript(records: readonly ForeignRecord[]): boolean {
  return claudeCode.detects(records.slice(0, FIRST_RECORDS).map(({ value }) => value))
}

/**
 * Reads a whole transcript. `isLive`: its client is still in the last turn, so that calls without a
 * result run; else they were given up, and the client does not send them again.
 */
export function readClaudeConversation(
  records: readonly ForeignRecord[],
  { isLive }: { readonly isLive: boolean },
): ClaudeConversation {
  const events: ImportedEvent[] = []
  const byOffset = new Map(records.map((record) => [record.byteOffset, record]))
  const run = claudeCode.start({
    facts: FACTS,
    sink: { ...NO_REPORT, event: (event) => void (event.task === undefined && events.push(event)) },
    reread: ({ byteOffset }) => byOffset.get(byteOffset)!,
    tasks: new Map(),
  })
  for (const record of records) run.survey?.(record)
  if (isLive) for (const record of expectedAfter(records)) run.survey?.(record)
  run.open?.({ source: undefined, path: '', facts: FACTS })
  for (const record of records) run.add(record)
  const last = records.at(-1)
  run.end?.(last === undefined ? 0 : last.byteOffset + last.length)
  const queued = new Set(records.filter(isQueuedPrompt).map(({ value }) => value['uuid']))
  const placed = events.map((event) => markQueued(event, queued)).map(toPlaced)
  const { projection } = projectLog([HEADER, ...placed], { file: 'transcript' })
  const before = projection.entries.slice(0, projection.compactedCount)
  return {
    compaction: toCompaction(projection, before, placed),
    messages: projection.entries.slice(projection.compactedCount).flatMap(toMessages),
    all: placed.flatMap(({ event }) => messagesOf(event)),
    lastLine: records.findLast(isOwnLine)?.value['uuid'] as string | undefined,
  }
}

/** Typed while the model worked: no hook reports it. */
function isQueuedPrompt({ value }: ForeignRecord): boolean {
  const { type, commandMode = 'prompt' } = fieldsOf(value['attachment'])
  return value['type'] === 'attachment' && type === 'queued_command' && commandMode === 'prompt'
}

function markQueued(event: ImportedEvent, queued: ReadonlySet<unknown>): ImportedEvent {
  if (!queued.has(event.uuid) || event.payload['is_meta'] === true) return event
  return { ...event, payload: { ...event.payload, source: QUEUED } }
}

/** The `source` of a prompt that was typed while the model worked. */
export const QUEUED = 'queued'

/** What the turn under way will write: a result for each call, and a text after thoughts. */
function* expectedAfter(records: readonly ForeignRecord[]): Generator<ForeignRecord> {
  const turn = records.slice(records.findLastIndex(({ value }) => isPrompt(value)) + 1)
  const results = new Set(turn.flatMap(({ value }) => answeredCalls(value)))
  for (const { value, ...place } of turn) {
    if (value['type'] !== 'assistant' || value['isSidechain'] === true) continue
    const { id, content } = fieldsOf(value['message'])
    const text = { id, content: [{ type: 'text', text: 'expected' }] }
    yield { ...place, value: { type: 'assistant', uuid: `${value['uuid']}~text`, message: text } }
    for (const call of listOf(content).map((block) => textOf(fieldsOf(block)['id']))) {
      if (call === undefined || results.has(call)) continue
      const result = { content: [{ type: 'tool_result', tool_use_id: call }] }
      yield { ...place, value: { type: 'user', uuid: `${call}~result`, message: result } }
    }
  }
}

const FACTS = { sessionId: 'transcript', startTs: undefined, cwd: undefined }

// A hook has no import report.
const NO_REPORT: Omit<ImportSink, 'event'> = {
  dropped: () => {},
  repaired: () => {},
  uninterpreted: () => {},
  task: () => {},
  taskEnded: () => {},
}

function isOwnLine({ value }: ForeignRecord): boolean {
  return typeof value['uuid'] === 'string' && value['isSidechain'] !== true
}

/**
 * Reads lines that continue a conversation from the line `after`. `undefined` if one of them does
 * more than that: a compaction, a rewind, a branch. Then the whole transcript must be read.
 */
export function readClaudeContinuation(
  records: readonly ForeignRecord[],
  after: string,
): Pick<ClaudeConversation, 'messages' | 'lastLine'> | undefined {
  const lines = new Set([after])
  // The newest message, and the lines after it. Another leaf is a rewind, also one to `after`.
  const leaves = new Set([after])
  let last = after
  const linked: ForeignRecord[] = []
  for (const record of records) {
    const { value } = record
    const { uuid, parentUuid, type, isSidechain } = value
    if (isSidechain === true) continue
    if (typeof uuid !== 'string') {
      if (type === 'last-prompt' && !leaves.has(String(value['leafUuid'] ?? last))) return undefined
      linked.push(record)
      continue
    }
    if (isBoundary(value) || value['isCompactSummary'] === true) return undefined
    const isNext = parentUuid === last || (lines.has(String(parentUuid)) && !isPrompt(value))
    if (!isNext && !hasResults(value)) return undefined
    // The first one follows the part that is not read here.
    const parent = last === after ? null : last
    linked.push({ ...record, value: { ...value, parentUuid: parent } })
    if (type === 'user' || type === 'assistant') leaves.clear()
    leaves.add(uuid)
    lines.add(uuid)
    last = uuid
  }
  const { messages } = readClaudeConversation(linked, { isLive: true })
  return { messages, lastLine: last }
}

/**
 * Reads lines of the log of a subagent, which follow each other. What a compaction removed there stays.
 */
export function readSubagentLines(
  records: readonly ForeignRecord[],
): Pick<ClaudeConversation, 'messages' | 'lastLine'> {
  let last: string | null = null
  const linked: ForeignRecord[] = []
  for (const record of records) {
    const { value } = record
    const { uuid, isCompactSummary } = value
    if (typeof uuid !== 'string' || isBoundary(value) || isCompactSummary === true) continue
    linked.push({ ...record, value: { ...value, parentUuid: last, isSidechain: false } })
    last = uuid
  }
  const { messages } = readClaudeConversation(linked, { isLive: true })
  return { messages, lastLine: last ?? undefined }
}

function isPrompt(value: ForeignValue): boolean {
  const { type, isMeta, isSidechain } = value
  return type === 'user' && isMeta !== true && isSidechain !== true && !hasResults(value)
}

function hasResults({ type, message }: ForeignValue): boolean {
  const content = listOf(fieldsOf(message)['content'])
  return type === 'user' && content.some((block) => fieldsOf(block)['type'] === 'tool_result')
}

const HEADER: PlacedEvent = {
  byte_offset: 0,
  event: {
    type: 'session_header',
    uuid: HEADER_UUID,
    prev_uuid: null,
    ts: UNKNOWN_TIME,
    payload: { format: FORMAT_VERSION },
  } as unknown as SessionEvent,
}

function toPlaced(event: ImportedEvent, index: number): PlacedEvent {
  const byte_offset = index + 1
  const { offsets } = event.payload
  const payload =
    event.type === 'compaction_boundary'
      ? { ...event.payload, offsets: { ...fieldsOf(offsets), self: byte_offset } }
      : event.payload
  return { byte_offset, event: { ...event, payload } as unknown as SessionEvent }
}

function toCompaction(
  { lastBoundary }: Projection,
  before: readonly ProjectionEntry[],
  events: readonly PlacedEvent[],
): ClaudeCompaction | undefined {
  const boundary = events.findLast(({ event }) => event.uuid === lastBoundary?.uuid)?.event
  if (boundary === undefined) return undefined
  const payload = fieldsOf(boundary.payload)
  const summary = before.find((entry) => entry.kind === 'summary')
  return {
    line: boundary.uuid,
    ts: boundary.ts,
    summary: summary?.kind === 'summary' ? summary.text : '',
    trigger: payload['trigger'] === 'manual' ? 'manual' : 'auto',
    tokensBefore: Number(payload['tokens_before']),
    tokensAfter: payload['tokens_after'] as number | undefined,
    summarized: Number(payload['messages_summarized']),
    isPrefixKept: payload['anchorUuid'] === boundary.uuid,
    kept: before.flatMap(toMessages),
  }
}

function toMessages(entry: ProjectionEntry): ClaudeMessage[] {
  return entry.kind === 'event' ? messagesOf(entry.event) : []
}

/** One message for each block: a call and a result are events of their own. */
function messagesOf({ type, ts, payload }: SessionEvent): ClaudeMessage[] {
  if (type !== 'user' && type !== 'assistant') return []
  const { content, imported_from: _, ...given } = fieldsOf(payload)
  const rest = type === 'user' && isOfClient(content) ? { ...given, is_meta: true } : given
  if (typeof content === 'string')
    return content === '' ? [] : [{ type, ts, payload: { content, ...rest } }]
  const messages: ClaudeMessage[] = []
  let others: unknown[] = []
  const endOthers = () => {
    if (others.length === 0) return
    const plain = others.length === 1 ? plainText(others[0]) : undefined
    messages.push({ type, ts, payload: { content: plain ?? others, ...rest } })
    others = []
  }
  for (const block of listOf(content)) {
    const event = toToolEvent(fieldsOf(block), fieldsOf(payload))
    if (event === undefined) others.push(block)
    else {
      endOthers()
      messages.push({ ...event, ts })
    }
  }
  endOthers()
  return messages
}

const CLIENT_WORDS =
  /^\s*(?:<(?:local-command-\w+|command-\w+|bash-\w+|task-notification)>|\[Request interrupted by user)/

/** What the client writes in the name of the user: its commands and their output, an interruption. */
function isOfClient(content: unknown): boolean {
  const [first] = Array.isArray(content) ? content : [content]
  const text = typeof first === 'string' ? first : fieldsOf(first)['text']
  return typeof text === 'string' && CLIENT_WORDS.test(text)
}

function toToolEvent(
  block: ForeignValue,
  { message_id }: ForeignValue,
): Pick<ClaudeMessage, 'type' | 'payload'> | undefined {
  const { type, id, name, input, tool_use_id, content, is_error } = block
  if (type === 'tool_use' && typeof id === 'string') {
    const payload = { tool_call_id: id, name: String(name), input: input ?? {}, message_id }
    return { type: 'tool_call', payload: known(payload) }
  }
  if (type === 'tool_result' && typeof tool_use_id === 'string') {
    const payload = {
      tool_call_id: tool_use_id,
      content: content ?? '',
      is_error: is_error === true,
    }
    return { type: 'tool_result', payload }
  }
  return undefined
}

/** The text of a block that is nothing else. */
function plainText(block: unknown): string | undefined {
  const { type, text, ...rest } = fieldsOf(block)
  return type === 'text' && typeof text === 'string' && Object.keys(rest).length === 0
    ? text
    : undefined
}
