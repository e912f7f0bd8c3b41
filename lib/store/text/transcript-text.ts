// A transcript as a conversation to read: what user and assistant said, turn by turn, without
// tools, system text and summaries.

import { wordsOf } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import { copiedFromOf, fieldsOf } from '../../format/fields.js'
import type { SessionEvent } from '../../format/index.js'
import { type Line, type ReadLogOptions, readLog } from '../../log/index.js'
import { isUnreadable, readSessionInfo } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { readConversation } from '../load/conversation.js'
import { mayHaveType } from '../prefilter/type-prefilter.js'
import { findTranscript } from '../transcripts.js'
import { redactorOf, type ServedTextOptions, toOneLine } from './output-text.js'

const SPEAKERS: ReadonlyMap<string, string> = new Map([
  ['user', 'User'],
  ['assistant', 'Assistant'],
])
const SPOKEN = new Set(SPEAKERS.keys())

export interface Turn {
  readonly uuid: string
  /** `User: …` or `Assistant: …`, on one line. */
  readonly text: string
  /** The byte at which the next line starts. */
  readonly endOffset: number
  /** False for a last line without a newline. */
  readonly isEnded: boolean
}

export type ReadTurnsOptions = Pick<ReadLogOptions, 'from' | 'to' | 'signal'> & ServedTextOptions

/** The turns of a file in its order, including those that were rewound or compacted since. */
export async function* readTurns(
  { env: environment }: StoreContext,
  path: string,
  options: ReadTurnsOptions = {},
): AsyncGenerator<Turn, void, undefined> {
  const { from, to, signal } = options
  const redact = redactorOf(options)
  let end = { endOffset: 0, isEnded: true }
  const isWanted = (line: Line) => {
    const { byte_offset, length, isEnded } = line
    end = { endOffset: byte_offset + length + (isEnded ? 1 : 0), isEnded }
    return mayHaveType(SPOKEN, line)
  }
  for await (const entry of readLog(path, { from, to, signal, environment, isWanted })) {
    if (entry.kind !== 'event') continue
    const { event } = entry
    // What an undone compaction repeats was said before.
    if (copiedFromOf(event.payload) !== null) continue
    const text = toTurn(event, redact)
    if (text !== undefined) yield { uuid: event.uuid, text, ...end }
  }
}

function toTurn(event: SessionEvent, redact: (text: string) => string): string | undefined {
  const speaker = SPEAKERS.get(event.type)
  // Redacted before its lines are joined: some secrets are recognised by the end of a line.
  const words = speaker === undefined ? '' : toOneLine(redact(wordsOf(findPayload(event))))
  return words === '' ? undefined : `${speaker}: ${words}`
}

/** Claude Code keeps its messages in `message`, among them some that neither side said. */
function findPayload(event: SessionEvent): unknown {
  if (event.payload !== undefined) return event.payload
  const { message, isMeta, isSidechain } = fieldsOf(event)
  return isMeta === true || isSidechain === true ? undefined : message
}

export type TranscriptTextOptions = ServedTextOptions & { signal?: AbortSignal | undefined }

/**
 * One line per turn of the whole conversation: the active branch, uncompacted, with the sessions
 * that this one continues. ERR_NOT_FOUND when there is no such session.
 */
export async function* readTranscriptText(
  store: StoreContext,
  session: string,
  options: TranscriptTextOptions = {},
): AsyncGenerator<string, void, undefined> {
  yield* readConversationText(store, findTranscript(store, session), options)
}

/** The same by the path of a transcript. */
export async function* readConversationText(
  store: StoreContext,
  path: string,
  options: TranscriptTextOptions = {},
): AsyncGenerator<string, void, undefined> {
  const redact = redactorOf(options)
  for await (const { event } of readConversation(store, path, { signal: options.signal })) {
    const text = toTurn(event, redact)
    if (text !== undefined) yield text
  }
}

/** The whole conversation as one string. */
export interface TranscriptText {
  readonly sessionKey: string
  readonly agentId: string
  readonly content: string
}

/** ERR_NOT_FOUND when there is no such session, or it has no turns. */
export async function transcriptText(
  store: StoreContext,
  session: string,
  options: TranscriptTextOptions = {},
): Promise<TranscriptText> {
  const path = findTranscript(store, session)
  const lines: string[] = []
  for await (const text of readConversationText(store, path, options)) lines.push(text)
  if (lines.length === 0) {
    throw new SessionError('ERR_NOT_FOUND', `${path} has no messages yet`, { session, path })
  }
  const info = readSessionInfo(store, path)
  const sessionKey = isUnreadable(info) ? session : info.sessionId
  return { sessionKey, agentId: store.agent, content: lines.join('\n') }
}
