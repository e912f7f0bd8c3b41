// One request to a server, one answer. Anything else is an error that says what happened, and never
// contains the key.

import { SessionError } from '../errors.js'

export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

// A summary has a few kilobytes, so a longer answer is not one.
const ANSWER_BYTES_MAX = 4 * 1024 * 1024
const SHOWN_CHARS = 300

/** The address of an endpoint below a base url, with or without a trailing slash. */
export function endpointUnder(base: string, path: string): string {
  if (typeof base !== 'string') throw new TypeError('The url of a summarizer must be a string')
  const url = URL.canParse(base) ? new URL(base) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new SessionError('ERR_ARG', `"${base}" is not the address of a server (http or https)`)
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return url.href
}

/** The whole answer; rejects unless the status is a success. */
export async function postForText(
  url: string,
  { headers = {}, body, signal }: PostOptions,
): Promise<string> {
  const response = await fetchFrom(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
    // A key is never sent to another server.
    redirect: 'error',
    signal,
  })
  const text = await readText(url, response, signal)
  if (response.ok) return text
  throw serverError(url, `it answered ${response.status}: ${shown(text)}`)
}

export type Answer = Readonly<Record<string, unknown>>

export function parseObject(url: string, text: string): Answer {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch (cause) {
    throw serverError(url, `its answer is not JSON: ${shown(text)}`, cause)
  }
  if (typeof answer === 'object' && answer !== null) return answer as Answer
  throw serverError(url, `its answer is not an object: ${shown(text)}`)
}

async function fetchFrom(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    request.signal?.throwIfAborted()
    throw serverError(url, `it cannot be reached (${reasonOf(error)})`, error)
  }
}

async function readText(url: string, response: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let byteCount = 0
  try {
    for await (const chunk of response.body ?? []) {
      byteCount += (chunk as Uint8Array).byteLength
      if (byteCount > ANSWER_BYTES_MAX) break
      text += decoder.decode(chunk as Uint8Array, { stream: true })
    }
  } catch (error) {
    signal.throwIfAborted()
    throw serverError(url, `its answer was cut off (${reasonOf(error)})`, error)
  }
  if (byteCount > ANSWER_BYTES_MAX) {
    throw serverError(url, `its answer is longer than ${ANSWER_BYTES_MAX} bytes`)
  }
  return text + decoder.decode()
}

export function serverError(url: string, what: string, cause?: unknown): SessionError {
  const { origin, pathname } = new URL(url)
  const place = `${origin}${pathname}`
  return new SessionError('ERR_SUMMARIZER', `No summary from ${place}: ${what}`, {
    url: place,
    ...(cause !== undefined && { cause }),
  })
}

/** The reason of a failed connection is in the cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  const { code, message: inner } = (cause ?? {}) as NodeJS.ErrnoException
  return code ?? inner ?? message
}

function shown(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line === '' ? '(nothing)' : line.slice(0, SHOWN_CHARS).toWellFormed()
}
