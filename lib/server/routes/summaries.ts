// Summaries of sessions, and one of them with what it covers.

import * as z from 'zod'
import {
  expandSummary,
  listCheckpoints,
  listSummaries,
  type StoreContext,
} from '../../store/index.js'
import { type Route, route } from '../route.js'
import { agentId, count } from './fields.js'

/** Those of all projects: a summary of a session may be one of them. */
function checkpointsOf(store: StoreContext) {
  const { checkpoints } = listCheckpoints(store, { limit: Number.POSITIVE_INFINITY })
  return checkpoints.map(({ checkpoint }) => checkpoint)
}

const node = z.object({
  id: z.string(),
  kind: z.literal('session'),
  depth: z.literal(0),
  sourceType: z.string(),
  sourceRef: z.string().describe('The key of the session'),
  score: z.number(),
  createdAt: z.string(),
  content: z.string(),
})

export const SUMMARY_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/sessions/summaries',
    scope: 'read',
    summary: 'The summaries of all sessions, the newest first',
    query: z.object({
      limit: count(0, 200).optional().describe('Default: 50'),
      offset: count(0, Number.MAX_SAFE_INTEGER).optional(),
      agent_id: agentId,
    }),
    response: z.object({
      summaries: z.array(
        z.object({
          id: z.string(),
          kind: z.literal('session'),
          depth: z.literal(0),
          source_type: z.string(),
          source_ref: z.string(),
          meta_json: z.string(),
          score: z.number(),
          created_at: z.string(),
          content: z.string(),
        }),
      ),
      total: z.number(),
    }),
    run: ({ store, query: { limit, offset } }) =>
      listSummaries(store, { limit, offset, checkpoints: checkpointsOf(store) }),
  }),

  route({
    method: 'POST',
    path: '/api/sessions/summaries/expand',
    scope: 'read',
    summary: 'One summary with its neighbours and the conversation that it covers',
    body: z.object({
      id: z.string().trim().min(1).max(4096),
      includeTranscript: z.boolean().optional(),
      transcriptCharLimit: z.number().optional().describe('200 to 12,000 (default: 2000)'),
      agentId,
    }),
    response: z.object({
      node,
      parents: z.array(node),
      children: z.array(node),
      linkedMemories: z.array(z.never()),
      transcript: z.object({ sessionKey: z.string(), excerpt: z.string() }).nullable(),
    }),
    failures: [404],
    run: ({ store, body: { id, includeTranscript, transcriptCharLimit } }) =>
      expandSummary(store, id, {
        includeTranscript,
        transcriptCharLimit,
        checkpoints: checkpointsOf(store),
      }),
  }),
]
