// Events by their texts.

import * as z from 'zod'
import { normalizeSessionKey } from '../../format/index.js'
import { grepPage } from '../../store/index.js'
import { route } from '../route.js'
import { redactorFor } from './browse.js'
import { agentId, count, flag, project, sessionId } from './fields.js'

export const GREP_ROUTES = [
  route({
    method: 'GET',
    path: '/api/grep',
    scope: 'read',
    summary: 'Events by their texts, in the logs that were written last first',
    query: z.object({
      q: z
        .string()
        .min(1)
        .max(1000)
        .describe('A text, or with regex=1 a regular expression of RE2'),
      regex: flag('1: `q` is a regular expression'),
      ignoreCase: flag('1: ignore the case of letters'),
      session: sessionId.optional().describe('Only this session and those that it continues'),
      project: project.optional(),
      sidechains: flag('1: also the logs of subagents'),
      limit: count(1, 500).default(50),
      secrets: flag('Texts as they are stored, where the server allows it'),
      agent_id: agentId,
    }),
    response: z.object({
      matches: z.array(
        z.object({
          sessionId: z.string(),
          title: z.string().nullable(),
          uuid: z.string().nullable(),
          offset: z.number(),
          type: z.string().nullable(),
          ts: z.string().nullable(),
          snippet: z.string(),
          ranges: z.array(z.tuple([z.number(), z.number()])).describe('Where the snippet matches'),
        }),
      ),
      truncated: z.boolean().describe('There are more matches'),
      skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
    }),
    failures: [404, 503],
    run({ store, query, server, signal }) {
      const { q: pattern, regex, session, secrets, agent_id: _, ...options } = query
      return grepPage(store, {
        ...options,
        pattern,
        syntax: regex ? 'regex' : 'literal',
        session: session === undefined ? undefined : normalizeSessionKey(session),
        redactor: redactorFor(server, { secrets }),
        signal,
      })
    },
  }),
]
