// What the model would see of a session, over all the files it was continued through.
//
// A session that was resumed names its parent and the event it continues. Its projection starts
// with the parent's at that event; a parent that is gone leaves a gap that is reported, and
// sessions that name each other in a circle end it.

import { dirname } from 'node:path'
import {
  EMPTY_START,
  fieldsOf,
  isGap,
  type LogProjection,
  lostStart,
  offsetBaseOf,
  type PlacedEvent,
  type ProjectionStart,
  projectLog,
} from '../../chain/index.js'
import { isSessionError, SessionError } from '../../errors.js'
import { textOf } from '../../format/fields.js'
import { type Diagnostic, diagnostic, isHeaderType, type SessionEvent } from '../../format/index.js'
import { type Line, readLogBackwardSync, readLogSync } from '../../log/index.js'
import { materialize } from '../../log/internal.js'
import { idOfFileName } from '../catalog/header-fields.js'
import type { StoreContext } from '../context.js'
import { LOG_EXTENSION } from '../list-logs.js'
import { type LoadOptions, readSessionTail, type SessionTail } from './read-tail.js'

export interface LoadedSession {
  readonly path: string
  readonly log: LogProjection
  /** The file's own header; `undefined` when it is damaged or missing. */
  readonly header: SessionEvent | undefined
  /** What the fold of this file began with. */
  readonly start: ProjectionStart | undefined
  /** What the fold of a session that continues this one begins with. */
  readonly continuation: ProjectionStart
  /** What was read of this file. */
  readonly events: readonly PlacedEvent[]
  /** Everything before this byte was not read. */
  readonly readFrom: number
  readonly offsetBase: number
  /** Of the lines, the links and the fold, of what was read. */
  readonly diagnostics: readonly Diagnostic[]
}

const HEADERS_BYTES = 4 * 1024

export function loadSession(
  store: StoreContext,
  path: string,
  options: LoadOptions = {},
): LoadedSession {
  const { at: _, revisions: __, ...reading } = options
  const files: OpenFile[] = []
  const visited = new Set<string>()
  let start: ProjectionStart = EMPTY_START
  for (let next: Step | undefined = { path, ...options }; next !== undefined; ) {
    if (visited.has(next.path)) {
      start = lostStart(next.path, 'lineage_cycle', `${next.path} continues itself`)
      break
    }
    visited.add(next.path)
    const file: OpenFile | string = readStep(store, next, files.length === 0)
    if (typeof file === 'string') {
      start = lostStart(next.path, 'parent_session_missing', file)
      break
    }
    files.push(file)
    const parent = file.tail.result === undefined ? parentOf(file.headers) : undefined
    // It continues a session without events.
    if (parent === undefined || parent.tipUuid === null) break
    const parentPath = findParent(store, parent)
    if (parentPath === undefined) {
      const message = `The session ${parent.sessionId}, which this one continues, is not there`
      start = lostStart(next.path, 'parent_session_missing', message)
    }
    const { tipUuid: tip, tipOffset: atOffset } = parent
    next =
      parentPath === undefined ? undefined : { ...reading, path: parentPath, at: tip, atOffset }
  }
  return foldDown(files, start)
}

type Step = LoadOptions & {
  readonly path: string
  /** Where the event `at` was when a session was continued from it. */
  readonly atOffset?: number | undefined
}

interface OpenFile {
  readonly step: Step
  readonly headers: readonly PlacedEvent[]
  readonly offsetBase: number
  readonly tail: SessionTail
}

/** Of an ancestor that is no file at all, or no longer one, only why it cannot be read. */
function readStep(store: StoreContext, step: Step, isOwn: boolean): OpenFile | string {
  try {
    const headers = readHeaders(store, step.path)
    const offsetBase = offsetBaseOf(headers)
    return { step, headers, offsetBase, tail: readSessionTail(store, step, offsetBase) }
  } catch (error) {
    const isNoFile =
      isSessionError(error, 'ERR_UNSAFE_PATH') || isSessionError(error, 'ERR_NOT_FOUND')
    if (isOwn || !isNoFile) throw error
    return error.message
  }
}

// Most headers are short, and what the tail needs anyway finds them; only where nothing else
// follows them there, as in a fork of many forks, is more of the file read for them.
export function readHeaders(store: StoreContext, path: string): PlacedEvent[] {
  const first: PlacedEvent[] = []
  const isWanted = ({ isEnded }: Line) => isEnded
  const range = { to: HEADERS_BYTES, lazyPayloads: true, isWanted, environment: store.env }
  for (const entry of readLogBackwardSync(path, range))
    if (entry.kind === 'event') first.push(entry)
  const headers = leadingHeaders(first.reverse())
  return headers.length < first.length ? headers : leadingHeaders(eventsFromStart(store, path))
}

function* eventsFromStart({ env }: StoreContext, path: string): Generator<PlacedEvent> {
  for (const entry of readLogSync(path, { environment: env }))
    if (entry.kind === 'event') yield entry
}

/** From the oldest ancestor that was needed down to the session itself. */
function foldDown(files: readonly OpenFile[], first: ProjectionStart): LoadedSession {
  let start = first
  for (const [index, file] of files.toReversed().entries()) {
    const { step, tail, offsetBase } = file
    const { path: name, at, revisions } = step
    const isOwn = index === files.length - 1
    const result =
      tail.result ?? projectLog(tail.events, { file: name, start, at, revisions, offsetBase })
    // What the model sees must not go with the file.
    if (tail.isScanned) materialize(seenIn(result))
    const isMissing = at !== undefined && result.walk.path.length === 0
    if (isOwn) {
      if (isMissing) throw notFound(at, name)
      return loaded(file, result, tail.result === undefined ? start : undefined)
    }
    start = isMissing
      ? (continuationBefore(file, start) ??
        lostStart(name, 'parent_session_missing', `${name} does not hold the event "${at}"`))
      : continuationOf(file, result)
  }
  throw new TypeError('A session has at least its own file')
}

/**
 * What a session inherits when the line of the event it continues cannot be read: everything before
 * that line. `undefined` if that line is another event, or nothing precedes it.
 */
function continuationBefore(file: OpenFile, start: ProjectionStart): ProjectionStart | undefined {
  const { step, tail, offsetBase } = file
  const { path: name, at, atOffset } = step
  const isAtOffset = ({
    byte_offset = 0,
    length = 0,
  }: Pick<Diagnostic, 'byte_offset' | 'length'>) =>
    byte_offset <= atOffset! && atOffset! < byte_offset + length
  if (atOffset === undefined || tail.events.some(isAtOffset)) return undefined
  const before = tail.events.filter(({ byte_offset }) => byte_offset < atOffset)
  const last = projectLog(before, { file: name, start, offsetBase }).path.at(-1)
  if (last === undefined) return undefined
  const result = projectLog(tail.events, { file: name, start, at: last.event.uuid, offsetBase })
  if (tail.isScanned) materialize(seenIn(result))
  const { entries, diagnostics, ...rest } = continuationOf(file, result)
  const what = `The event "${at}" of ${name} cannot be read; what precedes it is continued`
  return {
    ...rest,
    entries: [...entries, { kind: 'missing', file: name }],
    diagnostics: [
      ...diagnostics,
      ...tail.diagnostics.filter(isAtOffset),
      diagnostic('parent_event_missing', what, { file: name, byte_offset: atOffset, uuid: at }),
    ],
  }
}

function* seenIn({ projection }: LogProjection): Generator<SessionEvent> {
  for (const entry of projection.continuation.entries) if (!isGap(entry)) yield entry.event
}

/** With what was tolerated up to there; later findings do not concern a continuation. */
function continuationOf(
  file: OpenFile,
  { walk, path, projection }: LogProjection,
): ProjectionStart {
  const { step, tail } = file
  const { continuation } = projection
  const end = path.at(-1)?.byte_offset ?? 0
  const before = [...tail.diagnostics, ...walk.findings]
    .filter(({ byte_offset = 0 }) => byte_offset <= end)
    .map((it) => ({ ...it, file: it.file ?? step.path }))
  const diagnostics = [...before, ...continuation.diagnostics]
  return { ...continuation, diagnostics }
}

function loaded(
  file: OpenFile,
  result: LogProjection,
  start: ProjectionStart | undefined,
): LoadedSession {
  const { step, headers, offsetBase, tail } = file
  const { findings } = result.walk
  return {
    path: step.path,
    log: result,
    header: headers[0]?.event,
    start,
    get continuation() {
      return continuationOf(file, result)
    },
    events: tail.events,
    readFrom: tail.readFrom,
    offsetBase,
    diagnostics: [...tail.diagnostics, ...findings, ...result.projection.diagnostics].map((it) => ({
      ...it,
      file: it.file ?? step.path,
    })),
  }
}

interface Lineage {
  readonly sessionId: string
  /** `null`: there was no event to continue. `undefined`, by another writer: the tip. */
  readonly tipUuid: string | null | undefined
  readonly tipOffset?: number | undefined
  readonly transcriptPath?: string | undefined
}

/** The session that the root of these headers continues. */
export function parentOf(headers: readonly PlacedEvent[]): Lineage | undefined {
  const { resumed_from } = fieldsOf(headers.at(-1)?.event.payload)
  const { session_id, tip_uuid, tip_offset, transcript_path } = fieldsOf(resumed_from)
  if (typeof session_id !== 'string') return undefined
  return {
    sessionId: session_id,
    tipUuid: tip_uuid === null || tip_uuid === undefined ? tip_uuid : String(tip_uuid),
    tipOffset: typeof tip_offset === 'number' ? tip_offset : undefined,
    transcriptPath: typeof transcript_path === 'string' ? transcript_path : undefined,
  }
}

// By its id in the same store. The stored path is for people; it is followed only to a transcript of
// the same folder, because a forged one could name a session of another agent.
export function findParent({ env, layout }: StoreContext, parent: Lineage): string | undefined {
  const { existsSync } = env.fs
  const path = pathOf(parent.sessionId, layout)
  if (path !== undefined && existsSync(path)) return path
  const named = parent.transcriptPath
  if (named === undefined || !named.endsWith(LOG_EXTENSION)) return undefined
  return dirname(named) === layout.transcripts && existsSync(named) ? named : undefined
}

/** A header may hold anything, also an invalid id. */
function pathOf(sessionId: string, layout: StoreContext['layout']): string | undefined {
  try {
    return layout.transcriptPath(sessionId)
  } catch (error) {
    if (isSessionError(error, 'ERR_ARG')) return undefined
    throw error
  }
}

function notFound(at: string, path: string): SessionError {
  return new SessionError('ERR_NOT_FOUND', `No event "${at}" on the chain of ${path}`, { at, path })
}

/** The headers a file begins with: its own first, in a fork followed by those of its source. */
function leadingHeaders(events: Iterable<PlacedEvent>): PlacedEvent[] {
  const headers: PlacedEvent[] = []
  for (const placed of events) {
    if (!isHeaderType(placed.event.type)) break
    headers.push(placed)
  }
  return headers
}

interface SessionLineage {
  readonly sessionId: string
  /** Whose projection it starts with. */
  readonly resumedFrom: Lineage | undefined
  /** Of a fork, its source and the sources of that. */
  readonly sources: readonly string[]
  /** Where and when they were forked. */
  readonly forks: readonly ForkPoint[]
  /** When the file began, as its root says; NaN where that is not known. */
  readonly resumedAt: number
}

export interface ForkPoint {
  readonly sessionId: string
  readonly atUuid: string
  readonly forkedAt: number
}

/** Reads the headers. Of a transcript that cannot be read only its name is known. */
export function readLineage(store: StoreContext, path: string): SessionLineage {
  const headers = headersOf(store, path)
  const payloads = headers.map(({ event }) => fieldsOf(event.payload))
  const own = textOf(payloads[0]?.['session_id']) ?? idOfFileName(path)
  const ids = payloads.flatMap((header) => [
    textOf(header['session_id']),
    textOf(fieldsOf(header['forked_from'])['session_id']),
  ])
  const sources = new Set(ids.filter((id) => id !== null && id !== own) as string[])
  const forks = headers.flatMap(({ event }) => {
    const { session_id, at_uuid } = fieldsOf(fieldsOf(event.payload)['forked_from'])
    const [sessionId, atUuid] = [textOf(session_id), textOf(at_uuid)]
    if (sessionId === null || atUuid === null) return []
    return { sessionId, atUuid, forkedAt: Date.parse(event.ts) }
  })
  const resumedAt = Date.parse(headers.at(-1)?.event.ts ?? '')
  const resumedFrom = parentOf(headers)
  return { sessionId: own, resumedFrom, resumedAt, sources: [...sources], forks }
}

function headersOf(store: StoreContext, path: string) {
  try {
    return readHeaders(store, path)
  } catch (error) {
    if (!isSessionError(error)) throw error
    return []
  }
}
