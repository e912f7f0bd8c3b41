// The moving itself: whole files and folders, by rename, and never over anything. A session is
// where its transcript is; so that goes first when it leaves and last when it comes back, and
// whatever a killed process left behind is found by looking.

import { existsSync, fstatSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isSessionError, toSessionError } from '../errors.js'
import { type LockedLogOptions, withLockedLog } from '../log/index.js'
import { createFolder, syncFolder } from '../log/inside.js'
import type { Layout } from './layout.js'
import type { KeptCode } from './retention-guards.js'
import { foldersOf, type RetentionPlace, type SessionUnit } from './retention-units.js'

export type MoveOptions = Pick<LockedLogOptions, 'lockTimeoutMs' | 'useKernelLock' | 'environment'>

/** Why it was not moved; `undefined`: it was. */
export type MoveRefusal = { readonly code: KeptCode; readonly reason: string } | undefined

const TAKEN = { code: 'taken', reason: 'a session of that id lies there already' } as const
const CHANGED = { code: 'changed', reason: 'somebody wrote to it meanwhile' } as const

/** Out of the store, under the lock of its transcript. */
export async function putAway(
  unit: SessionUnit,
  to: Exclude<RetentionPlace, 'store'>,
  layout: Layout,
  options: MoveOptions,
): Promise<MoveRefusal> {
  const target = targetOf(unit, to, layout)
  const before = statSync(unit.path, { throwIfNoEntry: false })
  if (before === undefined) return { code: 'changed', reason: 'it is gone' }
  return underLock(unit.path, options, ({ fd, size }) => {
    // Whoever comes too late has just made an empty file by locking it.
    if (fstatSync(fd).ino !== before.ino && size === 0) rmSync(unit.path, { force: true })
    if (fstatSync(fd).ino !== before.ino || size !== unit.digest.bytes) return CHANGED
    if (existsSync(target)) return TAKEN
    move(unit.path, target)
    moveRest(unit, to, layout)
    return undefined
  })
}

/** Into the store, under the lock of the name it gets there. */
export async function bringBack(
  unit: SessionUnit,
  layout: Layout,
  options: MoveOptions,
): Promise<MoveRefusal> {
  const target = targetOf(unit, 'store', layout)
  return underLock(target, options, ({ size }) => {
    if (size > 0) return TAKEN
    moveRest(unit, 'store', layout)
    // Over the empty file that stands for the lock, and over nothing else.
    move(unit.path, target)
    return undefined
  })
}

/** What belongs to a session follows it; what somebody else has moved meanwhile is there. */
export function moveRest(
  { sidechains, fileHistory }: Pick<SessionUnit, 'sidechains' | 'fileHistory'>,
  to: RetentionPlace,
  layout: Layout,
): void {
  const folders = foldersOf(layout, to)
  for (const path of sidechains) moveIfFree(path, join(folders.sidechains, basename(path)))
  if (fileHistory === undefined) return
  moveIfFree(fileHistory, join(folders.fileHistory, basename(fileHistory)))
}

/** For good. The transcript goes last: as long as it is there, the rest can be found again. */
export function removeUnit({ path, sidechains, fileHistory }: SessionUnit): void {
  try {
    for (const child of sidechains) rmSync(child, { force: true })
    if (fileHistory !== undefined) rmSync(fileHistory, { recursive: true, force: true })
    rmSync(path, { force: true })
    syncFolder(path)
  } catch (cause) {
    throw toSessionError(cause, 'remove', path)
  }
}

function targetOf({ path }: SessionUnit, to: RetentionPlace, layout: Layout): string {
  return join(foldersOf(layout, to).transcripts, basename(path))
}

async function underLock(
  path: string,
  options: MoveOptions,
  step: (log: { readonly fd: number; readonly size: number }) => MoveRefusal,
): Promise<MoveRefusal> {
  try {
    return await withLockedLog(path, options, step)
  } catch (error) {
    if (!isSessionError(error, 'ERR_LOCKED')) throw error
    return { code: 'open', reason: error.message }
  }
}

function moveIfFree(from: string, to: string): void {
  if (existsSync(from) && !existsSync(to)) move(from, to)
}

function move(from: string, to: string): void {
  try {
    createFolder(dirname(to))
    renameSync(from, to)
  } catch (cause) {
    throw toSessionError(cause, 'move', from)
  }
  syncFolder(to)
  syncFolder(from)
}
