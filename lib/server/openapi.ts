// The OpenAPI document, made from the routes.

import * as z from 'zod'
import { PACKAGE_VERSION } from '../version.js'
import { errorSchema } from './errors.js'
import type { Route } from './route.js'

/** Answers of every route: bad input, no token, not allowed, too many requests. */
const EVERYWHERE = [400, 401, 403, 421, 429]

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'No token, or an unknown one',
  403: 'The token or the server does not allow it',
  404: 'There is none',
  409: 'Another runtime path records the session',
  413: 'The body is too large',
  415: 'The body is not JSON',
  421: 'The Host header names another server',
  429: 'Too many requests; Retry-After says when to come back',
  501: 'It needs a database of memories, which this store does not have',
  503: 'A lock or the time limit',
}

export function toOpenApi(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const one of routes) {
    const path = one.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: toOperation(one) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'jsonl-session',
      version: PACKAGE_VERSION,
      description: 'Sessions of coding agents: hooks, checkpoints, transcripts, searches.',
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: toSchema(errorSchema, 'output') },
    },
  }
}

/** The statuses that a route may answer with, besides 200. */
export function documentedFailures({ body, isStream, failures = [] }: Route): number[] {
  const ofBody = body === undefined ? [] : [413, 415]
  const ofTime = isStream === true ? [] : [503]
  return [...new Set([...EVERYWHERE, ...ofBody, ...ofTime, ...failures])].sort(
    (left, right) => left - right,
  )
}

function toOperation(one: Route): object {
  const { method, path, scope, isWrite, isStream, summary, params, query, body, response } = one
  const parameters = [...toParameters('path', params), ...toParameters('query', query)]
  const type = isStream === true ? 'text/event-stream' : 'application/json'
  const answers = documentedFailures(one).map((status) => [
    String(status),
    {
      description: TITLES[status],
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ])
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^a-z]+(\w)/gi, (_, letter) => letter.toUpperCase())}`,
    summary,
    'x-scope': scope,
    'x-writes': isWrite === true,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: toSchema(body, 'input') } },
      },
    }),
    responses: {
      200: { description: 'Done', content: { [type]: { schema: toSchema(response, 'output') } } },
      ...Object.fromEntries(answers),
    },
  }
}

function toParameters(place: 'path' | 'query', schema: z.ZodObject | undefined): object[] {
  if (schema === undefined) return []
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...rest } = toSchema(field as z.ZodType, 'input') as Record<
      string,
      unknown
    >
    const required = place === 'path' || !(field as z.ZodType).safeParse(undefined).success
    return {
      name,
      in: place,
      required,
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
