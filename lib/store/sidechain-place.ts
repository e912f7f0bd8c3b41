// Where the log of a subagent lies, or would be made. Task ids are given by harnesses, which
// count them anew in every session; so a name may be taken by a child of another one.

import { existsSync, statSync } from 'node:fs'
import { SessionError, toReadError } from '../errors.js'
import type { Layout } from './layout.js'
import { isSkipped } from './session-digest.js'
import { readOrigin, type SidechainOrigin } from './sidechain-digest.js'

export interface SidechainPlace {
  readonly path: string
  /** This task of this session has its log already. */
  readonly isTaken: boolean
}

/** Looks into a file only where one of that name is there. */
export function placeSidechain(taskId: string, sessionId: string, layout: Layout): SidechainPlace {
  const child = findChild(taskId, sessionId, layout)
  if (child !== undefined) return { path: child.path, isTaken: true }
  const path = namesOf(taskId, sessionId, layout).find(isFree)
  if (path !== undefined) return { path, isTaken: false }
  const what = `Both names for the log of task "${taskId}" are taken by others`
  throw new SessionError('ERR_EXISTS', what, { task_id: taskId, session_id: sessionId })
}

/** The child of that session and task, whichever of its two names it got. */
export function findChild(
  taskId: string,
  sessionId: string,
  layout: Layout,
): { readonly path: string; readonly origin: SidechainOrigin } | undefined {
  for (const path of namesOf(taskId, sessionId, layout)) {
    if (!existsSync(path)) continue
    const origin = readOrigin(path)
    if (isSkipped(origin)) continue
    const { task_id, parent_session_id } = origin
    if (task_id === taskId && parent_session_id === sessionId) return { path, origin }
  }
  return undefined
}

function namesOf(taskId: string, sessionId: string, layout: Layout): readonly string[] {
  return [layout.sidechainPath(taskId), layout.sidechainPath(taskId, sessionId)]
}

/** An empty file is one whose writer died before its first line. */
function isFree(path: string): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined || (stats.isFile() && stats.size === 0)
  } catch (error) {
    throw toReadError(error, 'look at', path)
  }
}
