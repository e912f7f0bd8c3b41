// A transcript as a conversation to read: what the two said, turn by turn, without tools, system
// text and summaries. Made when it is asked for; the log stays as it is.

import { wordsOf } from '../chain/index.js'
import { SessionError } from '../errors.js'
import type { SessionEvent } from '../format/index.js'
import { type Line, type ReadLogOptions, readLog } from '../log/index.js'
import { DEFAULT_AGENT, type StoreOptions } from './layout.js'
import { onOneLine, redactorOf, type ServedTextOptions } from './served-text.js'
import { digestTranscript, isSkipped } from './session-digest.js'
import { fieldsOf } from './session-digest-events.js'
import { findTranscript } from './transcripts.js'
import { mayBeOneOf } from './wanted-lines.js'

const SPEAKERS: ReadonlyMap<string, string> = new Map([
  ['user', 'User'],
  ['assistant', 'Assistant'],
])
const SPOKEN = new Set(SPEAKERS.keys())

export interface Turn {
  readonly uuid: string
  /** `User: …` or `Assistant: …`, on one line. */
  readonly text: string
  readonly byte_offset: number
  /** Where the line after it starts. */
  readonly endOffset: number
  /** False for a last line whose newline is not there yet. */
  readonly isEnded: boolean
}

export type ReadTurnsOptions = Pick<ReadLogOptions, 'from' | 'to' | 'signal'> & ServedTextOptions

/** The turns of a file in its order, also those that were rewound or compacted since. */
export async function* readTurns(
  path: string,
  options: ReadTurnsOptions = {},
): AsyncGenerator<Turn, void, undefined> {
  const { from, to, signal } = options
  const redact = redactorOf(options)
  let place = { endOffset: 0, isEnded: true }
  const isWanted = (line: Line) => {
    const { byte_offset, length, isEnded } = line
    place = { endOffset: byte_offset + length + (isEnded ? 1 : 0), isEnded }
    return mayBeOneOf(SPOKEN, line)
  }
  for await (const entry of readLog(path, { from, to, signal, isWanted })) {
    if (entry.kind !== 'event') continue
    const { event, byte_offset } = entry
    const speaker = SPEAKERS.get(event.type)
    // Redacted before its lines are joined: some secrets are known by where a line ends.
    const words = speaker === undefined ? '' : onOneLine(redact(wordsOf(saidIn(event))))
    if (words === '') continue
    yield { uuid: event.uuid, text: `${speaker}: ${words}`, byte_offset, ...place }
  }
}

/** Claude Code keeps what was said in `message`, and among it what nobody said. */
function saidIn(event: SessionEvent): unknown {
  if (event.payload !== undefined) return event.payload
  const { message, isMeta, isSidechain } = fieldsOf(event)
  return isMeta === true || isSidechain === true ? undefined : message
}

export type TranscriptTextOptions = StoreOptions &
  ServedTextOptions & { signal?: AbortSignal | undefined }

/** One line per turn. ERR_NOT_FOUND when there is no such session. */
export async function* readTranscriptText(
  session: string,
  options: TranscriptTextOptions = {},
): AsyncGenerator<string, void, undefined> {
  for await (const { text } of readTurns(findTranscript(session, options), options)) yield text
}

/** The seed's shape: the whole conversation as one string. */
export interface TranscriptText {
  readonly sessionKey: string
  readonly agentId: string
  readonly content: string
}

/** ERR_NOT_FOUND when there is no such session, or nothing was said in it. */
export async function transcriptText(
  session: string,
  options: TranscriptTextOptions = {},
): Promise<TranscriptText> {
  const path = findTranscript(session, options)
  const lines: string[] = []
  for await (const { text } of readTurns(path, options)) lines.push(text)
  if (lines.length === 0) {
    throw new SessionError('ERR_NOT_FOUND', `Nothing was said in ${path} yet`, { session, path })
  }
  const digest = digestTranscript(path)
  return {
    sessionKey: isSkipped(digest) ? session : digest.session_id,
    agentId: options.agent ?? DEFAULT_AGENT,
    content: lines.join('\n'),
  }
}
