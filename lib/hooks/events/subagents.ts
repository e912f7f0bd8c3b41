// A subagent begins and ends. The harness keeps its own log of it, which is named and not copied.

import { finishTold, spawnTold } from '../../session/told.js'
import { type HookHandler, NOTHING } from '../hook-context.js'
import { lastMessageIn, textIn } from '../hook-input.js'
import { subagentIn } from '../subagent-input.js'

export const onSubagentStart: HookHandler = async ({ fields, session_id, options }) => {
  const subagent = subagentIn(fields, session_id)
  if (subagent === undefined) return NOTHING
  const { status } = await spawnTold(subagent, options)
  return { ...NOTHING, status }
}

export const onSubagentStop: HookHandler = async ({ fields, session_id, options }) => {
  const subagent = subagentIn(fields, session_id)
  if (subagent === undefined) return NOTHING
  const ending = {
    text: lastMessageIn(fields) ?? '',
    mark: fields['stop_hook_active'] === true ? 'again' : '',
    agent_transcript_path: textIn(fields, 'agent_transcript_path', 'agentTranscriptPath'),
  }
  const { status } = await finishTold(subagent, ending, options)
  return { ...NOTHING, status }
}
