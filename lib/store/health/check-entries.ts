// Checks of names, modes and locks, without reading logs.

import type { Stats } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fieldsOf } from '../../format/fields.js'
import { inspectLock } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { readSmallText } from '../read-small-text.js'
import { notePathOf, type RefusalNote } from '../spool/spool.js'
import type { HeldLock, StoreFinding } from './findings.js'
import type { StoreEntry } from './list-entries.js'

// An atomic write takes milliseconds. No process still writes what is older than this.
const LEFTOVER_AGE_MS = 60 * 60 * 1000

const NOTE_BYTES_MAX = 1024 * 1024
const FOR_OTHERS = 0o077
const OTHERS_MAY_WRITE = 0o002
const STICKY = 0o1000
const OWNER = '.owner'

export function checkEntry(store: StoreContext, entry: StoreEntry): StoreFinding[] {
  return [
    ...checkKind(entry),
    ...checkMode(store, entry),
    ...checkLink(store, entry),
    ...checkLeftover(store, entry),
    ...checkRefused(store, entry),
  ]
}

/** Acknowledged events that are in no log; they stay until a person decides. */
function checkRefused(store: StoreContext, { path, kind }: StoreEntry): StoreFinding[] {
  if (kind !== 'refused') return []
  const { session, reasons } = readNote(store, path)
  const messages = Array.isArray(reasons) ? reasons.map((it) => fieldsOf(it)['message']) : []
  const why = messages.join(' ') || 'the note beside it is missing.'
  const message =
    `events queued for session "${session ?? 'unknown'}" were refused: ${why} ` +
    `Correct the file and move it back into ${dirname(dirname(path))}, or remove it and its note.`
  return [{ code: 'refused', severity: 'warning', path, message }]
}

function readNote(store: StoreContext, path: string): Partial<RefusalNote> {
  try {
    return Object(JSON.parse(readSmallText(store, notePathOf(path), NOTE_BYTES_MAX).toString()))
  } catch {
    return {}
  }
}

/** The root may be a project with a mode of its own; only write access for all users is a problem. */
export function checkRoot(store: StoreContext, path: string): StoreFinding[] {
  const stats = store.env.fs.statSync(path, { throwIfNoEntry: false })
  if (!hasModes(store) || stats === undefined || (stats.mode & STICKY) !== 0) return []
  if ((stats.mode & OTHERS_MAY_WRITE) === 0) return []
  const message = `mode ${modeOf(stats)}: all users may replace what is in it; chmod o-w`
  return [{ code: 'mode', severity: 'error', path, message }]
}

/** A stricter mode than necessary is intended, and is left alone. */
function checkMode(store: StoreContext, { path, kind, stats }: StoreEntry): StoreFinding[] {
  // The mode of a lock only shows how it was created, and the purpose of unknown files is unknown.
  if (!hasModes(store) || kind === 'lock' || kind === 'other' || stats.isSymbolicLink()) return []
  if ((stats.mode & FOR_OTHERS) === 0) return []
  const wanted = stats.isDirectory() ? '700' : '600'
  const message = `mode ${modeOf(stats)}, so other users have access; it should be ${wanted}`
  return [{ code: 'mode', severity: 'warning', path, message, fix: 'chmod' }]
}

/** Something that is not a log or a folder, although its name is that of one. */
function checkKind({ path, kind, stats, problem }: StoreEntry): StoreFinding[] {
  const isLogLike = kind !== 'log' || stats.isFile() || stats.isSymbolicLink()
  const message = problem ?? (isLogLike ? undefined : 'it has the name of a log, but is not a file')
  return message === undefined ? [] : [{ code: 'unreadable', severity: 'error', path, message }]
}

/** Readers follow links, and writers reject them. */
function checkLink(store: StoreContext, { path, kind, stats }: StoreEntry): StoreFinding[] {
  const link = (message: string): StoreFinding[] => [
    { code: 'link', severity: 'warning', path, message },
  ]
  if (kind !== 'log' && kind !== 'folder') return []
  if (stats.isSymbolicLink()) {
    if (isBroken(store, path)) return link('a symbolic link that leads nowhere')
    return kind === 'log' ? link('a symbolic link; it is read, and never written') : []
  }
  if (!stats.isFile() || stats.nlink === 1) return []
  return link(`it has ${stats.nlink} names (hard links); it is read, and never written`)
}

/** Also a link in a circle, or to where this user has no access. */
function isBroken({ env }: StoreContext, link: string): boolean {
  try {
    return env.fs.statSync(link, { throwIfNoEntry: false }) === undefined
  } catch {
    return true
  }
}

function checkLeftover(store: StoreContext, { path, kind, stats }: StoreEntry): StoreFinding[] {
  const isCandidate = kind === 'temporary' || (kind === 'owner' && isWithoutLock(store, path))
  if (!isCandidate || !isOldFile(store, stats)) return []
  const message = `left by an interrupted write, ${stats.mtime.toISOString()}`
  return [{ code: 'leftover', severity: 'warning', path, message, fix: 'remove' }]
}

/** Checked again before it is removed: another process may use the name since. */
export function isStillLeftover(store: StoreContext, path: string): boolean {
  const stats = store.env.fs.lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || !isOldFile(store, stats)) return false
  return !path.endsWith(OWNER) || isWithoutLock(store, path)
}

function isWithoutLock({ env }: StoreContext, ownerPath: string): boolean {
  const lock = ownerPath.slice(0, -OWNER.length)
  return env.fs.lstatSync(lock, { throwIfNoEntry: false }) === undefined
}

function isOldFile({ env }: StoreContext, stats: Stats): boolean {
  return stats.isFile() && stats.nlink === 1 && env.now() - stats.mtimeMs > LEFTOVER_AGE_MS
}

/** The lock if it is held, otherwise what is wrong with it. */
export function checkLock(
  { env }: StoreContext,
  { path }: StoreEntry,
): HeldLock | StoreFinding | undefined {
  const logPath = path.slice(0, -'.lock'.length)
  const { verdict, owner, obstacle } = inspectLock(logPath, { environment: env })
  if (verdict === 'held' && owner !== undefined) {
    return { path: logPath, pid: owner.pid, since: owner.since }
  }
  if (verdict === 'obstructed') {
    const message = `${obstacle} is where the lock of ${basename(logPath)} belongs`
    return { code: 'obstructed', severity: 'error', path, message }
  }
  if (verdict !== 'abandoned') return undefined
  const who = owner === undefined ? 'its owner' : `process ${owner.pid}`
  const message = `${who} is gone; the next writer of ${basename(logPath)} takes it over`
  return { code: 'abandoned_lock', severity: 'info', path, message }
}

/** Windows has access lists instead. */
function hasModes({ env }: StoreContext): boolean {
  return env.host.platform !== 'win32'
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o777).toString(8)
}
