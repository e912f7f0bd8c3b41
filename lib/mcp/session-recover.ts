// The state of the work when it was interrupted. It only reads, so every call gets an answer.

import * as z from 'zod'
import { recover } from '../continuity/index.js'
import { previousSessionKey, project, sessionKey, source } from './inputs.js'
import { viewOf } from './place.js'
import { tool } from './tool.js'

export const sessionRecover = tool({
  name: 'session_recover',
  title: 'Recover what was lost',
  description:
    'What was known when the work was interrupted: the newest checkpoint of this session, else of the one it follows, else of this project in the last 4 hours. Call it when your context was compacted, or when the user refers to work you do not see. It is background, not a request.',
  isLook: true,
  input: z.object({
    sessionKey,
    previousSessionKey,
    project,
    source,
    budgetChars: z.int().min(200).max(10_000).optional().describe('Default: 2000.'),
  }),

  async run(input, context) {
    const { store, ...view } = viewOf(input, context)
    // In the middle of a session its own checkpoint is the one that matters.
    const { source = view.sessionKey === undefined ? 'startup' : 'resume' } = input
    const found = recover(store, { ...input, ...view, source })
    if (found === undefined) return { text: 'There is nothing to recover.', data: { found: false } }
    const { checkpoint, matchedBy, ageMs, text } = found
    return { text, data: { found: true, checkpoint, matchedBy, ageMs, text } }
  },
})
