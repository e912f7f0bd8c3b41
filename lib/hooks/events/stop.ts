// The end of a turn: what the model said last, and that it stopped. The surest moment there is,
// since a session may end without a word.

import { recordTold, type Told } from '../../session/told.js'
import { type HookHandler, NOTHING } from '../hook-context.js'
import { lastMessageIn, promptIdIn, textIn } from '../hook-input.js'

export const onStop: HookHandler = async ({ name, fields, session_id, options }) => {
  const content = lastMessageIn(fields)
  const nativeId = promptIdIn(fields)
  // A hook that made the model go on is asked again about the same prompt.
  const mark = fields['stop_hook_active'] === true ? 'again' : ''
  const events: Told['events'] = [
    ...(content === undefined ? [] : [{ type: 'assistant', payload: { content } }]),
    { type: 'turn_end', payload: { prompt_id: nativeId } },
  ]
  const { status } = await recordTold({ session_id, source: name, nativeId, mark, events }, options)
  return { ...NOTHING, status }
}

/** What is told as the last message is an error then, and nobody's reply. */
export const onStopFailure: HookHandler = async ({ name, fields, session_id, options }) => {
  const nativeId = promptIdIn(fields)
  const error = textIn(fields, 'error', 'error_message') ?? lastMessageIn(fields) ?? 'unknown'
  const events = [{ type: 'turn_end', payload: { prompt_id: nativeId, error } }]
  const { status } = await recordTold({ session_id, source: name, nativeId, events }, options)
  return { ...NOTHING, status }
}
