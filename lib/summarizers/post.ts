// One question to a server, one answer. Whatever else comes back is an error that says what
// it was, and never the key it was asked with.

import { SessionError } from '../errors.js'

export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

// A summary has a few kilobytes; whoever sends more is not answering the question.
const ANSWER_BYTES_MAX = 4 * 1024 * 1024
const SHOWN_CHARS = 300

/** The whole answer; rejects unless the server says that it is one. */
export async function postForText(
  url: string,
  { headers = {}, body, signal }: PostOptions,
): Promise<string> {
  const response = await fetchFrom(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
    // Keys go to the server they were meant for, and nowhere else.
    redirect: 'error',
    signal,
  })
  const text = await readText(url, response, signal)
  if (response.ok) return text
  throw failed(url, `it answered ${response.status}: ${shown(text)}`)
}

export async function postForObject(url: string, options: PostOptions): Promise<Answer> {
  return objectIn(url, await postForText(url, options))
}

export type Answer = Readonly<Record<string, unknown>>

export function objectIn(url: string, text: string): Answer {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch (cause) {
    throw failed(url, `its answer is no JSON: ${shown(text)}`, cause)
  }
  if (typeof answer === 'object' && answer !== null) return answer as Answer
  throw failed(url, `its answer is no object: ${shown(text)}`)
}

/** The text of an answer; `where` says where in the answer it should have been. */
export function textIn(url: string, text: unknown, where: string): string {
  if (typeof text === 'string' && text.trim() !== '') return text.trim()
  throw failed(url, `its answer has no text in ${where}`)
}

async function fetchFrom(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    request.signal?.throwIfAborted()
    throw failed(url, `it cannot be reached (${reasonOf(error)})`, error)
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
    throw failed(url, `its answer was cut off (${reasonOf(error)})`, error)
  }
  if (byteCount > ANSWER_BYTES_MAX) {
    throw failed(url, `its answer is longer than ${ANSWER_BYTES_MAX} bytes`)
  }
  return text + decoder.decode()
}

export function failed(url: string, what: string, cause?: unknown): SessionError {
  const { origin, pathname } = new URL(url)
  const place = `${origin}${pathname}`
  return new SessionError('ERR_SUMMARIZER', `No summary from ${place}: ${what}`, {
    url: place,
    ...(cause !== undefined && { cause }),
  })
}

/** What went wrong with a connection stands in the cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  const { code, message: inner } = (cause ?? {}) as NodeJS.ErrnoException
  return code ?? inner ?? message
}

function shown(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line === '' ? '(nothing)' : line.slice(0, SHOWN_CHARS).toWellFormed()
}
