// What was said since the last time, for whoever digests long sessions piece by piece. It is
// handed out first and committed afterwards, so work that failed is handed out again.

import { isSessionError, SessionError } from '../errors.js'
import { diagnostic, normalizeSessionKey } from '../format/index.js'
import { newUuid } from '../log/index.js'
import {
  findKnownSession,
  isBypassed,
  layoutOf,
  renewClaim,
  type SkippedCall,
  type TextCursor,
  type TextSource,
} from '../store/index.js'
import { type AppendTranscriptOptions, append_transcript } from './append-transcript.js'
import { type ExtractCursor, findExtractCursor } from './extract-cursor.js'
import { readSlice } from './extract-slice.js'
import { type ExtractSourceOptions, extractSourceOf } from './extract-source.js'

const MIN_CHARS = 500
const MAX_CHARS = 100_000

export interface ExtractOptions extends AppendTranscriptOptions, ExtractSourceOptions {
  /**
   * Less than this is left for the next time.
   *
   * @default 500
   */
  minChars?: number | undefined

  /**
   * At most so much at a time. One turn that is longer comes whole.
   *
   * @default 100000
   */
  maxChars?: number | undefined

  /** Keeps the claim of this path alive, and leaves a session alone that another path has. */
  runtimePath?: string | undefined
}

export interface ExtractedDelta {
  readonly sessionKey: string
  readonly jobId: string
  /** `User: …` and `Assistant: …` lines. */
  readonly text: string
  readonly fromOffset: number
  /** Up to here it was handed out, and no further. */
  readonly toOffset: number
  /** There is more than fitted. */
  readonly hasMore: boolean
  /** It is one turn that is longer than was asked for. */
  readonly isOversize: boolean
  /** Call it when the text is dealt with. Until then the same text is handed out again. */
  commit(): Promise<void>
}

export interface SkippedDelta extends SkippedCall {
  readonly skipped: true
  readonly reason: 'no_transcript' | 'bypassed' | 'claimed' | 'too_short' | 'path_refused'
}

/** The next piece of a session, or why there is none. The claim is renewed and never released. */
export async function extractDelta(
  sessionKey: string,
  options: ExtractOptions = {},
): Promise<ExtractedDelta | SkippedDelta> {
  const limits = limitsOf(options)
  const sessionId = findSessionId(sessionKey, options)
  if (sessionId === undefined) return { skipped: true, reason: 'no_transcript' }
  if (isBypassed(sessionId, options)) return { skipped: true, reason: 'bypassed' }
  const claim = await renewClaim(sessionId, { ...options, isAutomatic: true })
  if (claim.skipped) {
    const { claimedBy = '' } = claim
    return { skipped: true, reason: 'claimed', duplicateRuntimePath: true, claimedBy }
  }
  const source = extractSourceOf(sessionId, options)
  if ('refusal' in source) {
    const file = options.transcriptPath
    const what = `The transcript ${file} is not read: ${source.refusal}`
    options.onDiagnostic?.(diagnostic('transcript_path_refused', what, { file }))
    return { skipped: true, reason: 'path_refused' }
  }
  try {
    return await extractFrom(source, sessionId, { ...options, ...limits })
  } catch (error) {
    if (isSessionError(error, 'ERR_NOT_FOUND')) return { skipped: true, reason: 'no_transcript' }
    throw error
  }
}

async function extractFrom(
  source: TextSource,
  sessionId: string,
  options: ExtractOptions & Limits,
): Promise<ExtractedDelta | SkippedDelta> {
  const { minChars, maxChars } = options
  const cursor = await findExtractCursor(layoutOf(options), sessionId, source.name)
  const fromOffset = startOf(source, cursor, options)
  const { text, chars, last, hasMore } = await readSlice(source, fromOffset, maxChars)
  const isTooShort = chars < minChars && !hasMore
  if (last === undefined || isTooShort) return { skipped: true, reason: 'too_short' }
  const jobId = options.environment?.newUuid?.() ?? newUuid()
  const end = { ...source.cursorAfter(last), delivered_chars: chars }
  return {
    sessionKey: sessionId,
    jobId,
    text,
    fromOffset,
    toOffset: last.endOffset,
    hasMore,
    isOversize: chars > maxChars,
    commit: () => commitCursor(end, { jobId, sessionId, source: source.name, cursor }, options),
  }
}

/** Where to go on; at the beginning when that place is not there any more. */
function startOf(
  source: TextSource,
  cursor: ExtractCursor | undefined,
  { onDiagnostic }: ExtractOptions,
): number {
  if (cursor === undefined) return 0
  if (source.isAt(cursor)) return cursor.offset
  const { offset, last_uuid } = cursor
  const what = `Nothing that was extracted before ends at byte ${offset}; it starts anew`
  const where = { file: source.name, byte_offset: offset, uuid: last_uuid ?? undefined }
  onDiagnostic?.(diagnostic('cursor_mismatch', what, where))
  return 0
}

interface Job {
  readonly jobId: string
  readonly sessionId: string
  readonly source: string | undefined
  /** The one that the job started from. */
  readonly cursor: ExtractCursor | undefined
}

/** By the name of its job, so that committing twice is committing once. */
async function commitCursor(
  end: TextCursor & { readonly delivered_chars: number },
  { jobId, sessionId, source, cursor }: Job,
  options: ExtractOptions,
): Promise<void> {
  const present = await findExtractCursor(layoutOf(options), sessionId, source)
  // Somebody else extracted the same meanwhile, and more: going back would hand it out again.
  const isOvertaken = present?.uuid !== cursor?.uuid && (present?.offset ?? 0) >= end.offset
  if (isOvertaken) return
  const { offset, last_uuid, delivered_chars, check } = end
  const payload = { offset, last_uuid, delivered_chars, source, check }
  const { root, home, agent, durability, lockTimeoutMs, useKernelLock } = options
  const { onDiagnostic, environment } = options
  await append_transcript(
    { session_id: sessionId, event: { type: 'extract_cursor', uuid: jobId, payload } },
    { root, home, agent, durability, lockTimeoutMs, useKernelLock, onDiagnostic, environment },
  )
}

/** A session that is not there may still have a text that is handed in. */
function findSessionId(sessionKey: string, options: ExtractOptions): string | undefined {
  try {
    return findKnownSession(sessionKey, options)
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    const isHandedIn = options.transcript !== undefined || options.transcriptPath !== undefined
    return isHandedIn ? normalizeSessionKey(sessionKey) : undefined
  }
}

interface Limits {
  readonly minChars: number
  readonly maxChars: number
}

function limitsOf({ minChars = MIN_CHARS, maxChars = MAX_CHARS }: ExtractOptions): Limits {
  for (const [name, value] of Object.entries({ minChars, maxChars })) {
    if (typeof value !== 'number') throw new TypeError(`${name} must be a number`)
    if (Number.isSafeInteger(value) && value >= 0) continue
    throw new SessionError('ERR_ARG', `${name} must be a whole number from 0`, { [name]: value })
  }
  return { minChars, maxChars }
}
