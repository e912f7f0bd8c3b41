// Checkpoints of a project or a session, the newest first, without secrets.

import * as z from 'zod'
import { redactWords } from '../../continuity/index.js'
import { listCheckpoints, type StoredCheckpoint } from '../../store/index.js'
import { route } from '../route.js'
import { agentId, count, project, sessionKey } from './fields.js'

const checkpoint = z.looseObject({
  id: z.string(),
  session_key: z.string(),
  created_at: z.string(),
  project_normalized: z.string().nullable(),
  trigger: z.string(),
  agent_id: z.string(),
  harness: z.string(),
  project: z.string().nullable(),
  prompt_count: z.number(),
  total_prompt_count: z.number(),
  digest: z.string(),
  memory_queries: z.array(z.string()).optional(),
  recent_remembers: z.array(z.string()).optional(),
})

const checkpoints = z.object({ checkpoints: z.array(checkpoint), count: z.number() })

function answerOf(found: readonly StoredCheckpoint[]) {
  return { checkpoints: found.map(({ checkpoint: one }) => redactWords(one)), count: found.length }
}

export const CHECKPOINT_ROUTES = [
  route({
    method: 'GET',
    path: '/api/checkpoints',
    scope: 'read',
    summary: 'The newest checkpoints of a project, or of all',
    query: z.object({
      project: project.optional(),
      limit: count(1, 200).optional().describe('Default: 10'),
      agent_id: agentId,
    }),
    response: checkpoints,
    run: ({ store, query: { project, limit } }) =>
      answerOf(listCheckpoints(store, { project, limit }).checkpoints),
  }),

  route({
    method: 'GET',
    path: '/api/checkpoints/:sessionKey',
    scope: 'read',
    summary: 'All checkpoints of a session',
    params: z.object({ sessionKey }),
    query: z.object({ agent_id: agentId }),
    response: checkpoints,
    run: ({ store, params }) =>
      answerOf(listCheckpoints(store, { session: params.sessionKey }).checkpoints),
  }),
]
