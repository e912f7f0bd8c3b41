// Where a server answers, checked before anybody waits for it.

import { SessionError } from '../errors.js'

/** The address of an endpoint under the one that was given, with or without its last slash. */
export function placeUnder(base: string, path: string): string {
  if (typeof base !== 'string') throw new TypeError('The url of a summarizer must be a string')
  const url = URL.canParse(base) ? new URL(base) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new SessionError('ERR_ARG', `"${base}" is no address of a server (http or https)`)
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return url.href
}
