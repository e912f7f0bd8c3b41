// Opens the log of a subagent under its lock: a new one, or one that was left without an ending.

import { isSessionError, SessionError } from '../../errors.js'
import { type LogHandle, type NewEvent, openLog, openMemoryLog } from '../../log/index.js'
import { findSidechainTarget, hasEnding } from '../../store/index.js'
import type { SessionSettings } from '../settings.js'
import type { SubagentTask } from './task.js'

type Settings = Pick<SessionSettings, 'store' | 'log' | 'isPersistent'>

// Between the creation of a file and its first line, another process cannot know its owner. That
// takes milliseconds.
const RETRIES_MAX = 40
const RETRY_MS = 5

/** A task has one log, so this throws ERR_EXISTS if there is one already. */
export async function createSidechainLog(
  settings: Settings,
  task: SubagentTask,
  events: readonly NewEvent[],
): Promise<LogHandle> {
  const { sessionId, taskId } = task
  const log = settings.isPersistent
    ? await openEmpty(settings, task)
    : openMemoryLog(`${sessionId}/${taskId}`, { ...settings.log, channel: 'sidechain' })
  try {
    await log.appendAll(events)
    return log
  } catch (error) {
    await log.close().catch(() => {})
    throw error
  }
}

export async function reopenSidechainLog(
  settings: Settings,
  task: SubagentTask,
  path: string,
): Promise<LogHandle> {
  const log = await open(settings, path)
  // Checked under the lock: no other process can end it now.
  if (!hasEnding(settings.store, path)) return log
  await log.close()
  throw existsError(task, path)
}

export function existsError({ taskId, sessionId }: SubagentTask, path: string): SessionError {
  const what = `Session "${sessionId}" already has a subagent for task "${taskId}"`
  return new SessionError('ERR_EXISTS', what, { taskId, sessionId, path })
}

async function openEmpty(settings: Settings, task: SubagentTask): Promise<LogHandle> {
  const { store } = settings
  for (let retries = 0; ; retries++) {
    const { path, taken } = findSidechainTarget(store, task.taskId, task.sessionId)
    if (taken) throw existsError(task, path)
    try {
      const log = await open(settings, path)
      if (log.size === 0) return log
      // Another process was faster; its header shows which session it belongs to.
      await log.close()
    } catch (error) {
      if (!isSessionError(error, 'ERR_LOCKED') || retries === RETRIES_MAX) throw error
      await store.env.timers.sleep(RETRY_MS)
    }
  }
}

function open({ log }: Settings, path: string): Promise<LogHandle> {
  return openLog(path, { ...log, channel: 'sidechain' })
}
