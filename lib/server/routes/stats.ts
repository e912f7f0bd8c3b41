// Counts of the store.

import * as z from 'zod'
import { storeStats } from '../../store/index.js'
import { route } from '../route.js'
import { agentId, project } from './fields.js'

const time = z.string().max(100).describe('As 2026-01-31, or a time of that day in ISO 8601')

export const STATS_ROUTES = [
  route({
    method: 'GET',
    path: '/api/stats',
    scope: 'read',
    summary:
      'Bytes, events, tokens, cost, tools and errors of the store, as `stats --json` counts them',
    query: z.object({
      by: z.enum(['session', 'project', 'day', 'type', 'model', 'tool']).default('session'),
      project: project.optional(),
      since: time.optional(),
      until: time.optional(),
      agent_id: agentId,
    }),
    response: z.object({
      total: z.looseObject({ sessions: z.number(), files: z.number(), bytes: z.number() }),
      by: z.string(),
      groups: z.array(z.looseObject({ key: z.string().nullable(), bytes: z.number() })),
      tools: z.array(z.looseObject({ name: z.string(), calls: z.number() })),
      models: z.array(z.looseObject({ model: z.string().nullable() })),
      skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
    }),
    failures: [503],
    run: ({ store, query: { agent_id: _, ...options }, signal }) =>
      storeStats(store, { ...options, signal }),
  }),
]
