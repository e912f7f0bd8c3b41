// A digest from the bytes of a transcript alone. The file is opened, looked at through its two
// windows and closed; whatever is wrong with it is an answer and not an exception.

import { constants } from 'node:fs'
import type { FileSystem } from '../../environment/index.js'
import { knownTimeOf } from '../../format/fields.js'
import { READ_LINE_BYTES_MAX } from '../../format/index.js'
import { readLogBackwardSync } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { type OpenFile, readWindows, TAIL_BYTES } from './file-windows.js'
import { headerFields } from './header-fields.js'
import { readFirstPrompt, readHeader } from './read-head.js'
import { TailScan } from './read-tail.js'
import type { SessionInfo, Unreadable } from './session-info.js'
import { EventReader } from './skim-events.js'

/** The reason for a file that was there a moment ago. */
export const GONE = 'gone'

// Without O_NONBLOCK, opening a FIFO would wait for its writer forever. Windows has no such flag.
/* v8 ignore next -- @preserve */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** From the bytes of the file alone: equal bytes, equal result. */
export function readTranscriptInfo(store: StoreContext, path: string): SessionInfo | Unreadable {
  return withOpenFile(store, path, (file) => digestBytes(path, file))
}

/** Opens a log for a short look. One that cannot be looked into is an answer, too. */
export function withOpenFile<Found>(
  { env: { fs } }: StoreContext,
  path: string,
  look: (file: OpenFile) => Found,
): Found | Unreadable {
  let fd: number | undefined
  try {
    fd = fs.openSync(path, FLAGS)
    const stats = fs.fstatSync(fd)
    if (stats.isDirectory()) return { path, reason: 'a directory' }
    if (!stats.isFile()) return { path, reason: 'not a regular file' }
    if (stats.size === 0) return { path, reason: 'empty file' }
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
  const { head, header, hasEvent, promptsFrom } = readHeader(file, windows.head, reader)
  const scan = new TailScan()
  scan.scan(tail, reader)
  let isScannedToStart = tail.isFileStart
  if (!scan.hasEvent && !isScannedToStart && hasEvent) {
    isScannedToStart = scanLongLine(scan, path, file)
  }
  if (!scan.hasEvent && !hasEvent) return { path, reason: 'no event in it' }
  const isEmpty = !scan.hasOwnEvent && isScannedToStart
  const { title } = scan
  const prompt = title === undefined ? readFirstPrompt(head, promptsFrom, reader) : null
  const about = headerFields(path, header)
  // Field by field: spreading one object into another of this size takes as long as the reading.
  return {
    sessionId: about.sessionId,
    path,
    title: title?.title ?? prompt,
    titleSource: title?.titleSource ?? (prompt === null ? null : 'prompt'),
    project: about.project,
    projectNormalized: about.projectNormalized,
    kind: about.kind,
    harness: about.harness,
    agentId: about.agentId,
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

function reasonOf(fs: FileSystem, path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM') return `this user may not read it (${code})`
  if (code === 'ENXIO') return 'not a regular file'
  if (code !== 'ENOENT') return `could not be read (${code ?? message})`
  const isLink = fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink ? 'a link to nothing' : GONE
}
