// A digest from the bytes of a transcript alone. The file is opened, looked at through its two
// windows and closed; whatever is wrong with it is an answer and not an exception.

import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs'
import { READ_LINE_BYTES_MAX } from '../format/index.js'
import { readLogBackwardSync } from '../log/index.js'
import type { SessionDigest, Skipped } from './session-digest.js'
import { EventReader, knownTimeOf } from './session-digest-events.js'
import { readFirstPrompt, readHeader } from './session-digest-head.js'
import { headerFields } from './session-digest-header.js'
import { TailScan } from './session-digest-tail.js'
import { readWindows, TAIL_BYTES } from './session-digest-windows.js'

/** The reason for a file that was there a moment ago. */
export const GONE = 'gone'

// Without O_NONBLOCK, opening a FIFO would wait for its writer for ever. Windows has no such flag.
/* v8 ignore next -- @preserve */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** What the bytes of the file tell, and nothing else: equal bytes, equal digest. */
export function digestFile(path: string): SessionDigest | Skipped {
  return lookInto(path, (fd, size) => digestBytes(path, fd, size))
}

/** Opens a log for a short look. One that cannot be looked into is an answer, too. */
export function lookInto<Found>(
  path: string,
  look: (fd: number, size: number) => Found,
): Found | Skipped {
  let fd: number | undefined
  try {
    fd = openSync(path, FLAGS)
    const stats = fstatSync(fd)
    if (stats.isDirectory()) return { path, reason: 'a directory' }
    if (!stats.isFile()) return { path, reason: 'not a regular file' }
    if (stats.size === 0) return { path, reason: 'empty file' }
    return look(fd, stats.size)
  } catch (error) {
    return { path, reason: reasonOf(path, error) }
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function digestBytes(path: string, fd: number, size: number): SessionDigest | Skipped {
  const reader = new EventReader()
  const windows = readWindows(fd, size)
  const { tail } = windows
  const { head, header, hasEvent, promptsFrom } = readHeader(fd, size, windows.head, reader)
  const scan = new TailScan()
  scan.scan(tail, reader)
  let isScannedToStart = tail.isFileStart
  if (!scan.hasEvent && !isScannedToStart && hasEvent) {
    isScannedToStart = scanLongLine(scan, path, size)
  }
  if (!scan.hasEvent && !hasEvent) return { path, reason: 'no event in it' }
  const isEmpty = !scan.hasOwnEvent && isScannedToStart
  const { title } = scan
  const prompt = title === undefined ? readFirstPrompt(head, promptsFrom, reader) : null
  const about = headerFields(path, header)
  // Field by field: spreading one object into another of this size takes as long as the reading.
  return {
    session_id: about.session_id,
    path,
    title: title?.title ?? prompt,
    titleSource: title?.titleSource ?? (prompt === null ? null : 'prompt'),
    project: about.project,
    projectNormalized: about.projectNormalized,
    kind: about.kind,
    harness: about.harness,
    agentId: about.agentId,
    status: isEmpty ? 'empty' : scan.isClosed ? 'clean' : 'crashed',
    isEmpty,
    startedAt: about.startedAt,
    lastActivity: scan.lastActivity ?? knownTimeOf(header?.ts),
    resumedFrom: about.resumedFrom,
    forkedFrom: about.forkedFrom,
    events: scan.events,
    bytes: size,
  }
}

/** For a tail without one whole event: reads on to the nearest. Tells if that is the first line. */
function scanLongLine(scan: TailScan, path: string, size: number): boolean {
  // Behind a longer line than readers take there is nothing to be found in bounded time.
  const from = Math.max(0, size - TAIL_BYTES - READ_LINE_BYTES_MAX)
  for (const entry of readLogBackwardSync(path, { from, to: size })) {
    if (entry.kind === 'event') {
      scan.take(entry.event)
      return entry.byte_offset === 0
    }
    if (entry.kind === 'damage' && entry.byte_offset < size - TAIL_BYTES) return false
  }
  return false
}

function reasonOf(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM') return `this user may not read it (${code})`
  if (code === 'ENXIO') return 'not a regular file'
  if (code !== 'ENOENT') return `could not be read (${code ?? message})`
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink ? 'a link to nothing' : GONE
}
