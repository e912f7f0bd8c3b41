// An event of which only the envelope and the place of its line are kept, for going through files
// of any size. The rest is read from the file on access.

import type { Environment } from '../../environment/index.js'
import type { SessionEvent } from '../../format/index.js'
import type { LogEntry } from '../entry.js'
import { lazyEvent } from './decode-entry.js'
import { type OpenLog, readFullySync, withOpenLog } from './open-for-reading.js'
import { scanLog } from './scan.js'

export type LinePlace = Pick<SessionEvent, 'type' | 'uuid' | 'prev_uuid'> & {
  readonly byte_offset: number
  readonly length: number
}

/** Shared by all events of one log. */
export interface LogSource {
  readonly path: string
  readonly env: Environment
}

type Rest = Pick<SessionEvent, 'ts' | 'payload'>

/** Of a line that was whole, and is not there any more. */
const GONE: Rest = { ts: '', payload: null }

export class OffsetEvent implements SessionEvent {
  readonly type: string
  readonly uuid: string
  readonly prev_uuid: string | null
  readonly #source: LogSource
  readonly #byteOffset: number
  readonly #length: number
  #rest: Rest | undefined

  static readonly #heldProperties: PropertyDescriptorMap & ThisType<OffsetEvent> = {
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

  constructor(source: LogSource, { type, uuid, prev_uuid, byte_offset, length }: LinePlace) {
    this.type = type
    this.uuid = uuid
    this.prev_uuid = prev_uuid
    this.#source = source
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
    Object.defineProperties(this, OffsetEvent.#heldProperties)
  }

  #read(): Rest {
    this.#rest ??= this.#readLine() ?? GONE
    return this.#rest
  }

  #readLine(): Rest | undefined {
    const [position, length] = [this.#byteOffset, this.#length]
    const { path, env } = this.#source
    const read = (log: OpenLog) => {
      if (position + length > log.size) return undefined
      const bytes = Buffer.allocUnsafe(length)
      readFullySync(log, bytes, { at: 0, length, position })
      const event = lazyEvent(bytes, 0, length)
      return event?.uuid === this.uuid ? event : undefined
    }
    return withOpenLog(path, read, env)
  }
}

/** Those of the events that are distant are so no longer. */
export function materialize(events: Iterable<SessionEvent>): void {
  for (const event of events) if (event instanceof OffsetEvent) event.hold()
}

// A log of any size, whole, in memory that goes by the number of its lines and not by its bytes:
// every line is checksum-verified, and none is kept.

/** What the readers yield of the part before `to`, where a line ends, oldest first. */
export function readOffsets(path: string, { to }: { to: number }, env: Environment): LogEntry[] {
  const source = { path, env }
  const entries: LogEntry[] = []
  const types = new Map<string, string>()
  let last = ''
  scanLog(
    path,
    (line) => {
      if (line.entry !== undefined) {
        entries.push(line.entry)
        return
      }
      const { type, uuid, prev_uuid, byte_offset, length } = line
      // Most events follow the one before them, and there are few types: they share their strings.
      const prev = prev_uuid === last ? last : prev_uuid
      const place = { type: shared(types, type), uuid, prev_uuid: prev, byte_offset, length }
      last = uuid
      entries.push({
        kind: 'event',
        byte_offset,
        length,
        event: new OffsetEvent(source, place),
      })
    },
    { to, verify: true, environment: env, onDamage: (entry) => entries.push(entry) },
  )
  return entries
}

function shared(known: Map<string, string>, text: string): string {
  const earlier = known.get(text)
  if (earlier !== undefined) return earlier
  known.set(text, text)
  return text
}
