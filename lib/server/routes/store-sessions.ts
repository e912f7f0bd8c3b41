// The list of sessions, for the page that shows them.

import * as z from 'zod'
import { normalizeSessionKey } from '../../format/index.js'
import { readSessionRow, SESSION_ORDERS } from '../../store/index.js'
import { type Route, route } from '../route.js'
import { agentId, count, project, sessionId } from './fields.js'

const STATUSES = ['open', 'active', 'clean', 'crashed', 'unclosed', 'empty'] as const

export const sessionRow = z.object({
  id: z.string(),
  title: z.string().nullable(),
  project: z.string().nullable(),
  status: z.enum(STATUSES),
  kind: z.enum(['interactive', 'headless', 'subagent']),
  harness: z.string().nullable(),
  startedAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  bytes: z.number(),
  turns: z.number().nullable(),
  tokens: z.number().nullable(),
  costMicroUsd: z.number().nullable(),
  models: z.array(z.string()),
  tags: z.array(z.string()),
  parent: z.object({ sessionId: z.string(), kind: z.enum(['resume', 'fork']) }).nullable(),
})

const flag = z.enum(['0', '1']).optional()

export const STORE_SESSION_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/store/sessions',
    scope: 'read',
    summary: 'The sessions of the store, in pages',
    query: z.object({
      limit: count(1, 1000).optional().describe('Default: 200'),
      from: z.string().max(4096).optional().describe('`next` of the page before'),
      project: project.optional(),
      status: z.enum(STATUSES).optional(),
      tag: z.string().max(200).optional(),
      q: z.string().max(1000).optional().describe('Words of the title, the id or the project'),
      figures: flag.describe('1: count turns, tokens, cost and models'),
      all: flag.describe('1: also empty sessions, and those of no person'),
      sort: z.enum(SESSION_ORDERS).optional().describe('Default: updated'),
      order: z.enum(['asc', 'desc']).optional().describe('Default: desc'),
      agent_id: agentId,
    }),
    response: z.object({
      sessions: z.array(sessionRow),
      next: z.string().nullable(),
      total: z.number(),
      skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
    }),
    run({ store, server, signal, query: { agent_id: _, all, figures, ...query } }) {
      const asked = { all: all === '1', figures: figures === '1', signal }
      return server.sessionPages(store).page({ ...query, ...asked })
    },
  }),

  route({
    method: 'GET',
    path: '/api/sessions/:id/stats',
    scope: 'read',
    summary: 'What one session adds up to, with its subagents',
    params: z.object({ id: sessionId }),
    query: z.object({ agent_id: agentId }),
    response: z.object({ session: sessionRow }),
    failures: [404, 409],
    async run({ store, params, signal }) {
      return { session: await readSessionRow(store, normalizeSessionKey(params.id), signal) }
    },
  }),
]
