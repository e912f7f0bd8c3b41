// What a person said.

import { promptTold, recordInSidechain } from '../../session/told.js'
import { type HookHandler, NOTHING } from '../hook-context.js'
import { promptIdIn, promptIn } from '../hook-input.js'
import { subagentIn } from '../subagent-input.js'

/** A prompt is recorded, and never answered with anything that was not asked for. */
export const onPrompt: HookHandler = async ({ name, fields, session_id, options }) => {
  const content = promptIn(fields)
  if (content === undefined) return NOTHING
  const told = { session_id, source: name, nativeId: promptIdIn(fields) }
  const subagent = subagentIn(fields, session_id)
  const { status } =
    subagent === undefined
      ? await promptTold({ ...told, content }, options)
      : await recordInSidechain(
          { ...told, subagent, events: [{ type: 'user', payload: { content } }] },
          options,
        )
  return { ...NOTHING, status }
}
