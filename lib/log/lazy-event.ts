// An event whose payload is parsed when somebody looks at it. Until then it costs its bytes.

import { checkChecksum, type Envelope, readEnvelope, type SessionEvent } from '../format/index.js'

/**
 * The event of a line that is spelled as ours and proves itself; `undefined` for any other line.
 * The bytes must not change afterwards. A payload that is no JSON in spite of its checksum, which
 * our writer never writes, is `null`.
 */
export function lazyEvent(bytes: Buffer, start: number, end: number): SessionEvent | undefined {
  const envelope = readEnvelope(bytes, start, end)
  if (envelope === undefined || checkChecksum(bytes, start, end) !== 'valid') return undefined
  return new LazyEvent(envelope, bytes, start, end)
}

class LazyEvent implements SessionEvent {
  readonly type: string
  readonly ts: string
  readonly uuid: string
  readonly prev_uuid: string | null
  declare readonly payload: unknown
  #unread: Buffer | undefined
  readonly #start: number
  readonly #end: number
  #payload: unknown

  // Of the event itself, so that a copy of it has a payload, and the same for all of them: with a
  // function of its own each, V8 would keep every event as a dictionary.
  static readonly #payloadProperty: PropertyDescriptor & ThisType<LazyEvent> = {
    enumerable: true,
    configurable: true,
    get() {
      if (this.#unread !== undefined) {
        this.#payload = payloadOf(this.#unread.toString('utf8', this.#start, this.#end))
        this.#unread = undefined
      }
      return this.#payload
    },
  }

  constructor({ type, ts, uuid, prev_uuid }: Envelope, bytes: Buffer, start: number, end: number) {
    this.type = type
    this.ts = ts
    this.uuid = uuid
    this.prev_uuid = prev_uuid
    this.#unread = bytes
    this.#start = start
    this.#end = end
    Object.defineProperty(this, 'payload', LazyEvent.#payloadProperty)
  }
}

function payloadOf(line: string): unknown {
  try {
    return (JSON.parse(line) as { payload?: unknown }).payload ?? null
  } catch {
    return null
  }
}
