// One session: its events page by page, what the model sees of it, and what is around it.

import * as z from 'zod'
import { SessionError } from '../../errors.js'
import { normalizeSessionKey } from '../../format/index.js'
import { defaultRedactor, type Redactor } from '../../redaction/index.js'
import {
  findSidechain,
  findTranscript,
  readEventPage,
  readMessageOutline,
  readMessagePage,
  readOutlinePage,
  readSurroundingsWithCosts,
  type StoreContext,
} from '../../store/index.js'
import { type RouteServer, route } from '../route.js'
import { agentId, count, eventUuid, flag, sessionId } from './fields.js'
import { event, fullEntry, outlineEntry } from './schemas.js'

export const clip = count(0, 10_000_000)
  .optional()
  .describe('Cut longer strings of payloads to so many characters; 0: none')

export const cursor = z
  .string()
  .min(1)
  .max(200)
  .describe('Where to continue: the `next` of a page, or the id of a streamed entry')

export const task = z
  .string()
  .min(1)
  .max(1000)
  .optional()
  .describe('The log of this subagent of the session')

/** The log of a session, or of one of its subagents. */
export function findLog(store: StoreContext, session: string, task?: string): string {
  const id = normalizeSessionKey(session)
  return task === undefined
    ? findTranscript(store, id)
    : findSidechain(store, task, { session: id }).path
}

/** `undefined` for a request that may see secrets and wants to. */
export function redactorFor(
  { allowSecrets }: RouteServer,
  { secrets }: { readonly secrets: boolean },
): Redactor | undefined {
  if (!secrets) return defaultRedactor
  if (allowSecrets) return undefined
  throw new SessionError(
    'ERR_FORBIDDEN',
    'This server shows no secrets: start it with --allow-secrets',
  )
}

const FULL_MAX = 1000
const OUTLINE_MAX = 10_000
const REFS_MAX = 100_000

const relative = z.object({
  sessionId: z.string(),
  title: z.string().nullable(),
  kind: z.enum(['fork', 'resume']),
  atUuid: z.string().nullable(),
})

const gap = z.object({ kind: z.literal('gap'), reason: z.enum(['lost', 'missing', 'opaque']) })
const placed = { sessionId: z.string(), offset: z.number() }

function checkLimit(limit: number, most: number, view: string): number {
  if (limit <= most) return limit
  throw new SessionError('ERR_ARG', `query limit: at most ${most} with view=${view}`, { limit })
}

export const BROWSE_ROUTES = [
  route({
    method: 'GET',
    path: '/api/sessions/:id/events',
    scope: 'read',
    summary: 'Entries of the log of a session, page by page',
    params: z.object({ id: sessionId }),
    query: z.object({
      limit: count(1, OUTLINE_MAX)
        .default(100)
        .describe(
          `At most ${FULL_MAX}, of an outline ${OUTLINE_MAX}; a page also ends after 4 MiB`,
        ),
      view: z.enum(['full', 'outline']).default('full'),
      from: cursor.optional(),
      offset: count(0, Number.MAX_SAFE_INTEGER)
        .optional()
        .describe('Start at this byte; inside a line, at the next'),
      at: eventUuid.optional().describe('Start at this event'),
      before: count(0, OUTLINE_MAX)
        .optional()
        .describe('Start so many entries before `at`, or before the end of the log'),
      log: task,
      clip,
      secrets: flag('Texts as they are stored, where the server allows it'),
      agent_id: agentId,
    }),
    response: z.object({
      entries: z.array(z.union([fullEntry, outlineEntry])),
      next: z.string(),
      atEnd: z.boolean(),
      size: z.number(),
    }),
    failures: [404, 409],
    async run({ store, params, query, server, signal }) {
      const { view, log, secrets, limit, ...place } = query
      const redactor = redactorFor(server, { secrets })
      const path = findLog(store, params.id, log)
      const options = { ...place, redactor, signal }
      if (view === 'outline') return readOutlinePage(store, path, { ...options, limit })
      return readEventPage(store, path, { ...options, limit: checkLimit(limit, FULL_MAX, view) })
    },
  }),

  route({
    method: 'GET',
    path: '/api/sessions/:id/messages',
    scope: 'read',
    summary: 'What the model sees, or saw at an event',
    params: z.object({ id: sessionId }),
    query: z.object({
      at: eventUuid.optional().describe('As of this event'),
      from: count(0, Number.MAX_SAFE_INTEGER).optional().describe('The index of the first entry'),
      limit: count(1, REFS_MAX)
        .default(100)
        .describe(`At most ${FULL_MAX}, of an outline ${REFS_MAX}; a page also ends after 4 MiB`),
      view: z.enum(['full', 'outline']).default('full'),
      clip,
      secrets: flag('Texts as they are stored, where the server allows it'),
      agent_id: agentId,
    }),
    response: z.object({
      total: z.number(),
      entries: z.array(
        z.union([
          gap,
          z.object({
            kind: z.literal('event'),
            ...placed,
            event,
            clipped: z.literal(true).optional(),
          }),
          z.object({
            kind: z.literal('summary'),
            ...placed,
            event,
            text: z.string(),
            clipped: z.literal(true).optional(),
          }),
          outlineEntry.extend({ kind: z.enum(['event', 'summary']), sessionId: z.string() }),
        ]),
      ),
      next: z.number().nullable(),
      lastBoundary: z.string().nullable(),
      contextEpoch: z.number(),
      degraded: z.boolean(),
    }),
    failures: [404, 409],
    run({ store, params, query, server }) {
      const { view, secrets, limit, ...place } = query
      const redactor = redactorFor(server, { secrets })
      const path = findLog(store, params.id)
      if (view === 'outline') return readMessageOutline(store, path, { ...place, redactor, limit })
      const options = { ...place, redactor, limit: checkLimit(limit, FULL_MAX, view) }
      return readMessagePage(store, path, options)
    },
  }),

  route({
    method: 'GET',
    path: '/api/sessions/:id/tree',
    scope: 'read',
    summary:
      'Branches, rewinds and compactions of a session, its ancestors, descendants and subagents',
    params: z.object({ id: sessionId }),
    query: z.object({ agent_id: agentId }),
    response: z.object({
      sessionId: z.string(),
      tip: z.string().nullable(),
      branches: z.array(z.looseObject({ firstUuid: z.string(), lastUuid: z.string() })),
      boundaries: z.array(z.looseObject({ uuid: z.string(), ts: z.string() })),
      rewinds: z.array(z.looseObject({ uuid: z.string(), ts: z.string() })),
      ancestors: z.array(relative).describe('The nearest first'),
      descendants: z.array(relative),
      subagents: z.array(
        z.object({
          taskId: z.string(),
          spawnUuid: z.string().nullable(),
          parentTaskId: z.string().nullable(),
          agentType: z.string().nullable(),
          title: z.string().nullable(),
          status: z.enum(['completed', 'timeout', 'aborted', 'failed', 'crashed', 'open']),
          tokens: z.number().nullable(),
          costMicroUsd: z.number().nullable(),
          startedAt: z.string().nullable(),
          endedAt: z.string().nullable(),
          bytes: z.number(),
        }),
      ),
    }),
    failures: [404, 409],
    run: ({ store, params }) =>
      readSurroundingsWithCosts(store, normalizeSessionKey(params.id), {
        redactor: defaultRedactor,
      }),
  }),
]
