// What a route is: where it is found, who may call it, what it takes and answers, and what it does. The
// router, the checks, the OpenAPI document and the contract tests read the same definition.

import type * as z from 'zod'
import type { SessionPages, StoreContext, StoreWatch } from '../store/index.js'

export const SCOPES = ['read', 'recall', 'remember'] as const

/** What a token may be used for. */
export type Scope = (typeof SCOPES)[number]

/** What streams have in common. */
export interface StreamLimits {
  /** How often something is sent where nothing happens. */
  readonly heartbeatMs: number
  /** Streams at the same time. */
  readonly countMax: number
  count: number
}

/** What a route needs of the server. */
export interface RouteServer {
  /** Folders whose files a request may name as a transcript. */
  readonly transcriptRoots: readonly string[]
  /** Routes that write are answered. */
  readonly allowWrite: boolean
  /** A request may ask for texts as they are stored. */
  readonly allowSecrets: boolean
  /** Aborted when the server stops: streams end then. */
  readonly closing: AbortSignal
  /** The list of sessions of an agent, kept from request to request. */
  sessionPages(store: StoreContext): SessionPages
  /** The watches that streams share. */
  readonly watch: StoreWatch
  readonly streams: StreamLimits
  /** The document of the API. */
  openApi(): object
}

/** One request, after every check. */
export interface RouteCall<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** As the agent of the request sees it. */
  readonly store: StoreContext
  /** What the token of the request allows. */
  readonly scopes: readonly Scope[]
  readonly headers: Headers
  /** Aborted when the client has gone or the time for the answer is over. */
  readonly signal: AbortSignal
  readonly server: RouteServer
}

type None = z.ZodObject<Record<never, never>>

export interface Route<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
> {
  readonly method: 'GET' | 'POST'
  /** `:name` is a parameter. A literal path wins over one with a parameter. */
  readonly path: string
  /** What the token must allow. */
  readonly scope: Scope
  /** It writes: only a server that allows it answers. */
  readonly isWrite?: true
  /** It answers with Server-Sent Events: no time limit. */
  readonly isStream?: true
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** Of a successful answer; of a stream, the data of an event. */
  readonly response: z.ZodType
  /** The other answers, besides those that every route may give. */
  readonly failures?: readonly number[]
  run(
    call: RouteCall<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): object | Promise<object | Response>
}

/** Ties the types of a call to the schemas it was read by. */
export function route<
  Params extends z.ZodObject = None,
  Query extends z.ZodObject = None,
  Body extends z.ZodObject = None,
>(definition: Route<Params, Query, Body>): Route {
  return definition as unknown as Route
}
