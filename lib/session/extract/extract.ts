// Returns the text that was added to a session since the last time, for callers that process long
// sessions piece by piece. A piece is committed after it was processed, so work that failed gets the
// same piece again.

import { fieldsOf } from '../../chain/index.js'
import { isSessionError, SessionError } from '../../errors.js'
import { diagnostic, normalizeSessionKey } from '../../format/index.js'
import {
  type AllowedPathOptions,
  findKnownSession,
  isBypassed,
  LogText,
  PlainText,
  readEventsBackward,
  readSmallText,
  readSpool,
  renewClaim,
  resolveAllowedPath,
  type ServedTextOptions,
  type SkippedCall,
  type StoreContext,
  type TextCursor,
  type TextPiece,
  type TextSource,
} from '../../store/index.js'
import { type AppendTranscriptOptions, appendTranscript } from '../record/one-shot.js'

const MIN_CHARS = 500
const MAX_CHARS = 100_000
const CURSORS = new Set(['extract_cursor'])

export interface ExtractOptions
  extends AllowedPathOptions,
    ServedTextOptions,
    Pick<AppendTranscriptOptions, 'durability'> {
  /**
   * The conversation itself, as a text.
   *
   * @default the session's log
   */
  transcript?: string | undefined

  /**
   * A file that holds it: a log (`.jsonl`, also one of Claude Code), or else a plain text.
   *
   * @default none
   */
  transcriptPath?: string | undefined

  /**
   * Less text than this is left for the next time.
   *
   * @default 500
   */
  minChars?: number | undefined

  /**
   * The most text to return. A single longer turn is returned whole.
   *
   * @default 100000
   */
  maxChars?: number | undefined

  /**
   * Renews the claim of this path, and skips a session that another path has claimed.
   *
   * @default none
   */
  runtimePath?: string | undefined
}

/** What a session added since the last extraction. */
export interface ExtractedDelta {
  readonly sessionId: string
  readonly jobId: string
  /** `User: …` and `Assistant: …` lines. */
  readonly text: string
  readonly fromOffset: number
  /** The end of the returned text. */
  readonly toOffset: number
  /** There is more text than `maxChars`. */
  readonly hasMore: boolean
  /** It is one turn that is longer than `maxChars`. */
  readonly oversize: boolean
  /** Call it when the text is processed. Until then the same text is returned again. */
  commit(): Promise<void>
}

export interface SkippedDelta extends SkippedCall {
  readonly skipped: true
  readonly reason: 'no_transcript' | 'bypassed' | 'claimed' | 'too_short' | 'path_refused'
}

interface ExtractCursor extends TextCursor {
  readonly uuid: string | undefined
}

interface Limits {
  readonly minChars: number
  readonly maxChars: number
}

/** Returns the next piece of a session, or why there is none. Renews the claim, never releases it. */
export async function extractDelta(
  store: StoreContext,
  sessionKey: string,
  options: ExtractOptions = {},
): Promise<ExtractedDelta | SkippedDelta> {
  const limits = checkLimits(options)
  const sessionId = findSessionId(store, sessionKey, options)
  if (sessionId === undefined) return { skipped: true, reason: 'no_transcript' }
  if (isBypassed(store, sessionId)) return { skipped: true, reason: 'bypassed' }
  const { runtimePath } = options
  const claim = await renewClaim(store, sessionId, { runtimePath, automatic: true })
  if (claim.skipped) {
    const { claimedBy = '' } = claim
    return { skipped: true, reason: 'claimed', duplicateRuntimePath: true, claimedBy }
  }
  const source = openSource(store, sessionId, options)
  if ('refusal' in source) {
    const file = options.transcriptPath
    const what = `The transcript ${file} is not read: ${source.refusal}`
    store.report(diagnostic('transcript_path_refused', what, { file }))
    return { skipped: true, reason: 'path_refused' }
  }
  try {
    return await extractFrom(store, source, sessionId, { ...options, ...limits })
  } catch (error) {
    if (isSessionError(error, 'ERR_NOT_FOUND')) return { skipped: true, reason: 'no_transcript' }
    throw error
  }
}

async function extractFrom(
  store: StoreContext,
  source: TextSource,
  sessionId: string,
  { minChars, maxChars, durability }: Limits & Pick<ExtractOptions, 'durability'>,
): Promise<ExtractedDelta | SkippedDelta> {
  const cursor = await findCursor(store, sessionId, source.name)
  const fromOffset = findStart(store, source, cursor)
  const { text, chars, last, hasMore } = await readPiece(source, fromOffset, maxChars)
  const isTooShort = chars < minChars && !hasMore
  if (last === undefined || isTooShort) return { skipped: true, reason: 'too_short' }
  const jobId = store.env.newUuid()
  const { offset, last_uuid, check } = source.cursorAfter(last)
  const payload = { offset, last_uuid, delivered_chars: chars, source: source.name, check }
  return {
    sessionId,
    jobId,
    text,
    fromOffset,
    toOffset: last.endOffset,
    hasMore,
    oversize: chars > maxChars,
    commit: async () => {
      const present = await findCursor(store, sessionId, source.name)
      // Another process committed the same text, and more: going back would return it again.
      if (present?.uuid !== cursor?.uuid && (present?.offset ?? 0) >= offset) return
      // Named by its job, so that a second commit adds nothing.
      const event = { type: 'extract_cursor', uuid: jobId, payload }
      await appendTranscript(store, { session_id: sessionId, event }, { durability })
    },
  }
}

/** The text handed in, else the file named, else the transcript of the session; no fallback. */
function openSource(
  store: StoreContext,
  sessionId: string,
  options: ExtractOptions,
): TextSource | { readonly refusal: string } {
  const { transcript, transcriptPath, redact } = options
  if (transcript !== undefined && transcript.trim() !== '') {
    return new PlainText(Buffer.from(transcript), { name: 'inline', isWhole: true, redact })
  }
  if (transcriptPath === undefined) {
    return new LogText(store, store.layout.transcriptPath(sessionId), { redact })
  }
  const allowed = resolveAllowedPath(store, transcriptPath, options)
  if ('refusal' in allowed) return allowed
  const { path } = allowed
  if (path.endsWith('.jsonl')) return new LogText(store, path, { name: path, redact })
  return new PlainText(readSmallText(store, path), { name: path, isWhole: false, redact })
}

/** As many whole turns as fit into `maxChars`; `last` is the last of them. */
async function readPiece(
  source: TextSource,
  from: number,
  maxChars: number,
): Promise<{ text: string; chars: number; last: TextPiece | undefined; hasMore: boolean }> {
  const texts: string[] = []
  let chars = 0
  let last: TextPiece | undefined
  let hasMore = false
  for await (const piece of source.pieces(from)) {
    const added = piece.text.length + (last === undefined ? 0 : 1)
    // One line cannot be split: a cursor is the end of a line.
    const isSameLine = piece.endOffset === last?.endOffset
    hasMore = last !== undefined && !isSameLine && chars + added > maxChars
    if (hasMore) break
    texts.push(piece.text)
    chars += added
    last = piece
  }
  return { text: source.finish(texts.join('\n')), chars, last, hasMore }
}

/** The newest cursor of a source; `undefined` when nothing was extracted from it yet. */
async function findCursor(
  store: StoreContext,
  sessionId: string,
  source: string | undefined,
): Promise<ExtractCursor | undefined> {
  // Spooled events are newer than the transcript.
  for (const event of readSpool(store, sessionId).toReversed()) {
    const cursor = CURSORS.has(event.type) ? toCursor(event, source) : undefined
    if (cursor !== undefined) return cursor
  }
  try {
    const path = store.layout.transcriptPath(sessionId)
    for await (const { event } of readEventsBackward(store, path, CURSORS)) {
      const cursor = toCursor(event, source)
      if (cursor !== undefined) return cursor
    }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
  }
  return undefined
}

function toCursor(
  { uuid, payload }: { uuid?: string | undefined; payload: unknown },
  source: string | undefined,
): ExtractCursor | undefined {
  const fields = fieldsOf(payload)
  const { offset, last_uuid, check } = fields
  if (fields['source'] !== source || !Number.isSafeInteger(offset)) return undefined
  return {
    uuid,
    offset: offset as number,
    last_uuid: typeof last_uuid === 'string' ? last_uuid : null,
    check: typeof check === 'string' ? check : undefined,
  }
}

/** The offset of the cursor; the beginning if no event ends there any more. */
function findStart(
  store: StoreContext,
  source: TextSource,
  cursor: ExtractCursor | undefined,
): number {
  if (cursor === undefined) return 0
  if (source.isAt(cursor)) return cursor.offset
  const { offset, last_uuid } = cursor
  const what = `The text extracted before does not end at byte ${offset}; starting from the beginning`
  const where = { file: source.name, byte_offset: offset, uuid: last_uuid ?? undefined }
  store.report(diagnostic('cursor_mismatch', what, where))
  return 0
}

/** An unknown session may still have a text that is handed in. */
function findSessionId(
  store: StoreContext,
  sessionKey: string,
  { transcript, transcriptPath }: ExtractOptions,
): string | undefined {
  try {
    return findKnownSession(store, sessionKey)
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    const isHandedIn = transcript !== undefined || transcriptPath !== undefined
    return isHandedIn ? normalizeSessionKey(sessionKey) : undefined
  }
}

function checkLimits({ minChars = MIN_CHARS, maxChars = MAX_CHARS }: ExtractOptions): Limits {
  for (const [name, value] of Object.entries({ minChars, maxChars })) {
    if (typeof value !== 'number') throw new TypeError(`${name} must be a number`)
    if (Number.isSafeInteger(value) && value >= 0) continue
    throw new SessionError('ERR_ARG', `${name} must be a non-negative integer`, { [name]: value })
  }
  return { minChars, maxChars }
}
