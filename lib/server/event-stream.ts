// Server-Sent Events. The stream makes its next event when the client has taken the last one, so a client
// that reads slowly makes nothing pile up here; one that does not read at all is closed by the server.

import type { Environment } from '../environment/index.js'
import { SessionError } from '../errors.js'
import { errorBody, toFailure } from './errors.js'
import type { StreamLimits } from './route.js'

export interface StreamedEvent {
  readonly event: string
  /** What a client that reconnects sends as `Last-Event-ID`. */
  readonly id?: string
  readonly data: object
}

export interface EventStreamOptions {
  readonly env: Environment
  readonly limits: StreamLimits
  /** Ends the stream: the client has gone, or the server stops. */
  readonly signal: AbortSignal
  /** Sent first, so that also a client that lost its connection before the first event can continue. */
  readonly startId?: string | undefined
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies that collect an answer before they pass it on.
  'x-accel-buffering': 'no',
}
const RETRY_MS = 2000
const RETRY_AFTER_SECONDS = 5
const HEARTBEAT = ': \n\n'

/** Answers with what `source` yields, until it ends or the signal aborts. */
export function toEventStream(
  source: (signal: AbortSignal) => AsyncIterator<StreamedEvent, void>,
  options: EventStreamOptions,
): Response {
  const { limits } = options
  if (limits.count >= limits.countMax) {
    const what = `${limits.countMax} streams are open, which is the limit of this server`
    throw new SessionError('ERR_RATE_LIMITED', what, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
  const stream = new EventStream(source, options)
  const body = new ReadableStream<Uint8Array>(stream, { highWaterMark: 0 })
  return new Response(body, { headers: HEADERS })
}

class EventStream {
  readonly #options: EventStreamOptions
  readonly #ended = new AbortController()
  readonly #events: AsyncIterator<StreamedEvent, void>
  readonly #encoder = new TextEncoder()
  #opening: string | undefined
  #isFailed = false
  #isClosed = false
  /** Asked for, and not taken yet. */
  #next: Promise<IteratorResult<StreamedEvent, void>> | undefined

  constructor(
    source: (signal: AbortSignal) => AsyncIterator<StreamedEvent, void>,
    options: EventStreamOptions,
  ) {
    this.#options = options
    const { signal, startId } = options
    this.#opening = `retry: ${RETRY_MS}\n${startId === undefined ? '' : `id: ${startId}\n`}\n`
    this.#events = source(this.#ended.signal)
    if (signal.aborted) this.#ended.abort()
    signal.addEventListener('abort', this.#abort, { once: true })
    options.limits.count++
    // Before the client has its answer, so that it misses nothing from then on.
    this.#next = this.#events.next()
    this.#next.catch(() => undefined)
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const text = await this.#readNext()
    if (text !== undefined) controller.enqueue(this.#encoder.encode(text))
    if (text !== undefined && !this.#isFailed) return
    this.#close()
    controller.close()
  }

  /** The client has gone. */
  cancel(): void {
    this.#close()
  }

  /** `undefined` at the end. */
  async #readNext(): Promise<string | undefined> {
    const opening = this.#opening
    this.#opening = undefined
    if (opening !== undefined) return opening
    try {
      this.#next ??= this.#events.next()
      const found = await this.#orHeartbeat(this.#next)
      if (found === undefined) return HEARTBEAT
      this.#next = undefined
      return found.done === true ? undefined : toText(found.value)
    } catch (thrown) {
      this.#isFailed = true
      return `event: problem\ndata: ${JSON.stringify(errorBody(toFailure(thrown), '-'))}\n\n`
    }
  }

  /** `undefined` when it takes longer than the time between two heartbeats. */
  async #orHeartbeat<Result>(next: Promise<Result>): Promise<Result | undefined> {
    const { timers } = this.#options.env
    let timer: ReturnType<typeof timers.setTimeout> | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = timers.setTimeout(() => resolve(undefined), this.#options.limits.heartbeatMs)
    })
    try {
      return await Promise.race([next, late])
    } finally {
      timers.clearTimeout(timer)
    }
  }

  readonly #abort = (): void => this.#ended.abort()

  /** The source ends with its signal. */
  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const { limits, signal } = this.#options
    limits.count--
    signal.removeEventListener('abort', this.#abort)
    this.#abort()
    // One that has not begun, or waits for the next event to be taken, does not see the signal.
    this.#events.return?.().catch(() => undefined)
  }
}

function toText({ event, id, data }: StreamedEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return `event: ${event}\n${idLine}data: ${JSON.stringify(data)}\n\n`
}
