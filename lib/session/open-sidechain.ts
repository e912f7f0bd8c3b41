// A subagent in a process of its own. It holds its log and nothing of its parent; what `finish`
// returns goes back to the parent, which merges it.

import type { SessionOptions } from './settings.js'
import { settingsOf } from './settings.js'
import type { Sidechain } from './sidechain.js'
import { checkedTask, type SubagentTask } from './subagent-task.js'
import { Subagents } from './subagents.js'

/**
 * Opens the log of a task: a new one with its prompt as the first event, or the one that a
 * process left without an ending. One that has ended is ERR_EXISTS.
 */
export async function openSidechain(
  task: SubagentTask,
  options: SessionOptions = {},
): Promise<Sidechain> {
  const checked = checkedTask(task)
  const subagents = new Subagents({
    sessionId: checked.session_id,
    settings: settingsOf(options),
    handleSignals: options.handleSignals,
  })
  return subagents.open(checked)
}
