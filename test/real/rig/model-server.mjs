// A model server on loopback that speaks the wire protocols of the clients. It keeps every request, because
// what a client sends on resume is the oracle of an import.

import { createServer } from 'node:http'
import { Script } from './script.mjs'

/**
 * A wire protocol: `matches(path)`, and `answer({ body, path, script, response, wait })`, which writes the
 * whole response. `wait(seconds)` ends early when the server closes.
 *
 * @returns `{ port, requests, close }`; a request is `{ path, headers, body, protocol }`.
 */
export async function startModelServer(protocols) {
  const requests = []
  const script = new Script()
  const closing = new AbortController()
  const wait = (seconds) =>
    new Promise((resolve) => {
      const stop = () => {
        clearTimeout(timer)
        closing.signal.removeEventListener('abort', stop)
        resolve()
      }
      const timer = setTimeout(stop, seconds * 1000)
      closing.signal.addEventListener('abort', stop)
    })
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { pathname: path } = new URL(request.url, 'http://localhost')
      const body = parse(Buffer.concat(chunks).toString('utf8'))
      const protocol = protocols.find((one) => one.matches(path, request.method))
      requests.push({ path, headers: request.headers, body, protocol: protocol?.name })
      if (protocol === undefined) return sendJson(response, 404, { error: { message: path } })
      Promise.resolve(protocol.answer({ body, path, script, response, wait })).catch((error) => {
        console.error(error)
        response.destroy()
      })
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: server.address().port,
    requests,
    async close() {
      closing.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function sendJson(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

/** Begins a stream of server-sent events; returns the function that sends one. */
export function startEvents(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  return (data, event) =>
    response.write(
      `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`,
    )
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
