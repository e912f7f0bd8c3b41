// The path of a subagent's log. Task ids are given by harnesses, which
// count them anew in every session; so a name may be taken by a child of another one.

import { SessionError, toReadError } from '../../errors.js'
import { isUnreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
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
): { readonly path: string; readonly origin: SidechainOrigin } | undefined {
  for (const path of namesOf(store, taskId, sessionId)) {
    if (!store.env.fs.existsSync(path)) continue
    const origin = readOrigin(store, path)
    if (isUnreadable(origin)) continue
    const { taskId: task_id, parentSessionId } = origin
    if (task_id === taskId && parentSessionId === sessionId) return { path, origin }
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
