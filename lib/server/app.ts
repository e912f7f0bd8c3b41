// The routes behind their checks: name of the server, origin, token, limit, scope, input. Any failure is
// an answer, so no request ends the process.

import type { Context, Hono } from 'hono'
import { SessionError } from '../errors.js'
import { forAgent, SessionPages, type StoreContext, StoreWatch } from '../store/index.js'
import { errorBody, toFailure } from './errors.js'
import { requestIdOf, SECURITY_HEADERS } from './guards/headers.js'
import { RateLimit } from './guards/rate-limit.js'
import { checkInput, readBody } from './guards/read-input.js'
import { checkHost, checkOrigin, LOOPBACK_NAMES } from './guards/same-origin.js'
import { ANY_AGENT, type KnownToken, type ServerToken, TokenList } from './guards/tokens.js'
import { loadHono } from './load-packages.js'
import { toOpenApi } from './openapi.js'
import type { Route, RouteServer } from './route.js'
import { ROUTES } from './routes.js'
import { readAsset } from './static-files.js'

export interface ServerAppOptions {
  /** Who may call. There is no server without a token. */
  tokens: readonly ServerToken[]

  /**
   * Names and addresses, without ports, under which clients reach the server. A request with another
   * Host header is refused.
   *
   * @default 127.0.0.1, localhost and [::1]
   */
  allowedHosts?: readonly string[] | undefined

  /**
   * Answer the routes that write: hooks and bypass.
   *
   * @default false
   */
  allowWrite?: boolean | undefined

  /**
   * Answer requests for texts as they are stored, secrets included.
   *
   * @default false
   */
  allowSecrets?: boolean | undefined

  /**
   * Folders whose files a request may name as a transcript.
   *
   * @default none
   */
  transcriptRoots?: readonly string[] | undefined

  /**
   * Requests of one token per second; ten times as many may come at once. 0: no limit.
   *
   * @default 50
   */
  rateLimit?: number | undefined

  /**
   * The largest body of a request, in bytes.
   *
   * @default 8 MiB
   */
  bodyBytesMax?: number | undefined

  /**
   * How long a request may take; a stream may take longer.
   *
   * @default 30,000
   */
  timeoutMs?: number | undefined

  /**
   * The folder of the built viewer, served without a token at `/`.
   *
   * @default none
   */
  assets?: string | undefined

  /**
   * How often a stream sends something where nothing happens.
   *
   * @default 15,000
   */
  heartbeatMs?: number | undefined

  /**
   * Streams at the same time; one more is answered with 429.
   *
   * @default 1000
   */
  streamsMax?: number | undefined

  /**
   * Ends the streams when it is aborted.
   *
   * @default never
   */
  closing?: AbortSignal | undefined

  /**
   * Called with each unexpected failure (status 500) and the id of its request.
   *
   * @default none
   */
  onProblem?: ((text: string) => void) | undefined
}

/** A handler of requests, for any server that speaks in `Request` and `Response`. */
export interface ServerApp {
  readonly fetch: (request: Request) => Promise<Response>
}

const BODY_BYTES_MAX = 8 * 1024 * 1024
const TIMEOUT_MS = 30_000
const RATE_LIMIT = 50
const HEARTBEAT_MS = 15_000
const STREAMS_MAX = 1000

/**
 * The HTTP API of a store. Rejects with ERR_MISSING_PACKAGE where `hono` is not installed.
 *
 * @example
 * const app = await createServerApp(openStore(), { tokens: [{ token }] })
 */
export async function createServerApp(
  store: StoreContext,
  options: ServerAppOptions,
): Promise<ServerApp> {
  const { Hono } = await loadHono()
  const hono = new Hono()
  const app = new App(store, options)
  app.register(hono)
  const { fetch: handle } = hono
  return { fetch: async (request) => handle(request) }
}

class App {
  readonly #store: StoreContext
  readonly #options: ServerAppOptions
  readonly #tokens: TokenList
  readonly #limit: RateLimit
  readonly #hosts: readonly string[]
  readonly #server: RouteServer

  constructor(store: StoreContext, options: ServerAppOptions) {
    this.#store = store
    this.#options = options
    this.#tokens = new TokenList(options.tokens)
    this.#limit = new RateLimit(options.rateLimit ?? RATE_LIMIT, store.env)
    this.#hosts = (options.allowedHosts ?? LOOPBACK_NAMES).map((name) => name.toLowerCase())
    let document: object | undefined
    this.#server = {
      transcriptRoots: options.transcriptRoots ?? [],
      allowWrite: options.allowWrite === true,
      allowSecrets: options.allowSecrets === true,
      watch: new StoreWatch(),
      streams: {
        heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
        countMax: options.streamsMax ?? STREAMS_MAX,
        count: 0,
      },
      closing: options.closing ?? new AbortController().signal,
      sessionPages: keepSessionPages(),
      openApi: () => {
        document ??= toOpenApi(ROUTES)
        return document
      },
    }
  }

  /** Literal paths first, so that `:key` does not take them. */
  register(hono: Hono): void {
    const paths = [...new Set(ROUTES.map(({ path }) => path))].sort(literalFirst)
    for (const path of paths) {
      const own = ROUTES.filter((route) => route.path === path)
      for (const route of own) {
        hono.on(route.method, path, (context) =>
          this.#answer(context, () => this.#run(route, context)),
        )
      }
      const methods = own.map(({ method }) => method)
      hono.all(path, (context) =>
        this.#answer(context, () => {
          this.#enter(context)
          throw new SessionError('ERR_METHOD', `${path} takes ${methods.join(' and ')}`)
        }),
      )
    }
    hono.all('*', (context) => this.#answer(context, () => this.#other(context)))
  }

  /** Runs the work of a request. Whatever is thrown becomes an answer. */
  async #answer(context: Context, work: () => Response | Promise<Response>): Promise<Response> {
    const requestId = requestIdOf(context.req.raw.headers, this.#store.env.newUuid)
    const headers = { ...SECURITY_HEADERS, 'x-request-id': requestId }
    try {
      checkHost(context.req.raw.headers, this.#hosts)
      const response = await work()
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
      return response
    } catch (thrown) {
      const failure = toFailure(thrown)
      const isGone = context.req.raw.signal.aborted
      if (failure.status === 500 && !isGone) this.#report(thrown, requestId)
      const { retryAfterSeconds } = failure.details
      const extra = {
        'cache-control': 'no-store',
        ...(failure.status === 401 && { 'www-authenticate': 'Bearer realm="jsonl-session"' }),
        ...(failure.status === 429 && { 'retry-after': String(retryAfterSeconds) }),
      }
      const init = { status: failure.status, headers: { ...headers, ...extra } }
      return Response.json(errorBody(failure, requestId), init)
    }
  }

  async #run(route: Route, context: Context): Promise<Response> {
    const token = this.#enter(context)
    this.#checkAllowed(route, token)
    const request = context.req.raw
    // Hono answers it with the head of a GET, whose stream would never end.
    if (route.isStream === true && request.method === 'HEAD') {
      throw new SessionError('ERR_METHOD', `${route.path} takes GET`)
    }
    const bytesMax = this.#options.bodyBytesMax ?? BODY_BYTES_MAX
    const body = route.body && checkInput(route.body, await readBody(request, bytesMax), 'body')
    const query = checkInput(route.query, context.req.query(), 'query')
    const params = checkInput(route.params, context.req.param(), 'path')
    const named = (body as { agentId?: string } | undefined)?.agentId
    const store = this.#storeOf(token, named ?? (query as { agent_id?: string }).agent_id)
    const { headers } = request
    const { scopes } = token
    const call = { params, query, body: body ?? {}, store, scopes, headers }
    const answer = await this.#inTime(route, request.signal, (signal) =>
      route.run({ ...call, signal, server: this.#server }),
    )
    if (answer instanceof Response) return answer
    return Response.json(answer, { headers: { 'cache-control': 'no-store' } })
  }

  /** The checks of every route of the API. */
  #enter({ req }: Context): KnownToken {
    const { headers } = req.raw
    checkOrigin(headers)
    try {
      const token = this.#tokens.find(headers)
      this.#limit.take(token.name)
      return token
    } catch (error) {
      if ((error as SessionError).code === 'ERR_UNAUTHORIZED') this.#limit.take('unknown')
      throw error
    }
  }

  #checkAllowed({ scope, isWrite }: Route, { scopes }: KnownToken): void {
    if (!scopes.includes(scope)) {
      throw new SessionError('ERR_FORBIDDEN', `The token does not have the scope ${scope}`, {
        scope,
      })
    }
    if (isWrite !== true || this.#options.allowWrite === true) return
    throw new SessionError('ERR_FORBIDDEN', 'This server only reads: start it with --allow-write')
  }

  /** A token of one agent reaches no other. */
  #storeOf({ agent }: KnownToken, named: string | undefined): StoreContext {
    if (agent === ANY_AGENT) return named === undefined ? this.#store : forAgent(this.#store, named)
    if (named === undefined || named === agent) return forAgent(this.#store, agent)
    throw new SessionError('ERR_FORBIDDEN', 'The token is for another agent', { agent: named })
  }

  /** A handler that does not answer in time is aborted, and the client gets ERR_TIMEOUT. */
  async #inTime<Result>(
    { isStream }: Route,
    gone: AbortSignal,
    work: (signal: AbortSignal) => Result | Promise<Result>,
  ): Promise<Result> {
    if (isStream === true) return work(AbortSignal.any([gone, this.#server.closing]))
    const { timers } = this.#store.env
    const { timeoutMs = TIMEOUT_MS } = this.#options
    const controller = new AbortController()
    let timer: ReturnType<typeof timers.setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = timers.setTimeout(() => {
        const seconds = timeoutMs / 1000
        reject(new SessionError('ERR_TIMEOUT', `The answer takes longer than ${seconds} s`))
        controller.abort()
      }, timeoutMs)
    })
    try {
      return await Promise.race([work(AbortSignal.any([gone, controller.signal])), late])
    } finally {
      timers.clearTimeout(timer)
    }
  }

  /** Files of the viewer; of the API, nothing is here. */
  #other(context: Context): Response {
    const { path, method, raw } = context.req
    if (path === '/api' || path.startsWith('/api/')) {
      this.#enter(context)
      throw new SessionError('ERR_NOT_FOUND', `There is no route ${method} ${path.slice(0, 200)}`)
    }
    if (method !== 'GET' && method !== 'HEAD') {
      throw new SessionError('ERR_METHOD', 'Files are read with GET')
    }
    return readAsset(this.#store, this.#options.assets, new URL(raw.url).pathname)
  }

  #report(thrown: unknown, requestId: string): void {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
    this.#options.onProblem?.(`${requestId}: ${text}`)
  }
}

const KEPT_LISTS_MAX = 8

/** One list for each agent; a token for all agents may name any number of them. */
function keepSessionPages(): (store: StoreContext) => SessionPages {
  const kept = new Map<string, SessionPages>()
  return (store) => {
    const pages = kept.get(store.agent) ?? new SessionPages(store)
    kept.delete(store.agent)
    kept.set(store.agent, pages)
    const [oldest] = kept.keys()
    if (kept.size > KEPT_LISTS_MAX) kept.delete(oldest!)
    return pages
  }
}

function literalFirst(one: string, other: string): number {
  const [left, right] = [one, other].map((path) => path.split('/'))
  for (let index = 0; index < Math.min(left!.length, right!.length); index++) {
    const difference =
      Number(left![index]!.startsWith(':')) - Number(right![index]!.startsWith(':'))
    if (difference !== 0) return difference
  }
  return 0
}
