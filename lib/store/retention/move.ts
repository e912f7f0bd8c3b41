// Moves whole files and folders by rename, and never over an existing one. A session is where its
// transcript is: the transcript moves first when it leaves the store and last when it comes back, so
// an interrupted move can be recognised and finished.

import { basename, dirname, join } from 'node:path'
import { isSessionError, toSessionError } from '../../errors.js'
import { withLockedLog } from '../../log/index.js'
import { createFolder, syncFolder } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import type { KeptCode } from './guards.js'
import { foldersOf, type RetentionArea, type SessionUnit } from './units.js'

/** Why a session is not moved; `undefined`: it is. */
export type MoveRefusal = { readonly code: KeptCode; readonly reason: string } | undefined

const TAKEN = { code: 'taken', reason: 'there is a session of that id already' } as const
const CHANGED = { code: 'changed', reason: 'another process wrote to it meanwhile' } as const

/** What a move to this area would run into now. */
export function checkMove(store: StoreContext, unit: SessionUnit, to: RetentionArea): MoveRefusal {
  const stats = store.env.fs.statSync(targetOf(store, unit, to), { throwIfNoEntry: false })
  return stats === undefined || stats.size === 0 ? undefined : TAKEN
}

/** Moves it out of the store, under the lock of its transcript. */
export async function moveOut(
  store: StoreContext,
  unit: SessionUnit,
  to: 'archive' | 'trash',
): Promise<MoveRefusal> {
  const { fs } = store.env
  const target = targetOf(store, unit, to)
  const before = fs.statSync(unit.path, { throwIfNoEntry: false })
  if (before === undefined) return { code: 'changed', reason: 'it is gone' }
  return underLock(store, unit.path, ({ fd, size }) => {
    const isReplaced = fs.fstatSync(fd).ino !== before.ino
    // It was moved since, and locking has just created an empty file.
    if (isReplaced && size === 0) fs.rmSync(unit.path, { force: true })
    if (isReplaced || size !== unit.info.bytes) return CHANGED
    if (fs.existsSync(target)) return TAKEN
    move(store, unit.path, target)
    moveRest(store, unit, to)
    return undefined
  })
}

/** Moves it into the store, under the lock of its new name. */
export async function moveBack(store: StoreContext, unit: SessionUnit): Promise<MoveRefusal> {
  const target = targetOf(store, unit, 'store')
  return underLock(store, target, ({ size }) => {
    if (size > 0) return TAKEN
    moveRest(store, unit, 'store')
    // Over the empty file that locking created, and over nothing else.
    move(store, unit.path, target)
    return undefined
  })
}

/** Moves what belongs to a session, except what another process has moved meanwhile. */
export function moveRest(
  store: StoreContext,
  { sidechains, fileHistory }: Pick<SessionUnit, 'sidechains' | 'fileHistory'>,
  to: RetentionArea,
): void {
  const { fs } = store.env
  const folders = foldersOf(store, to)
  const moveIfFree = (from: string, folder: string) => {
    const target = join(folder, basename(from))
    if (fs.existsSync(from) && !fs.existsSync(target)) move(store, from, target)
  }
  for (const path of sidechains) moveIfFree(path, folders.sidechains)
  if (fileHistory !== undefined) moveIfFree(fileHistory, folders.fileHistory)
}

/** For good. The transcript goes last: while it is there, the rest can be found again. */
export function removeUnit(
  { env }: StoreContext,
  { path, sidechains, fileHistory }: SessionUnit,
): void {
  const { fs } = env
  try {
    for (const child of sidechains) fs.rmSync(child, { force: true })
    if (fileHistory !== undefined) fs.rmSync(fileHistory, { recursive: true, force: true })
    fs.rmSync(path, { force: true })
    syncFolder(path, env)
  } catch (cause) {
    throw toSessionError(cause, 'remove', path)
  }
}

function targetOf(store: StoreContext, { path }: SessionUnit, to: RetentionArea): string {
  return join(foldersOf(store, to).transcripts, basename(path))
}

async function underLock(
  store: StoreContext,
  path: string,
  step: (log: { readonly fd: number; readonly size: number }) => MoveRefusal,
): Promise<MoveRefusal> {
  try {
    return await withLockedLog(path, store.logOptions, step)
  } catch (error) {
    if (!isSessionError(error, 'ERR_LOCKED')) throw error
    return { code: 'open', reason: error.message }
  }
}

function move({ env }: StoreContext, from: string, to: string): void {
  try {
    createFolder(dirname(to), env)
    env.fs.renameSync(from, to)
  } catch (cause) {
    throw toSessionError(cause, 'move', from)
  }
  syncFolder(to, env)
  syncFolder(from, env)
}
