// Streams: the entries of a log as they are appended, and which sessions change.

import * as z from 'zod'
import type { FollowEntry } from '../../log/index.js'
import { findEndCursor, type LogChange, toFullEntry, toOutline } from '../../store/index.js'
import { type StreamedEvent, toEventStream } from '../event-stream.js'
import { route } from '../route.js'
import { clip, cursor, findLog, redactorFor, task } from './browse.js'
import { agentId, flag, sessionId } from './fields.js'
import { fullEntry, outlineEntry } from './schemas.js'

export const FOLLOW_ROUTES = [
  route({
    method: 'GET',
    path: '/api/sessions/:id/follow',
    scope: 'read',
    isStream: true,
    summary: 'A stream of the entries that are appended to the log of a session',
    params: z.object({ id: sessionId }),
    query: z.object({
      from: cursor.optional().describe('As Last-Event-ID, which wins; default: from now'),
      log: task,
      clip,
      secrets: flag('Texts as they are stored, where the server allows it'),
      agent_id: agentId,
    }),
    response: z.intersection(fullEntry, z.object({ outline: outlineEntry })),
    failures: [404, 409],
    run({ store, params, query, headers, server, signal }) {
      const { clip, secrets, log } = query
      const options = { clip, redactor: redactorFor(server, { secrets }) }
      const path = findLog(store, params.id, log)
      const last = headers.get('last-event-id') ?? query.from
      const from = last === undefined || last === '' ? findEndCursor(store, path) : last
      return toEventStream(
        (ended) =>
          mapEvents(server.watch.follow(store, path, { from, signal: ended }), (entry) =>
            toEntryEvent(entry, options),
          ),
        { env: store.env, limits: server.streams, signal, startId: from },
      )
    },
  }),

  route({
    method: 'GET',
    path: '/api/follow',
    scope: 'read',
    isStream: true,
    summary: 'A stream of the sessions that change',
    query: z.object({ agent_id: agentId }),
    response: z.object({ sessionId: z.string(), bytes: z.number() }),
    run: ({ store, server, signal }) =>
      toEventStream(
        (ended) => mapEvents(server.watch.changes(store, { signal: ended }), toChangeEvent),
        { env: store.env, limits: server.streams, signal },
      ),
  }),
]

function toEntryEvent(
  entry: FollowEntry,
  options: Parameters<typeof toFullEntry>[1],
): StreamedEvent {
  if (entry.kind === 'replaced') return { event: 'replaced', id: entry.cursor, data: {} }
  const { item } = toFullEntry(entry, options)
  const outline = toOutline(entry, options.redactor)
  return { event: 'entry', id: entry.cursor, data: { ...item, outline } }
}

function toChangeEvent(data: LogChange): StreamedEvent {
  return { event: 'changed', data }
}

async function* mapEvents<Item>(
  items: AsyncIterable<Item>,
  toEvent: (item: Item) => StreamedEvent,
): AsyncGenerator<StreamedEvent, void, undefined> {
  for await (const item of items) yield toEvent(item)
}
