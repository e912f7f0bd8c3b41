// An export as JSON objects, one per line: the events as they lie on disk, and between them lines of
// our own that say what begins and what is missing. Those are events of types that every reader
// keeps and ignores, so that an export is a log like any other to `grep`, `jq` and `log`. The same
// session gives the same lines.

import { EXPORT_TYPES, EXPORT_VERSION } from '../format/index.js'
import type { ExportedEvent, ExportFacts, ExportItems } from './item.js'

export type ExportLine = ExportedEvent

const BEFORE_ALL = '1970-01-01T00:00:00.000Z'

export async function* toLines(
  items: ExportItems,
  facts: ExportFacts,
): AsyncGenerator<ExportLine, void, undefined> {
  const marks = new Marks(facts.startedAt ?? BEFORE_ALL)
  const { session_id, view, isRedacted: redacted, at } = facts
  const counts = { logs: 0, events: 0, damaged: 0 }
  yield marks.line('begin', { export: EXPORT_VERSION, session_id, view, redacted, at })
  for await (const item of items) {
    switch (item.kind) {
      case 'log':
        counts.logs++
        yield marks.line('log', { channel: item.channel, name: item.name })
        break
      case 'damage': {
        counts.damaged++
        const { reason, byte_offset, length } = item
        yield marks.line('damage', { reason, byte_offset, length })
        break
      }
      case 'event':
        counts.events++
        yield item.event
    }
  }
  // Whoever reads only a part of an export misses this line.
  yield marks.line('end', counts)
}

/** Their uuids are numbers, so that nothing in an export comes from chance or from a clock. */
class Marks {
  readonly #ts: string
  #count = 0

  constructor(ts: string) {
    this.#ts = ts
  }

  line(kind: keyof typeof EXPORT_TYPES, payload: Readonly<Record<string, unknown>>): ExportLine {
    const uuid = `export:${this.#count++}`
    return { type: EXPORT_TYPES[kind], ts: this.#ts, uuid, prev_uuid: null, payload }
  }
}
