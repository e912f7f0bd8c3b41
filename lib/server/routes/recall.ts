// What was learnt, found by words. It reads; only a server that may write notes what a session was given.

import * as z from 'zod'
import { SessionError } from '../../errors.js'
import { recallFor } from '../../session/record.js'
import {
  hookBody,
  isInternal,
  noOpFlags,
  RECORD_OPTIONS,
  respectClaim,
  runtimePathOf,
} from '../hook-call.js'
import { type Route, route } from '../route.js'

const time = z.string().max(100).optional().describe('ISO 8601')

const memory = z.object({
  key: z.string(),
  id: z.string().optional(),
  text: z.string(),
  memoryType: z.string(),
  importance: z.number(),
  entities: z.array(z.string()),
  sessionId: z.string(),
  project: z.string().nullable(),
  harness: z.string(),
  ts: z.string(),
  rank: z.number(),
})

export const RECALL_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/hooks/recall',
    scope: 'recall',
    summary: 'Find memories and remembered texts by words',
    body: z.object({
      ...hookBody,
      query: z.string().trim().min(1).max(1000),
      keywordQuery: z
        .string()
        .max(1000)
        .optional()
        .describe('Words and "phrases" in place of query'),
      limit: z.number().optional().describe('1 to 50 (default: 10)'),
      type: z.string().max(200).optional(),
      tags: z.string().max(1000).optional().describe('Names, separated by commas'),
      who: z.string().max(200).optional().describe('Only of this harness'),
      since: time,
      until: time,
      includeRecalled: z
        .boolean()
        .optional()
        .describe('Also what the session was given since its last compaction'),
      aggregate: z.boolean().optional().describe('Not supported: true answers 501'),
      aggregateBudget: z.string().optional(),
      saveAggregate: z.boolean().optional(),
    }),
    response: z.object({
      sessionId: z.string().nullable(),
      results: z.array(memory),
      memories: z.array(memory).describe('The same as results, for older clients'),
      count: z.number(),
      query: z.string(),
      method: z.literal('keyword'),
      meta: z.object({
        totalReturned: z.number(),
        totalFound: z.number(),
        hasSupplementary: z.literal(false),
        noHits: z.boolean(),
        leftOut: z.number().describe('Left out because the session has them in its context'),
      }),
      message: z.string().describe('The results as a text'),
      contextEpoch: z.number().optional(),
      ...noOpFlags,
    }),
    failures: [409, 501],

    async run(call) {
      const { store, body, server } = call
      const { aggregate, aggregateBudget: _budget, saveAggregate, agentId: _agent, ...query } = body
      if (aggregate === true || saveAggregate === true) {
        const what =
          'aggregate is not supported: leave it out, and the matching memories are listed'
        throw new SessionError('ERR_NOT_IMPLEMENTED', what)
      }
      respectClaim(call)
      const dryRun = !server.allowWrite
      const request = { ...query, runtimePath: runtimePathOf(call), isInternal: isInternal(call) }
      const answer = await recallFor(store, { ...request, dryRun }, RECORD_OPTIONS)
      const { results, count, method, meta, message, sessionId, contextEpoch } = answer
      const { bypassed, internal } = answer
      return {
        results,
        memories: results,
        count,
        query: answer.query,
        method,
        meta: { ...meta, hasSupplementary: false },
        message,
        sessionId,
        contextEpoch,
        bypassed,
        internal,
      }
    },
  }),
]
