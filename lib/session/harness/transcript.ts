// A transcript that a harness hands over when a session ends, inline or as a file: what our own log
// does not have of it yet is appended. Of harnesses that report neither prompts nor replies it is the
// whole conversation.

import { fieldsOf, wordsOf } from '../../chain/index.js'
import { isSessionError } from '../../errors.js'
import { diagnostic } from '../../format/index.js'
import { type NewEvent, readLogSync } from '../../log/index.js'
import {
  type AllowedPathOptions,
  readSmallText,
  resolveAllowedPath,
  type StoreContext,
} from '../../store/index.js'
import { type HookRecordOptions, recordEvent } from '../record/hook-events.js'
import { contentHash, toUuid } from '../record/log-end.js'
import { isText } from './requests.js'

export interface HandedTranscript extends AllowedPathOptions {
  /** The conversation itself: `User: …` and `Assistant: …` lines, or JSON lines. Wins over the path. */
  readonly transcript?: string | undefined
  /** A file that holds it, inside of an allowed folder. */
  readonly transcriptPath?: string | undefined
}

interface Message {
  readonly type: 'user' | 'assistant'
  readonly content: string
}

/** Returns how many messages were appended; `undefined` where no transcript was handed over. */
export async function adoptTranscript(
  store: StoreContext,
  sessionId: string,
  handed: HandedTranscript,
  options: HookRecordOptions,
): Promise<number | undefined> {
  const messages = readMessages(store, handed)
  if (messages === undefined) return undefined
  const missing = findMissing(readOwn(store, sessionId), messages)
  if (missing === undefined) {
    const what = 'The transcript has nothing in common with what was recorded; it is not stored'
    store.report(diagnostic('transcript_not_matched', what))
    return 0
  }
  const events = missing.map(({ message: { type, content }, index }): NewEvent => {
    const payload = type === 'user' ? { content, source: 'transcript' } : { content }
    const hash = contentHash({ type, payload })
    return { type, payload, uuid: toUuid([sessionId, 'transcript', String(index), hash]) }
  })
  if (events.length === 0) return 0
  await recordEvent(store, { sessionId, source: 'transcript', nativeId: 'all', events }, options)
  return events.length
}

function readMessages(
  store: StoreContext,
  { transcript, transcriptPath, allowedFolders, onlyFolders }: HandedTranscript,
): readonly Message[] | undefined {
  if (isText(transcript)) return parseMessages(transcript)
  if (!isText(transcriptPath)) return undefined
  const allowed = resolveAllowedPath(store, transcriptPath, { allowedFolders, onlyFolders })
  if ('refusal' in allowed) {
    const what = `The transcript ${transcriptPath} is not read: ${allowed.refusal}`
    store.report(diagnostic('transcript_path_refused', what, { file: transcriptPath }))
    return undefined
  }
  return parseMessages(readSmallText(store, allowed.path).toString())
}

function parseMessages(text: string): Message[] {
  const lines = text.split('\n')
  return text.trimStart().startsWith('{')
    ? lines.flatMap((line) => toMessages(parseOrNothing(line)))
    : parseTurns(lines)
}

function parseOrNothing(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** A record of our log, of Claude Code, or with a role of its own. */
function toMessages(record: unknown): Message[] {
  const { type, role, payload, message, content, isMeta, isSidechain } = fieldsOf(record)
  const speaker = role ?? fieldsOf(message)['role'] ?? type
  if (speaker !== 'user' && speaker !== 'assistant') return []
  if (isMeta === true || isSidechain === true) return []
  const words = wordsOf(payload ?? message ?? { content }).trim()
  return words === '' ? [] : [{ type: speaker, content: words }]
}

const TURN = /^\s*(user|human|assistant|ai|model)\s*:\s?(.*)$/i

/** A line without a speaker continues the turn before it. */
function parseTurns(lines: readonly string[]): Message[] {
  const turns: { type: Message['type']; lines: string[] }[] = []
  for (const line of lines) {
    const [, speaker, words] = TURN.exec(line) ?? []
    if (speaker !== undefined) {
      const isUser = /^(user|human)$/i.test(speaker)
      turns.push({ type: isUser ? 'user' : 'assistant', lines: [words!] })
    } else turns.at(-1)?.lines.push(line)
  }
  return turns
    .map(({ type, lines: words }) => ({ type, content: words.join('\n').trim() }))
    .filter(({ content }) => content !== '')
}

function readOwn(store: StoreContext, sessionId: string): readonly Message[] {
  const messages: Message[] = []
  try {
    const path = store.layout.transcriptPath(sessionId)
    for (const entry of readLogSync(path, { environment: store.env })) {
      if (entry.kind === 'event') messages.push(...toMessages(entry.event))
    }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
  }
  return messages
}

/** What follows the newest message that both have; `undefined` where they have none in common. */
function findMissing(own: readonly Message[], handed: readonly Message[]) {
  const numbered = handed.map((message, index) => ({ message, index }))
  if (own.length === 0) return numbered
  for (const { type, content } of own.toReversed()) {
    const last = handed.findLastIndex(
      (other) => other.type === type && sameWords(other.content, content),
    )
    if (last !== -1) return numbered.slice(last + 1)
  }
  return undefined
}

function sameWords(one: string, other: string): boolean {
  return one.replace(/\s+/g, ' ') === other.replace(/\s+/g, ' ')
}
