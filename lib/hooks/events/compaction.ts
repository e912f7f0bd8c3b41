// The harness compacts its context: before it, what would be lost becomes a checkpoint; after it,
// its summary becomes a compaction of the log.

import { beforeCompactionTold, compactTold } from '../../session/told.js'
import { type HookHandler, NOTHING } from '../hook-context.js'
import { promptIdIn, textIn } from '../hook-input.js'

/** Nothing can be injected here; that is for the session start that follows. */
export const onPreCompact: HookHandler = async ({ fields, session_id, options }) => {
  const instructions = textIn(fields, 'custom_instructions', 'customInstructions')
  await beforeCompactionTold({ session_id, instructions }, options)
  return NOTHING
}

export const onPostCompact: HookHandler = async ({ name, fields, session_id, options }) => {
  const summary = textIn(fields, 'compact_summary', 'compactSummary', 'summary')
  if (summary === undefined) return NOTHING
  const told = { session_id, source: name, nativeId: promptIdIn(fields) }
  const given = fields['trigger']
  const trigger = given === 'manual' || given === 'auto' ? given : 'external'
  const { status } = await compactTold({ ...told, summary, trigger }, options)
  return { ...NOTHING, status }
}
