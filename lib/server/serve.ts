// Listens for requests. A server that is stopped first answers those that have begun.

import { join } from 'node:path'
import type { ServerType } from '@hono/node-server'
import { SessionError } from '../errors.js'
import type { StoreContext } from '../store/index.js'
import { createServerApp, type ServerAppOptions } from './app.js'
import { LOOPBACK_NAMES } from './guards/same-origin.js'
import { readOrCreateTokenFile, readTokenFile } from './guards/token-file.js'
import { loadNodeServer } from './load-packages.js'

export interface ServeOptions extends Omit<ServerAppOptions, 'tokens' | 'closing'> {
  /**
   * The address to listen on.
   *
   * @default '127.0.0.1'
   */
  host?: string | undefined

  /**
   * 0: any that is free.
   *
   * @default 4350
   */
  port?: number | undefined

  /**
   * The file with the tokens, which must be there.
   *
   * @default `server.token` in the home of the store, created if it is missing
   */
  tokenFile?: string | undefined

  /**
   * Close a connection on which nothing moves for so long: its client does not read.
   *
   * @default 45,000
   */
  stallMs?: number | undefined
}

/** A server that listens. */
export interface RunningServer {
  readonly host: string
  readonly port: number
  readonly url: string
  /** The address of the page, with the first token in the fragment, which browsers do not send. */
  readonly pageUrl: string
  readonly tokenFile: string
  /** Takes no new connection, answers what has begun, and resolves within five seconds. */
  close(): Promise<void>
}

const HOST = '127.0.0.1'
const PORT = 4350
const DRAIN_MS = 4500
const HEADERS_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 5000
// Longer than a request may take, and than the time between two heartbeats of a stream.
const STALL_MS = 45_000
const ANY_ADDRESS = ['0.0.0.0', '::', '[::]']

/**
 * Serves a store over HTTP. Rejects with ERR_MISSING_PACKAGE where `hono` or `@hono/node-server` is not
 * installed, and with ERR_ADDRESS where it cannot listen.
 */
export async function serve(
  store: StoreContext,
  { host = HOST, port = PORT, tokenFile, stallMs = STALL_MS, ...options }: ServeOptions = {},
): Promise<RunningServer> {
  const { createAdaptorServer } = await loadNodeServer()
  const path = tokenFile ?? join(store.layout.home, 'server.token')
  const tokens =
    tokenFile === undefined ? readOrCreateTokenFile(store, path) : readTokenFile(store, path)
  const closing = new AbortController()
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const names = ANY_ADDRESS.includes(host) ? LOOPBACK_NAMES : [...LOOPBACK_NAMES, name]
  const allowedHosts = [...names, ...(options.allowedHosts ?? [])]
  const app = await createServerApp(store, {
    ...options,
    allowedHosts,
    tokens,
    closing: closing.signal,
  })
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    serverOptions: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: 2 * HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
  })
  setStallTime(server, stallMs)
  await listen(server, host, port)
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  const url = `http://${name}:${bound}/`
  let closed: Promise<void> | undefined
  return {
    host,
    port: bound,
    url,
    pageUrl: `${url}#token=${tokens[0]!.token}`,
    tokenFile: path,
    close: () => {
      closed ??= drain(store, server, closing)
      return closed
    },
  }
}

/** Node closes a connection when its time is over and none of the bytes that wait was taken. */
function setStallTime(server: ServerType, ms: number): void {
  if ('setTimeout' in server) server.setTimeout(ms)
}

function listen(server: ServerType, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const what =
        cause.code === 'EADDRINUSE'
          ? `Port ${port} of ${host} is in use: stop the program that has it, or choose another with --port`
          : `Cannot listen on port ${port} of ${host} (${cause.code})`
      reject(new SessionError('ERR_ADDRESS', what, { cause, host, port, errno: cause.code }))
    })
    server.listen(port, host, resolve)
  })
}

async function drain(
  { env: { timers } }: StoreContext,
  server: ServerType,
  closing: AbortController,
): Promise<void> {
  const connections = server as ServerType & {
    closeIdleConnections?(): void
    closeAllConnections?(): void
  }
  const ended = new Promise<void>((resolve) => server.close(() => resolve()))
  closing.abort()
  connections.closeIdleConnections?.()
  const timer = timers.setTimeout(() => connections.closeAllConnections?.(), DRAIN_MS)
  await ended
  timers.clearTimeout(timer)
}
