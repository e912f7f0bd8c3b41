// A browser sends requests to this server for any page that asks it to. A page elsewhere whose name was
// made to resolve to this address is known by the Host header, any other by the Origin.

import { SessionError } from '../../errors.js'

export const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]']

/** Throws for a Host that is not in the list (names without a port). */
export function checkHost(headers: Headers, allowed: readonly string[]): void {
  const host = headers.get('host') ?? ''
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '')
  if (allowed.includes(name)) return
  const what = `This server has another name than "${host.slice(0, 100)}"`
  throw new SessionError('ERR_WRONG_HOST', what)
}

/** Throws for a request that a page of another site sends. */
export function checkOrigin(headers: Headers): void {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site') ?? 'none'
  const isOwn = origin === null || hostOf(origin) === headers.get('host')?.toLowerCase()
  if (isOwn && (site === 'none' || site === 'same-origin')) return
  throw new SessionError('ERR_FORBIDDEN', 'A page of another site may not call this server')
}

function hostOf(origin: string): string | undefined {
  const [, host] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? []
  return host?.toLowerCase()
}
