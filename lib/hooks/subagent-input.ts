// Which subagent a hook fires in: the session it names is the parent's.

import type { ToldSubagent } from '../session/told.js'
import { agentIdIn, agentTypeIn, type HookFields } from './hook-input.js'

export function subagentIn(fields: HookFields, session_id: string): ToldSubagent | undefined {
  const task_id = agentIdIn(fields)
  return task_id === undefined
    ? undefined
    : { session_id, task_id, agent_type: agentTypeIn(fields) }
}
