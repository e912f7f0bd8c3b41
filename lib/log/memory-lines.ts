// Lines that stay in memory. They are the same bytes that a file would hold, so every limit and
// every offset means the same; nothing here can reach a disk.

import { decodeProven, NEWLINE, type SessionEvent } from '../format/index.js'
import type { AppendPlace } from './append-place.js'
import type { EventEntry } from './entry.js'

export class MemoryLines {
  readonly path: string
  readonly isTailTorn = false
  readonly #entries: EventEntry[] = []
  readonly #byUuid = new Map<string, EventEntry>()
  #size = 0

  constructor(path: string) {
    this.path = path
  }

  get size(): number {
    return this.#size
  }

  /** In their order. */
  get entries(): readonly EventEntry[] {
    return this.#entries
  }

  write(bytes: Buffer, start = 0, end = bytes.length): void {
    for (let from = start; from < end; ) {
      const to = bytes.indexOf(NEWLINE, from)
      this.#add(decodeProven(bytes, from, to)!, to - from)
      from = to + 1
    }
  }

  /** The last event of that uuid. */
  find(uuid: string): { event: SessionEvent; byte_offset: number } | undefined {
    return this.#byUuid.get(uuid)
  }

  #add(event: SessionEvent, length: number): void {
    const line_number = this.#entries.length + 1
    const entry: EventEntry = { kind: 'event', byte_offset: this.#size, length, line_number, event }
    this.#entries.push(entry)
    this.#byUuid.set(event.uuid, entry)
    this.#size += length + 1
  }
}

/** Nobody else can write here, so there is nothing to look for. */
export function placeInMemory(lines: MemoryLines): AppendPlace {
  return {
    file: lines,
    known: { find: (uuid) => lines.find(uuid), addLines: () => {} },
    fence: {
      isDue: () => false,
      look: () => undefined,
      expire: () => {},
      remember: () => {},
      settle: () => {},
    },
    state: { tip: null, newlineCount: 0 },
    isAlone: () => true,
    countNewlines: (to) => lines.entries.filter(({ byte_offset }) => byte_offset < to).length,
  }
}
