// Sessions by their keys: who records them, what was said in them, and whether their hooks are bypassed.

import * as z from 'zod'
import { bypassSession } from '../../session/index.js'
import {
  listActiveSessions,
  readSessionState,
  type SessionClaim,
  searchSessions,
  transcriptText,
} from '../../store/index.js'
import { type Route, route } from '../route.js'
import { agentId, project, sessionKey } from './fields.js'

const claim = z.object({
  key: z.string(),
  runtimePath: z.string().describe('`unknown` without a claim'),
  claimedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
  bypassed: z.boolean(),
})

function toClaim({ sessionId, runtimePath, claimedAt, expiresAt, bypassed }: SessionClaim) {
  return { key: sessionId, runtimePath, claimedAt, expiresAt, bypassed }
}

const params = z.object({ key: sessionKey })
const query = z.object({ agent_id: agentId })

// Less than the time for an answer: what was found by then is one.
const SEARCH_MS = 20_000

export const SESSION_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/sessions',
    scope: 'read',
    summary: 'The active sessions: claimed, open in a process, or recent and without an end',
    query,
    response: z.object({ sessions: z.array(claim), count: z.number() }),
    run({ store }) {
      const { sessions, count } = listActiveSessions(store)
      return { sessions: sessions.map(toClaim), count }
    },
  }),

  route({
    method: 'POST',
    path: '/api/sessions/search',
    scope: 'recall',
    summary: 'Find sessions by what was said in them',
    body: z.object({
      query: z.string().trim().min(1).max(1000),
      sessionKey: sessionKey.optional().describe('Only this session'),
      currentSessionKey: sessionKey
        .optional()
        .describe('The session that asks: left out, and of a subagent only its parent is searched'),
      agentId,
      project: project.optional(),
      limit: z.number().optional().describe('1 to 20 (default: 10)'),
    }),
    response: z.object({
      query: z.string(),
      hits: z.array(
        z.object({
          sessionKey: z.string(),
          project: z.string().nullable(),
          updatedAt: z.string().nullable(),
          excerpt: z.string(),
          rank: z.number().describe('Lower is better'),
        }),
      ),
      count: z.number(),
      message: z.string(),
      skipped: z.array(z.object({ path: z.string(), reason: z.string() })).optional(),
      partial: z.literal(true).optional().describe('It took too long: there may be more'),
    }),
    failures: [404],
    run({ store, body: { agentId: _, ...options }, signal }) {
      return searchSessions(store, { ...options, signal, timeLimitMs: SEARCH_MS })
    },
  }),

  route({
    method: 'GET',
    path: '/api/sessions/:key',
    scope: 'read',
    summary: 'One session, active or not',
    params,
    query,
    response: claim.extend({ active: z.boolean() }),
    failures: [404],
    run({ store, params: { key } }) {
      const state = readSessionState(store, key)
      return { ...toClaim(state), active: state.active }
    },
  }),

  route({
    method: 'GET',
    path: '/api/sessions/:key/transcript',
    scope: 'read',
    summary: 'What was said in a session, one line per turn, without secrets',
    params,
    query,
    response: z.object({ sessionKey: z.string(), agentId: z.string(), content: z.string() }),
    failures: [404],
    run: ({ store, params: { key }, signal }) => transcriptText(store, key, { signal }),
  }),

  route({
    method: 'POST',
    path: '/api/sessions/:key/bypass',
    scope: 'remember',
    isWrite: true,
    summary: 'Switch the hooks of a session off or on',
    params,
    query,
    body: z.object({ enabled: z.boolean(), agentId }),
    response: z.object({ key: z.string(), bypassed: z.boolean() }),
    failures: [404, 503],
    async run({ store, params: { key }, body: { enabled } }) {
      const { sessionId, bypassed } = await bypassSession(store, key, enabled)
      return { key: sessionId, bypassed }
    },
  }),
]
