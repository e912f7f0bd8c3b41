// An agent's own account of its state, in the middle of its work.

import * as z from 'zod'
import { checkpointSession } from '../continuity/index.js'
import { project, runId, sessionKey, text } from './inputs.js'
import { placeOf } from './place.js'
import { tool } from './tool.js'

export const sessionDigest = tool({
  name: 'session_digest',
  title: 'Leave a digest',
  description: `Store the state of your work, so that it can continue after a crash or a compaction of your context. Call it at turning points: a decision was made, something works now, something blocks you.

Write for a reader who knows nothing of this conversation: what the task is, what was decided and why, what is done, what is open, what blocks you, and the very next step. Name files, commands and ids exactly. Leave out secrets and small talk.`,
  isLook: false,
  input: z.object({
    digest: text.describe('The state of your work, in a few short paragraphs or a list.'),
    sessionKey,
    project,
    runId,
  }),

  async run({ digest, runId, ...place }, context) {
    const { store, ...target } = placeOf(place, context)
    const { id, duplicate = false } = await checkpointSession(store, {
      ...target,
      digest,
      runId,
      trigger: 'agent',
    })
    const what = duplicate ? 'It was stored before, as checkpoint' : 'Stored as checkpoint'
    return { text: `${what} ${id}.`, data: { id, duplicate } }
  },
})
