// A server on this machine that speaks the three APIs, and can be slow, wrong, cut off or silent.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'

export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
  readonly body: any
}

export type Behaviour = (response: ServerResponse, asked: Asked) => void

export interface ModelServer extends AsyncDisposable {
  readonly url: string
  readonly asked: readonly Asked[]
  behaviour: Behaviour
  /** Resolves once a request has come in that was not there before. */
  nextRequest(): Promise<Asked>
}

export const TEXT = '## State\nThe key is renamed.\n\n## Decisions\n- Both files'

/** The right answer of whichever API was asked. */
export const good: Behaviour = (response, { path }) => {
  if (path === '/api/chat') {
    const [first, second] = [TEXT.slice(0, 10), TEXT.slice(10)]
    response.write(`${JSON.stringify({ model: 'm', message: { content: first }, done: false })}\n`)
    const last = { model: 'm', message: { content: second }, done: true, eval_count: 12 }
    response.end(`${JSON.stringify(last)}\n`)
  } else if (path.endsWith('/chat/completions')) {
    const choices = [{ message: { role: 'assistant', content: TEXT } }]
    response.end(JSON.stringify({ model: 'm', choices, usage: { completion_tokens: 12 } }))
  } else {
    const content = [{ type: 'text', text: TEXT }]
    response.end(JSON.stringify({ model: 'm', content, usage: { output_tokens: 12 } }))
  }
}

export const silent: Behaviour = () => {}

export const answering =
  (status: number, body: string): Behaviour =>
  (response) => {
    response.statusCode = status
    response.end(body)
  }

/** Promises more than it sends, and hangs up. */
export const cutOff: Behaviour = (response) => {
  response.setHeader('content-length', 5000)
  response.write('{"model":"m","message":{"content":"The key')
  setImmediate(() => response.destroy())
}

/** One for all tests of a file, well behaved at the start of each. */
export function withModelServer(use: (server: ModelServer) => void): void {
  let server: ModelServer
  beforeAll(async () => {
    server = await modelServer()
    use(server)
  })
  beforeEach(() => {
    server.behaviour = good
  })
  afterAll(() => server[Symbol.asyncDispose]())
}

export async function modelServer(): Promise<ModelServer> {
  const asked: Asked[] = []
  const waiting: ((request: Asked) => void)[] = []
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const one: Asked = { path: request.url ?? '', headers: request.headers, body }
      asked.push(one)
      for (const tell of waiting.splice(0)) tell(one)
      it.behaviour(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const it: ModelServer = {
    url: `http://127.0.0.1:${port}`,
    asked,
    behaviour: good,
    nextRequest: () => new Promise((resolve) => waiting.push(resolve)),
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return it
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString() || 'null')
}

/** A timeout that is triggered by an event instead of a clock. */
export function abortOn(promise: Promise<unknown>): AbortSignal {
  const controller = new AbortController()
  void promise.then(() => controller.abort(new Error('no longer needed')))
  return controller.signal
}
