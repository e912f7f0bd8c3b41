// Earlier sessions by what was said in them.

import * as z from 'zod'
import { searchSessions } from '../store/index.js'
import { project, sessionKey } from './inputs.js'
import { tool } from './tool.js'

export const sessionSearch = tool({
  name: 'session_search',
  title: 'Search earlier sessions',
  description:
    'Find earlier sessions by words of their prompts, replies and summaries. One excerpt per session, the best first. Use it before you ask the user for something that may have been said already.',
  isLook: true,
  input: z.object({
    query: z.string().trim().min(1).max(1000).describe('A few words, or a session key.'),
    sessionKey: sessionKey.describe('Only this session.'),
    project: project.describe('Only sessions of this folder (default: all).'),
    // Whatever a model sends here is clamped, so no number is refused.
    limit: z.number().optional().describe('1 to 20 (default: 10).'),
  }),

  async run(input, context) {
    const result = await searchSessions(context.store, {
      ...input,
      currentSessionKey: context.session(),
    })
    return { text: result.message, data: result }
  },
})
