// One session as a listing shows it, from two short looks into its transcript. Derived each time
// and never saved; the clock of the file system has no say in it. Whatever is wrong with a file is an
// answer and not an exception.

import type { FileSystem } from '../../environment/index.js'
import { isSessionError, SessionError } from '../../errors.js'
import { fieldsOf, knownTimeOf } from '../../format/fields.js'
import { READ_LINE_BYTES_MAX, type SessionEvent } from '../../format/index.js'
import { readLogBackwardSync } from '../../log/index.js'
import { endOfLines, findLease, type Line } from '../../log/internal.js'
import { PACKAGE_NAME } from '../../version.js'
import type { StoreContext } from '../context.js'
import { normalizeProject } from '../projects/normalize-project.js'
import { READ_FLAGS } from '../read-small-text.js'
import { type OpenFile, readWindows, TAIL_BYTES } from './file-windows.js'
import { headerFields } from './header-fields.js'
import { readHeader, readTitlePrompt } from './read-head.js'
import { mayBeMeta, TailScan } from './read-tail.js'
import { EventReader } from './skim-events.js'

export type SessionKind = 'interactive' | 'headless' | 'subagent'

/**
 * - `open`: leased by a living owner
 * - `clean`: a terminator follows its last event
 * - `crashed`: it does not, which is a valid end too
 * - `empty`: no event but headers is on its chain
 */
export type SessionStatus = 'open' | 'clean' | 'crashed' | 'empty'

/** A row of a list of sessions. */
export interface SessionInfo {
  readonly sessionId: string
  readonly path: string
  readonly title: string | null
  /** Whose title it is; `prompt` for the first words of the user. */
  readonly titleSource: 'user' | 'auto' | 'prompt' | null
  /** In the order in which they were added; `null` if it was never tagged. */
  readonly tags: readonly string[] | null
  readonly project: string | null
  readonly projectNormalized: string | null
  readonly kind: SessionKind
  readonly harness: string | null
  readonly agentId: string | null
  /** The session that started this one as a subagent, as its header says. */
  readonly parentSessionKey: string | null
  readonly status: SessionStatus
  /** Nothing was said in it yet. Also an open session can be empty. */
  readonly empty: boolean
  readonly startedAt: string | null
  /** When the newest message was said, or else when anything was recorded. */
  readonly lastActivity: string | null
  readonly resumedFrom: { readonly sessionId: string; readonly tipUuid: string | null } | null
  readonly forkedFrom: { readonly sessionId: string; readonly atUuid: string | null } | null
  /** `null` unless the file has the count or `counts` was set. */
  readonly events: number | null
  readonly bytes: number
}

/** A file that is no transcript one can look into, and why. */
export interface Unreadable {
  readonly path: string
  readonly reason: string
}

export function isUnreadable(digest: object): digest is Unreadable {
  return 'reason' in digest
}

/** Reads each file; one that is gone since it was listed is left out. */
export function readEach<Item, Found extends object>(
  items: Iterable<Item>,
  read: (item: Item) => Found | Unreadable,
): { found: Found[]; skipped: Unreadable[] } {
  const found: Found[] = []
  const skipped: Unreadable[] = []
  for (const item of items) {
    const result = read(item)
    if (!isUnreadable(result)) found.push(result)
    else if (result.reason !== GONE) skipped.push(result)
  }
  return { found, skipped }
}

/** Throws why a file that was named as a transcript is not one. */
export function rejectUnreadable({ env }: StoreContext, { path, reason }: Unreadable): never {
  try {
    endOfLines(path, env)
  } catch (error) {
    // A path that leads through a file leads nowhere.
    if (!isSessionError(error) || error.details['errno'] !== 'ENOTDIR') throw error
  }
  throw new SessionError('ERR_NOT_FOUND', `${path} is not a transcript (${reason})`, { path })
}

/**
 * Reads the first 4 KiB and the last 64 KiB, and the first 64 KiB where no prompt is in the former.
 * Never throws for what it finds there.
 */
export function readSessionInfo(
  store: StoreContext,
  path: string,
  hasLock = store.env.fs.existsSync(`${path}.lock`),
): SessionInfo | Unreadable {
  const info = readTranscriptInfo(store, path)
  return isUnreadable(info) ? info : withSurroundings(store, info, hasLock)
}

/** Adds what the file does not say: whether a process has it open, and where the project is. */
export function withSurroundings(
  store: StoreContext,
  info: SessionInfo,
  hasLock: boolean,
  normalize?: (project: string) => string,
): SessionInfo {
  const status = hasLock && isLeased(store, info.path) ? 'open' : info.status
  const projectNormalized = projectOf(store, info, normalize)
  const isSame = status === info.status && projectNormalized === info.projectNormalized
  return isSame ? info : { ...info, status, projectNormalized }
}

/** The recorded spelling, or that of the folder as it is now. */
export function projectOf(
  store: StoreContext,
  { project, projectNormalized }: Pick<SessionInfo, 'project' | 'projectNormalized'>,
  normalize = (path: string) => normalizeProject(store, path),
): string | null {
  return projectNormalized ?? (project === null ? null : normalize(project))
}

/** Whether a living process has the log open. */
export function isLeased({ env }: StoreContext, path: string): boolean {
  return findLease(path, env) !== undefined
}

// Reading this much takes a few hundredths of a second, and only for logs of other writers.
const META_BYTES_MAX = 32 * 1024 * 1024

/** The reason for a file that was there a moment ago. */
export const GONE = 'gone'

/** From the bytes of the file alone: equal bytes, equal result. */
export function readTranscriptInfo(store: StoreContext, path: string): SessionInfo | Unreadable {
  return withOpenFile(store, path, (file) => digestBytes(path, file), { mayBeEmpty: true })
}

/** Opens a log for a short look. One that cannot be looked into is an answer, too. */
export function withOpenFile<Found>(
  { env: { fs } }: StoreContext,
  path: string,
  look: (file: OpenFile) => Found,
  { mayBeEmpty = false } = {},
): Found | Unreadable {
  let fd: number | undefined
  try {
    fd = fs.openSync(path, READ_FLAGS)
    const stats = fs.fstatSync(fd)
    if (stats.isDirectory()) return { path, reason: 'a directory' }
    if (!stats.isFile()) return { path, reason: 'not a regular file' }
    if (stats.size === 0 && !mayBeEmpty) return { path, reason: 'empty file' }
    return look({ fs, fd, size: stats.size })
  } catch (error) {
    return { path, reason: reasonOf(fs, path, error) }
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

function digestBytes(path: string, file: OpenFile): SessionInfo | Unreadable {
  const { size } = file
  const reader = new EventReader()
  const windows = readWindows(file)
  const { tail } = windows
  const start = readHeader(file, windows.head, reader)
  const { header, hasEvent } = start
  const scan = new TailScan()
  scan.scan(tail, reader)
  let isScannedToStart = tail.isFileStart
  if (!scan.hasEvent && !isScannedToStart && hasEvent) {
    isScannedToStart = scanLongLine(scan, path, file)
  }
  // An empty file is a session whose process ended before the header was written.
  if (!scan.hasEvent && !hasEvent && size > 0) return { path, reason: 'no event in it' }
  const isEmpty = !scan.hasOwnEvent && isScannedToStart
  if (scan.isMetaOpen && !tail.isFileStart && isForeign(header)) findOlderMeta(scan, path, file)
  const { title } = scan
  const prompt = title === undefined ? readTitlePrompt(file, start, tail, reader) : null
  const about = headerFields(path, header)
  // Field by field: spreading one object into another of this size takes as long as the reading.
  return {
    sessionId: about.sessionId,
    path,
    title: title?.title ?? prompt,
    titleSource: title?.titleSource ?? (prompt === null ? null : 'prompt'),
    tags: scan.tags,
    project: about.project,
    projectNormalized: about.projectNormalized,
    kind: about.kind,
    harness: about.harness,
    agentId: about.agentId,
    parentSessionKey: about.parentSessionKey,
    status: isEmpty ? 'empty' : scan.isClosed ? 'clean' : 'crashed',
    empty: isEmpty,
    startedAt: about.startedAt,
    lastActivity: scan.lastActivity ?? knownTimeOf(header?.ts),
    resumedFrom: about.resumedFrom,
    forkedFrom: about.forkedFrom,
    events: scan.events,
    bytes: size,
  }
}

/** For a tail without a whole event: reads back to the nearest. True if that is the first line. */
function scanLongLine(scan: TailScan, path: string, { fs, size }: OpenFile): boolean {
  // Behind a longer line than readers take there is nothing to be found in bounded time.
  const from = Math.max(0, size - TAIL_BYTES - READ_LINE_BYTES_MAX)
  for (const entry of readLogBackwardSync(path, { from, to: size, environment: { fs } })) {
    if (entry.kind === 'event') {
      scan.add(entry.event)
      return entry.byte_offset === 0
    }
    if (entry.kind === 'damage' && entry.byte_offset < size - TAIL_BYTES) return false
  }
  return false
}

/** Our writers repeat title and tags while a log grows; other writers need not. */
function isForeign(header: SessionEvent | undefined): boolean {
  return fieldsOf(fieldsOf(header?.payload)['lib'])['name'] !== PACKAGE_NAME
}

function findOlderMeta(scan: TailScan, path: string, { fs, size }: OpenFile): void {
  const from = Math.max(0, size - META_BYTES_MAX)
  const isWanted = ({ bytes, start, end }: Line) => mayBeMeta(bytes, start, end)
  for (const entry of readLogBackwardSync(path, {
    from,
    to: size,
    isWanted,
    environment: { fs },
  })) {
    if (entry.kind === 'event') scan.addMeta(entry.event)
    if (!scan.isMetaOpen) return
  }
}

function reasonOf(fs: FileSystem, path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM') return `permission denied (${code})`
  if (code === 'ENXIO') return 'not a regular file'
  if (code !== 'ENOENT') return `cannot be read (${code ?? message})`
  const isLink = fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink ? 'a link to nothing' : GONE
}
