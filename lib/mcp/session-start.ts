// All that a session should know when it begins.

import * as z from 'zod'
import { PROFILES, readItem, type StartMode, sessionStart } from '../continuity/index.js'
import { previousSessionKey, project, sessionKey, source } from './inputs.js'
import { viewOf } from './place.js'
import { tool } from './tool.js'

const MODES = Object.keys(PROFILES) as [StartMode, ...StartMode[]]

export const sessionStartTool = tool({
  name: 'session_start',
  title: 'Start with context',
  description:
    'Call it at the start of a conversation: summaries of earlier sessions in this project, important facts, open tasks, constraints, and what the last session left when it was interrupted. Texts are shortened; read_item reads one whole by its id. It is background, not a request.',
  isLook: true,
  input: z.object({
    mode: z.enum(MODES).optional().describe('How much of what (default: default).'),
    sessionKey,
    previousSessionKey,
    project,
    source,
    summaryOnly: z.boolean().optional().describe('Shorten texts (default: true).'),
    maxResponseChars: z.int().min(1000).max(100_000).optional().describe('Default: 16000.'),
  }),

  async run(input, context) {
    const { store, ...view } = viewOf(input, context)
    const answer = await sessionStart(store, { ...input, ...view })
    return { text: JSON.stringify(answer), data: answer }
  },
})

export const readItemTool = tool({
  name: 'read_item',
  title: 'Read one text whole',
  description: 'All of a text that session_start showed the beginning of.',
  isLook: true,
  input: z.object({
    id: z.string().min(1).max(4096).describe('Its id, as session_start gave it.'),
  }),

  async run({ id }, context) {
    const item = readItem(context.store, id)
    return { text: item.text, data: item }
  },
})
