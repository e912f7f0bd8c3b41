// What an agent leaves behind when its work is done: a briefing, and what it has learnt.

import * as z from 'zod'
import { contextCheckpoint } from '../continuity/index.js'
import { project, runId, sessionKey, text } from './inputs.js'
import { placeOf } from './place.js'
import { tool } from './tool.js'

const grade = z.int().min(1).max(5).optional()

const memory = z.object({
  content: text.describe('One thing worth knowing, complete in itself.'),
  memoryType: z
    .enum(['fact', 'skill', 'preference', 'constraint', 'task', 'episodic', 'correction'])
    .optional(),
  importance: grade.describe('1 to 5; from 3 on it is shown to later sessions.'),
  confidence: grade.describe('1 to 5.'),
  entities: z.array(z.string()).optional().describe('Names it is about.'),
})

export const sessionCheckpoint = tool({
  name: 'session_checkpoint',
  title: 'Leave a checkpoint',
  description: `Store a summary of this session and what was learnt in it. Call it when a piece of work is finished and before the conversation ends.

Write sessionSummary as a briefing for the next session, which has seen nothing of this one: the goal; what was done, with the files and commands; what was decided, and why not otherwise; what is left to do, in order; what to beware of. Say what is so, not what was talked about. Five to fifteen sentences; no secrets.

Put each lasting thing into memories of its own: facts, preferences, constraints, tasks. A memory that the project holds in the same words is not stored twice.`,
  isLook: false,
  input: z.object({
    sessionSummary: text.describe('A briefing for the next session.'),
    memories: z.array(memory).max(50).optional(),
    agentRunId: runId,
    dedup: z.boolean().optional().describe('Leave out known memories (default: true).'),
    sessionKey,
    project,
  }),

  async run({ sessionSummary, memories, agentRunId, dedup, ...place }, context) {
    const { store, ...target } = placeOf(place, context)
    const stored = await contextCheckpoint(store, {
      ...target,
      sessionSummary,
      memories,
      agentRunId,
      dedup,
    })
    const counts = `memories stored ${stored.stored}, known before ${stored.skipped}`
    const what = stored.duplicate === true ? 'Stored before, as checkpoint' : 'Stored as checkpoint'
    return { text: `${what} ${stored.id}; ${counts}.`, data: stored }
  },
})
