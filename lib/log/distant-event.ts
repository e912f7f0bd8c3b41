// An event of which only the envelope and the place of its line are kept, for going through files
// of any size. What else it says is read from the file when somebody looks at it.

import type { SessionEvent } from '../format/index.js'
import { readFullySync } from './fill-lines.js'
import { lazyEvent } from './lazy-event.js'
import { withOpenLog } from './open-for-reading.js'

export type LinePlace = Pick<SessionEvent, 'type' | 'uuid' | 'prev_uuid'> & {
  readonly byte_offset: number
  readonly length: number
}

type Rest = Pick<SessionEvent, 'ts' | 'payload'>

/** Of a line that was whole, and is not there any more. */
const GONE: Rest = { ts: '', payload: null }

export class DistantEvent implements SessionEvent {
  readonly type: string
  readonly uuid: string
  readonly prev_uuid: string | null
  readonly #path: string
  readonly #byteOffset: number
  readonly #length: number
  #rest: Rest | undefined

  static readonly #heldProperties: PropertyDescriptorMap & ThisType<DistantEvent> = {
    ts: {
      enumerable: true,
      get() {
        return this.#read().ts
      },
    },
    payload: {
      enumerable: true,
      get() {
        return this.#read().payload
      },
    },
  }

  constructor(path: string, { type, uuid, prev_uuid, byte_offset, length }: LinePlace) {
    this.type = type
    this.uuid = uuid
    this.prev_uuid = prev_uuid
    this.#path = path
    this.#byteOffset = byte_offset
    this.#length = length
  }

  get ts(): string {
    return this.#read().ts
  }

  get payload(): unknown {
    return this.#read().payload
  }

  /** Its line is read now, so that nothing can take it away, and a copy of the event is whole. */
  hold(): void {
    this.#read()
    Object.defineProperties(this, DistantEvent.#heldProperties)
  }

  #read(): Rest {
    this.#rest ??= this.#readLine() ?? GONE
    return this.#rest
  }

  #readLine(): Rest | undefined {
    const [position, length] = [this.#byteOffset, this.#length]
    return withOpenLog(this.#path, (log) => {
      if (position + length > log.size) return undefined
      const bytes = Buffer.allocUnsafe(length)
      readFullySync(log, bytes, { at: 0, length, position })
      const event = lazyEvent(bytes, 0, length)
      return event?.uuid === this.uuid ? event : undefined
    })
  }
}

/** Those of the events that are distant are so no longer. */
export function holdEvents(events: Iterable<SessionEvent>): void {
  for (const event of events) if (event instanceof DistantEvent) event.hold()
}
