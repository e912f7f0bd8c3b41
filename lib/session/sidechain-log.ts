// The log of a subagent, opened under its lease: a new one that nobody has written to, or one that
// was left without an ending.

import { setTimeout as sleep } from 'node:timers/promises'
import { isSessionError, SessionError } from '../errors.js'
import { type LogHandle, type NewEvent, openLog, openMemoryLog } from '../log/index.js'
import { hasEnding, placeSidechain } from '../store/index.js'
import type { SessionSettings } from './settings.js'
import type { SubagentTask } from './subagent-task.js'

type Settings = Pick<SessionSettings, 'layout' | 'log' | 'isPersistent'>

// Between the creation of a file and its first line somebody else cannot tell whose it is. That
// takes milliseconds.
const HEADER_LOOKS_MAX = 40
const HEADER_LOOK_MS = 5

/** A task has one log, so it is refused where there is one already. */
export async function createSidechainLog(
  task: SubagentTask,
  events: readonly NewEvent[],
  settings: Settings,
): Promise<LogHandle> {
  const log = settings.isPersistent ? await openEmpty(task, settings) : openInMemory(task, settings)
  try {
    await log.appendAll(events)
    return log
  } catch (error) {
    await log.close().catch(() => {})
    throw error
  }
}

export async function reopenSidechainLog(
  task: SubagentTask,
  path: string,
  settings: Settings,
): Promise<LogHandle> {
  const log = await open(path, settings)
  // Looked at under the lease: nobody can end it any more.
  if (!hasEnding(path)) return log
  await log.close()
  throw existsError(task, path)
}

export function existsError({ task_id, session_id }: SubagentTask, path: string): SessionError {
  const what = `Session "${session_id}" has had a subagent for task "${task_id}" already`
  return new SessionError('ERR_EXISTS', what, { task_id, session_id, path })
}

async function openEmpty(task: SubagentTask, settings: Settings): Promise<LogHandle> {
  for (let looks = 0; ; looks++) {
    const { path, isTaken } = placeSidechain(task.task_id, task.session_id, settings.layout)
    if (isTaken) throw existsError(task, path)
    try {
      const log = await open(path, settings)
      if (log.size === 0) return log
      // Somebody was quicker; the next look tells whose it is.
      await log.close()
    } catch (error) {
      if (!isSessionError(error, 'ERR_LOCKED') || looks === HEADER_LOOKS_MAX) throw error
      await sleep(HEADER_LOOK_MS)
    }
  }
}

function open(path: string, { log }: Settings): Promise<LogHandle> {
  return openLog(path, { ...log, channel: 'sidechain' })
}

/** Of a session that is in memory itself. */
function openInMemory({ session_id, task_id }: SubagentTask, { log }: Settings): LogHandle {
  return openMemoryLog(`${session_id}/${task_id}`, { ...log, channel: 'sidechain' })
}
