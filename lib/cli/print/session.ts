// The views of a session: what the model sees, every event, and the text of messages.

import {
  isGap,
  type LogProjection,
  type Message,
  messagesOf,
  type ProjectionEntry,
  toolPolicyOf,
  wordsOf,
} from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import { type Diagnostic, isOnChain, MESSAGE_TYPES, type SessionEvent } from '../../format/index.js'
import { type LogEntry, readLog } from '../../log/index.js'
import { redactText } from '../../redaction/index.js'
import { findEvent, type LoadedSession, loadSession, readBranch } from '../../store/index.js'
import type { Call } from '../command.js'
import { readEventOption } from '../input/event.js'
import { colorsOf } from '../output/colors.js'
import { DiagnosticGroups } from '../output/notes.js'
import { toPlainText } from '../output/plain-text.js'
import { printStored } from '../output/print.js'
import { snippetOf } from '../output/snippet.js'
import { Conversation, timeOf } from './conversation.js'

const SNIPPET_COLUMNS = 120

/** More of a context is not read: no model takes it, and memory and time stay bounded. */
export const CONTEXT_BYTES_MAX = 16 * 1024 * 1024

const GAPS = {
  lost: 'the session that this one continues is missing',
  missing: 'an event is missing here',
  opaque: 'older messages were not read; --history shows all',
}

/** The view that the options choose, and after it what could not be shown. */
export async function printView(
  call: Call,
  path: string,
): Promise<{ isShown: boolean; isDamaged: boolean }> {
  const lost = new DiagnosticGroups(call.notes)
  const isShown = await printChosen(call, path, lost)
  await call.output.flush()
  lost.report()
  return { isShown, isDamaged: !lost.isEmpty }
}

async function printChosen(call: Call, path: string, lost: DiagnosticGroups): Promise<boolean> {
  const at = readEventOption(call, 'at', () => path)
  if (call.has('raw')) return printRaw(call, path, at)
  if (call.has('history')) return printHistory(call, path, { at, lost })
  if (call.has('text')) return printText(call, path, { at, lost })
  // The model of that time had not seen a summary that was revised since.
  const revisions = at === undefined ? 'newest' : 'then'
  const loaded = loadSession(call.store, path, { at, revisions, bytesMax: CONTEXT_BYTES_MAX })
  addLost(loaded.diagnostics, lost)
  if (!call.has('projected')) return printProjection(call, loaded)
  const toolPolicy = toolPolicyOf(loaded.header)
  const { messages } = messagesOf(loaded.log.projection, { toolPolicy })
  return printMessages(call, messages, { isWhole: true })
}

/** The projection as it was written. Returns whether there was anything to print. */
async function printProjection(call: Call, { log }: LoadedSession): Promise<boolean> {
  if (!call.has('json')) return sayProjection(call, log)
  const events = log.projection.entries.flatMap((entry) => (isGap(entry) ? [] : entry.event))
  return printEach(call, events)
}

/** The messages as a model gets them, repaired where a provider would reject them. */
export async function printMessages(
  call: Call,
  messages: readonly Message[],
  { isWhole }: { isWhole: boolean },
): Promise<boolean> {
  if (call.has('json')) return printEach(call, messages)
  const conversation = new Conversation(call.output, { colors: colorsOf(call), isWhole })
  for (const message of messages) await conversation.say(message)
  return !conversation.isEmpty
}

/** Reports what a view cannot show, so that it is not taken for complete. */
function addLost(diagnostics: readonly Diagnostic[], lost: DiagnosticGroups): void {
  for (const found of diagnostics) if (found.severity === 'error') lost.add(found)
}

/** Every event of the file, up to one of them if it is named. */
async function printRaw(call: Call, path: string, at: string | undefined): Promise<boolean> {
  const isJson = call.has('json')
  const conversation = new Conversation(call.output, { colors: colorsOf(call), isWhole: false })
  let isEmpty = true
  for await (const entry of entriesUpTo(call, path, at)) {
    isEmpty = false
    if (!isJson) await sayEntry(conversation, entry)
    else if (entry.kind === 'event') await printStored(call, entry.event)
    else for (const diagnostic of entry.diagnostics) call.notes.report(diagnostic)
  }
  return !isEmpty
}

/** The conversation as it happened, over all files of its lineage. */
async function printHistory(
  call: Call,
  path: string,
  { at, lost }: { at: string | undefined; lost: DiagnosticGroups },
): Promise<boolean> {
  const conversation = new Conversation(call.output, { colors: colorsOf(call), isWhole: false })
  let isEmpty = true
  for await (const { entry } of readBranch(call.store, path, { at })) {
    if (entry.kind !== 'event') addLost(entry.diagnostics, lost)
    const isShown =
      entry.kind === 'event' &&
      (MESSAGE_TYPES.has(entry.event.type) || MARKED.has(entry.event.type))
    if (!isShown) continue
    isEmpty = false
    if (call.has('json')) await printStored(call, entry.event)
    else await sayEntry(conversation, entry)
  }
  return !isEmpty
}

/** The messages, one line for each turn, without secrets: the view to share. */
async function printText(
  call: Call,
  path: string,
  { at, lost }: { at: string | undefined; lost: DiagnosticGroups },
): Promise<boolean> {
  let isEmpty = true
  for await (const { entry } of readBranch(call.store, path, { at })) {
    if (entry.kind !== 'event') {
      addLost(entry.diagnostics, lost)
      continue
    }
    const { type, ts, uuid } = entry.event
    if (type !== 'user' && type !== 'assistant') continue
    // Plain text first: an invisible character could split a secret.
    const text = redactText(toPlainText(wordsOf(entry.event.payload)))
    if (text === '') continue
    isEmpty = false
    const speaker = type === 'user' ? 'User' : 'Assistant'
    const line = call.has('json') ? JSON.stringify({ type, ts, uuid, text }) : `${speaker}: ${text}`
    await call.output.write(`${line}\n`)
  }
  return !isEmpty
}

async function sayProjection(call: Call, { projection }: LogProjection): Promise<boolean> {
  const { entries, compactedCount, contextEpoch, lastBoundary } = projection
  const conversation = new Conversation(call.output, { colors: colorsOf(call), isWhole: false })
  for (const [index, entry] of entries.entries()) {
    await sayProjected(conversation, entry)
    if (index + 1 !== compactedCount) continue
    const which = lastBoundary === null ? '' : ` (${contextEpoch}: ${lastBoundary.uuid})`
    await conversation.mark(toPlainText(`compacted up to here${which}`))
  }
  return !conversation.isEmpty
}

async function sayProjected(conversation: Conversation, entry: ProjectionEntry): Promise<void> {
  if (isGap(entry)) return conversation.mark(GAPS[entry.kind], 'yellow')
  const { event } = entry
  const payload = entry.kind === 'summary' ? { text: entry.text } : event.payload
  await conversation.say({ ...event, payload })
}

async function sayEntry(conversation: Conversation, entry: LogEntry): Promise<void> {
  if (entry.kind !== 'event') {
    const [first] = entry.diagnostics
    const what = `${entry.kind} at byte ${entry.byte_offset}: ${toPlainText(first?.message ?? '')}`
    return conversation.mark(what, entry.kind === 'damage' ? 'red' : 'yellow')
  }
  const { event } = entry
  if (MESSAGE_TYPES.has(event.type)) await conversation.say(event)
  else if (event.type === 'compaction_boundary') await conversation.mark(boundaryText(event))
  else await conversation.aside(asideText(event))
}

const MARKED = new Set(['compaction_boundary', 'rewind'])

function boundaryText({ ts, uuid, payload }: SessionEvent): string {
  const { messages_summarized: count, headUuid } = (payload ?? {}) as Record<string, unknown>
  const kept = typeof headUuid === 'string' ? `, kept from ${headUuid}` : ', nothing kept'
  const what = `compacted: ${count} messages summarized${kept}`
  return toPlainText(`${what}  ${timeOf(ts)}  ${uuid}`)
}

function asideText(event: SessionEvent): string {
  const { type, ts, uuid } = event
  const place = isOnChain(event) ? '' : ' (off-chain)'
  const name = toPlainText(`${type}${place}  ${timeOf(ts)}  ${uuid}`)
  return `${name}  ${snippetOf(event, SNIPPET_COLUMNS)}`
}

async function* entriesUpTo(
  call: Call,
  path: string,
  at: string | undefined,
): AsyncGenerator<LogEntry> {
  const last = at === undefined ? undefined : findEvent(call.store, path, at)
  if (at !== undefined && last === undefined) {
    throw new SessionError('ERR_NOT_FOUND', `No event "${at}" in ${path}`, { at, path })
  }
  for await (const entry of readLog(path, { environment: call.env })) {
    if (last !== undefined && entry.byte_offset > last.byte_offset) return
    yield entry
  }
}

async function printEach(call: Call, rows: readonly object[]): Promise<boolean> {
  for (const row of rows) await printStored(call, row)
  return rows.length > 0
}
