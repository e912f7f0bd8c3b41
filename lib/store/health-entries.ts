// What the names, modes and locks of a store tell, without a look into its logs.

import { lstatSync, type Stats, statSync } from 'node:fs'
import { basename } from 'node:path'
import { inspectLock } from '../log/index.js'
import type { HeldLock, StoreFinding } from './health.js'
import type { StoreEntry } from './health-folders.js'

// An atomic write takes milliseconds. What is older than this belongs to nobody who still writes.
const LEFTOVER_AGE_MS = 60 * 60 * 1000

const FOR_OTHERS = 0o077
const OTHERS_MAY_WRITE = 0o002
const STICKY = 0o1000

/** Modes mean nothing on Windows: who may read is in its access lists. */
const HAS_MODES = process.platform !== 'win32'

/** What is stricter than it must be was made so by somebody, and is left alone. */
export function checkMode({ path, kind, stats }: StoreEntry): StoreFinding[] {
  // The mode of a lock says how it was made. Of what is not known, nobody can say what it is for.
  if (!HAS_MODES || kind === 'lock' || kind === 'other' || stats.isSymbolicLink()) return []
  if ((stats.mode & FOR_OTHERS) === 0) return []
  const wanted = stats.isDirectory() ? '700' : '600'
  const message = `mode ${modeOf(stats.mode)}, so others can reach it; it should be ${wanted}`
  return [{ code: 'mode', severity: 'warning', path, message, fix: 'chmod' }]
}

/** A root may be somebody's project, so its mode is theirs, unless it lets anybody in. */
export function checkRoot(path: string): StoreFinding[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!HAS_MODES || stats === undefined || (stats.mode & STICKY) !== 0) return []
  if ((stats.mode & OTHERS_MAY_WRITE) === 0) return []
  const message = `mode ${modeOf(stats.mode)}: anybody may replace what lies here; chmod o-w`
  return [{ code: 'mode', severity: 'error', path, message }]
}

/** A name that promises a log or a folder, and something else that stands there. */
export function checkKind({ path, kind, stats, problem }: StoreEntry): StoreFinding[] {
  const isLogLike = kind !== 'log' || stats.isFile() || stats.isSymbolicLink()
  const message = problem ?? (isLogLike ? undefined : 'it has the name of a log, and is no file')
  return message === undefined ? [] : [{ code: 'unreadable', severity: 'error', path, message }]
}

/** Readers follow links, and writers refuse them. */
export function checkLink({ path, kind, stats }: StoreEntry): StoreFinding[] {
  const told = (message: string): StoreFinding[] => [
    { code: 'link', severity: 'warning', path, message },
  ]
  if (kind !== 'log' && kind !== 'folder') return []
  if (stats.isSymbolicLink()) {
    if (leadsNowhere(path)) return told('a symbolic link that leads nowhere')
    return kind === 'log' ? told('a symbolic link; it is read, and never written') : []
  }
  if (!stats.isFile() || stats.nlink === 1) return []
  return told(`it has ${stats.nlink} names (hard links); it is read, and never written`)
}

/** Also in a circle, or to where this user may not look. */
function leadsNowhere(link: string): boolean {
  try {
    return statSync(link, { throwIfNoEntry: false }) === undefined
  } catch {
    return true
  }
}

export function checkLeftover({ path, kind, stats }: StoreEntry, now: number): StoreFinding[] {
  const isRest = kind === 'temporary' || (kind === 'owner' && isWithoutLock(path))
  if (!isRest || !isOldFile(stats, now)) return []
  const message = `left by a process that died in the middle, ${stats.mtime.toISOString()}`
  return [{ code: 'leftover', severity: 'warning', path, message, fix: 'remove' }]
}

/** Judged again before anything is removed: the name may have a new owner since. */
export function isStillLeftover(path: string, now: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || !isOldFile(stats, now)) return false
  return !path.endsWith(OWNER) || isWithoutLock(path)
}

const OWNER = '.owner'

function isWithoutLock(ownerPath: string): boolean {
  return lstatSync(ownerPath.slice(0, -OWNER.length), { throwIfNoEntry: false }) === undefined
}

function isOldFile(stats: Stats, now: number): boolean {
  return stats.isFile() && stats.nlink === 1 && now - stats.mtimeMs > LEFTOVER_AGE_MS
}

export interface LockCheck {
  readonly findings: readonly StoreFinding[]
  readonly held?: HeldLock
}

export function checkLock({ path }: StoreEntry): LockCheck {
  const logPath = path.slice(0, -'.lock'.length)
  const { verdict, owner, obstacle } = inspectLock(logPath)
  if (verdict === 'held' && owner !== undefined) {
    return { findings: [], held: { path: logPath, pid: owner.pid, since: owner.since } }
  }
  if (verdict === 'obstructed') {
    const message = `${obstacle} stands where the lock of ${basename(logPath)} belongs`
    return { findings: [{ code: 'obstructed', severity: 'error', path, message }] }
  }
  if (verdict !== 'abandoned') return { findings: [] }
  const who = owner === undefined ? 'its owner' : `process ${owner.pid}`
  const message = `${who} is gone; the next writer of ${basename(logPath)} takes it over by itself`
  return { findings: [{ code: 'abandoned_lock', severity: 'info', path, message }] }
}

function modeOf(mode: number): string {
  return (mode & 0o777).toString(8)
}
