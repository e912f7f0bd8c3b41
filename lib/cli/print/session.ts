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
import { type Diagnostic, MESSAGE_TYPES } from '../../format/index.js'
import { type LogEntry, readLog } from '../../log/index.js'
import { redactText } from '../../redaction/index.js'
import {
  type BranchOptions,
  findEvent,
  type LoadedSession,
  loadLatest,
  loadSession,
  readBranch,
} from '../../store/index.js'
import type { Call } from '../command.js'
import { readNumber } from '../input/arguments.js'
import { CONTEXT_BYTES_MAX, readEventOption } from '../input/event.js'
import { colorsOf } from '../output/colors.js'
import { DiagnosticGroups } from '../output/notes.js'
import { toPlainText } from '../output/plain-text.js'
import { printStored } from '../output/print.js'
import { Conversation } from './conversation.js'
import { sayEntry } from './entry.js'
import { isExcerpt, printExcerpt } from './excerpt.js'

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
  const last = readNumber(call, 'last')
  const options = { at, last, lost }
  if (isExcerpt(call)) return printExcerpt(call, path, options)
  if (call.has('raw')) return printRaw(call, path, at)
  if (call.has('history')) return printHistory(call, path, options)
  if (call.has('text')) return printText(call, path, options)
  // The model of that time had not seen a summary that was revised since.
  const revisions = at === undefined ? 'newest' : 'then'
  const loading = { at, revisions, bytesMax: CONTEXT_BYTES_MAX } as const
  const loaded =
    last === undefined
      ? loadSession(call.store, path, loading)
      : loadLatest(call.store, path, loading, (loaded) => readableEnd(loaded).length >= last)
  // What is left out on purpose is not reported.
  const isEnough = last !== undefined && readableEnd(loaded).length >= last
  addLost(
    loaded.diagnostics.filter(({ code }) => !isEnough || code !== 'context_cut'),
    lost,
  )
  if (!call.has('projected')) return printProjection(call, loaded, last)
  const toolPolicy = toolPolicyOf(loaded.header)
  const { messages } = messagesOf(loaded.log.projection, { toolPolicy })
  return printMessages(call, lastOf(messages, last), { isWhole: true })
}

interface ViewOptions {
  readonly at: string | undefined
  /** Only so many. */
  readonly last: number | undefined
  readonly lost: DiagnosticGroups
}

/** The entries that follow everything that was not read. */
function readableEnd({ log }: LoadedSession): readonly ProjectionEntry[] {
  const { entries } = log.projection
  return entries.slice(entries.findLastIndex((entry) => entry.kind === 'opaque') + 1)
}

function lastOf<Row>(rows: readonly Row[], last: number | undefined): readonly Row[] {
  return last === undefined ? rows : rows.slice(Math.max(0, rows.length - last))
}

/** The projection as it was written. Returns whether there was anything to print. */
async function printProjection(
  call: Call,
  { log }: LoadedSession,
  last: number | undefined,
): Promise<boolean> {
  if (!call.has('json')) return sayProjection(call, log, last)
  const events = log.projection.entries.flatMap((entry) => (isGap(entry) ? [] : entry.event))
  return printEach(call, lastOf(events, last))
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
  { at, last: count, lost }: ViewOptions,
): Promise<boolean> {
  const last = count === undefined ? undefined : { count, types: SHOWN_IN_HISTORY }
  if (count === 0) return false
  const conversation = new Conversation(call.output, { colors: colorsOf(call), isWhole: false })
  let isEmpty = true
  for await (const { entry } of readBranch(call.store, path, { at, last })) {
    if (entry.kind !== 'event') addLost(entry.diagnostics, lost)
    const isShown = entry.kind === 'event' && SHOWN_IN_HISTORY.has(entry.event.type)
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
  { at, last, lost }: ViewOptions,
): Promise<boolean> {
  let isEmpty = true
  const lines =
    last === undefined
      ? readTextLines(call, path, { at, lost })
      : await lastTextLines(call, path, { at, last, lost })
  for await (const line of lines) {
    isEmpty = false
    await call.output.write(`${line}\n`)
  }
  return !isEmpty
}

/** A reply may have no words, so more events are read until there are enough lines. */
async function lastTextLines(
  call: Call,
  path: string,
  { at, last, lost }: ViewOptions & { last: number },
): Promise<string[]> {
  for (let count = last; ; count *= 2) {
    const lines: string[] = []
    let read = 0
    const onEvent = () => read++
    const options = { at, lost, last: { count, types: SPOKEN }, onEvent }
    if (count > 0) for await (const line of readTextLines(call, path, options)) lines.push(line)
    if (lines.length >= last || read < count) return lines.slice(Math.max(0, lines.length - last))
  }
}

async function* readTextLines(
  call: Call,
  path: string,
  { at, last, lost, onEvent }: TextOptions,
): AsyncGenerator<string, void, undefined> {
  for await (const { entry } of readBranch(call.store, path, { at, last })) {
    if (entry.kind !== 'event') {
      addLost(entry.diagnostics, lost)
      continue
    }
    const { type, ts, uuid } = entry.event
    if (!SPOKEN.has(type)) continue
    onEvent?.()
    // Plain text first: an invisible character could split a secret.
    const text = redactText(toPlainText(wordsOf(entry.event.payload)))
    if (text === '') continue
    const speaker = type === 'user' ? 'User' : 'Assistant'
    yield call.has('json') ? JSON.stringify({ type, ts, uuid, text }) : `${speaker}: ${text}`
  }
}

interface TextOptions extends Pick<ViewOptions, 'at' | 'lost'> {
  readonly last?: BranchOptions['last']
  readonly onEvent?: () => void
}

async function sayProjection(
  call: Call,
  { projection }: LogProjection,
  last: number | undefined,
): Promise<boolean> {
  const { entries, compactedCount, contextEpoch, lastBoundary } = projection
  const conversation = new Conversation(call.output, { colors: colorsOf(call), isWhole: false })
  const first = last === undefined ? 0 : Math.max(0, entries.length - last)
  for (const [index, entry] of entries.entries()) {
    if (index < first) continue
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

const SHOWN_IN_HISTORY = new Set([...MESSAGE_TYPES, 'compaction_boundary', 'rewind'])
const SPOKEN = new Set(['user', 'assistant'])

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
