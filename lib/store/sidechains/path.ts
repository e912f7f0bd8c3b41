// The path of a subagent's log. Task ids are given by harnesses, which
// count them anew in every session; so a name may be taken by a child of another one.

import { basename, join } from 'node:path'
import { SessionError, toReadError } from '../../errors.js'
import { isUnreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { listLogNames } from '../list-logs.js'
import { readOrigin, type SidechainOrigin } from './sidechain-info.js'

export interface SidechainTarget {
  readonly path: string
  /** This task of this session has its log already. */
  readonly taken: boolean
}

/** Looks into a file only where one of that name is there. */
export function findSidechainTarget(
  store: StoreContext,
  taskId: string,
  sessionId: string,
): SidechainTarget {
  const child = findChild(store, taskId, sessionId)
  if (child !== undefined) return { path: child.path, taken: true }
  const path = namesOf(store, taskId, sessionId).find((name) => isFree(store, name))
  if (path !== undefined) return { path, taken: false }
  const what = `Both names for the log of task "${taskId}" are taken by others`
  throw new SessionError('ERR_EXISTS', what, { task_id: taskId, session_id: sessionId })
}

/** The child of that session and task, whichever of its two names it got. */
export function findChild(
  store: StoreContext,
  taskId: string,
  sessionId: string,
): SidechainOrigin | undefined {
  for (const path of namesOf(store, taskId, sessionId)) {
    if (!store.env.fs.existsSync(path)) continue
    const origin = readOrigin(store, path)
    if (isUnreadable(origin)) continue
    if (origin.taskId === taskId && origin.parentSessionId === sessionId) return origin
  }
  return undefined
}

function namesOf({ layout }: StoreContext, taskId: string, sessionId: string): readonly string[] {
  return [layout.sidechainPath(taskId), layout.sidechainPath(taskId, sessionId)]
}

/** An empty file is one whose writer died before its first line. */
function isFree({ env }: StoreContext, path: string): boolean {
  try {
    const stats = env.fs.statSync(path, { throwIfNoEntry: false })
    return stats === undefined || (stats.isFile() && stats.size === 0)
  } catch (error) {
    throw toReadError(error, 'look at', path)
  }
}

// How many bytes the subagents of a session take together, whichever process writes them. The
// first line of a file says whose it is and never changes, so it is read once; after that a look
// is one listing of the folder and one stat for each of them.

export class SidechainSizes {
  readonly #store: StoreContext
  readonly #sessionId: string
  readonly #isOurs = new Map<string, boolean>()

  constructor(store: StoreContext, sessionId: string) {
    this.#store = store
    this.#sessionId = sessionId
  }

  /** A log that is known to belong to the session, so that it need not be read. */
  claim(path: string): void {
    this.#isOurs.set(basename(path), true)
  }

  /** Of one of them; 0 while it is not there. */
  sizeOf(path: string): number {
    return this.#store.env.fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Without those whose size the caller knows better. */
  sumExcept(known: { has(path: string): boolean }): number {
    let sum = 0
    const { sidechains } = this.#store.layout
    for (const name of listLogNames(this.#store, sidechains)) {
      const path = join(sidechains, name)
      if (known.has(path) || !this.#belongs(name, path)) continue
      sum += this.sizeOf(path)
    }
    return sum
  }

  #belongs(name: string, path: string): boolean {
    const verdict = this.#isOurs.get(name)
    if (verdict !== undefined) return verdict
    const origin = readOrigin(this.#store, path)
    // Just created, perhaps: the next look finds its header.
    if (isUnreadable(origin)) return false
    const isOurs = origin.parentSessionId === this.#sessionId
    this.#isOurs.set(name, isOurs)
    return isOurs
  }
}
