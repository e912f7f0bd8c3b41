// A server in this process, and a client that checks every answer against the document of the API.

import type { TestContext } from 'vitest'
import { expect } from 'vitest'
import { errorSchema } from '../../lib/server/errors.js'
import { createServerApp, type ServerAppOptions } from '../../lib/server/index.js'
import { documentedFailures } from '../../lib/server/openapi.js'
import type { Route } from '../../lib/server/route.js'
import { ROUTES } from '../../lib/server/routes.js'
import { type ContextOptions, openContext, type StoreContext } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

export const TOKEN = 'a-token-of-the-tests'
export const HOST = '127.0.0.1:4350'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly body: any
}

export interface TestServer {
  readonly store: StoreContext
  readonly root: string
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  send(path: string, init: RequestInit): Promise<Response>
}

type Options = Partial<ServerAppOptions> & Pick<ContextOptions, 'environment'>

export async function startApp(
  t: Pick<TestContext, 'onTestFinished'>,
  { environment, ...options }: Options = {},
): Promise<TestServer> {
  const root = temporaryFolder(t)
  const store = openContext({ root, home: root, environment })
  return { root, ...(await appOf(store, options)) }
}

export async function appOf(
  store: StoreContext,
  options: Partial<ServerAppOptions> = {},
): Promise<Omit<TestServer, 'root'>> {
  const app = await createServerApp(store, {
    tokens: [{ token: TOKEN }],
    allowWrite: true,
    rateLimit: 0,
    ...options,
  })
  const send = (path: string, { headers, ...init }: RequestInit) => {
    const all = { host: HOST, authorization: `Bearer ${TOKEN}`, ...(headers as object) }
    return app.fetch(new Request(`http://${HOST}${path}`, { headers: all, ...init }))
  }
  const call = async (method: 'GET' | 'POST', path: string, init: RequestInit): Promise<Answer> => {
    const response = await send(path, { method, ...init })
    const body = await response.json()
    checkAnswer(method, path, response.status, body)
    return { status: response.status, headers: response.headers, body }
  }
  return {
    store,
    send,
    get: (path, headers = {}) => call('GET', path, { headers }),
    post: (path, body, headers = {}) =>
      call('POST', path, {
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
  }
}

/** Real answers have the shape that the document promises, and statuses that it lists. */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  const route = findRoute(method, path)
  if (status !== 200) {
    errorSchema.parse(body)
    if (route !== undefined) expect(documentedFailures(route)).toContain(status)
    return
  }
  expect(route, `${method} ${path} is in no table`).toBeDefined()
  // A field that the document does not have would be gone.
  expect(route!.response.parse(body)).toEqual(body)
}

export function findRoute(method: string, path: string): Route | undefined {
  const parts = path.split('?')[0]!.split('/')
  const fits = (route: Route) => {
    const own = route.path.split('/')
    return (
      own.length === parts.length &&
      own.every((word, at) => word.startsWith(':') || word === parts[at])
    )
  }
  const found = ROUTES.filter((route) => route.method === method && fits(route))
  return found.sort((one, other) => one.path.split(':').length - other.path.split(':').length)[0]
}
