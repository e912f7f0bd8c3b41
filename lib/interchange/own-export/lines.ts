// An export as JSON objects, one per line: the events as on disk, and between them lines that mark
// the beginning of a log and missing bytes. Those are events of types that every reader keeps and
// ignores, so that an export is a log like any other to `grep`, `jq` and `log`. The same session
// always gives the same lines.

import { EXPORT_TYPES, EXPORT_VERSION, exportedReason } from '../../format/index.js'
import type { ExportedEvent, ExportFacts, ExportItems } from '../export/items.js'

export type ExportLine = ExportedEvent

const BEFORE_ALL = '1970-01-01T00:00:00.000Z'

export async function* toLines(
  items: ExportItems,
  facts: ExportFacts,
): AsyncGenerator<ExportLine, void, undefined> {
  const marks = new Marks(facts.startedAt ?? BEFORE_ALL)
  const { sessionId: session_id, view, redacted, at } = facts
  const counts = { logs: 0, events: 0, damaged: 0 }
  // Version 1 has no ancestors: an older release imports it.
  const version = facts.hasAncestors ? EXPORT_VERSION : 1
  yield marks.line('begin', { export: version, session_id, view, redacted, at })
  for await (const item of items) {
    switch (item.kind) {
      case 'log':
        counts.logs++
        yield marks.line('log', { channel: item.channel, name: item.name })
        break
      case 'damage': {
        counts.damaged++
        const { reason, byteOffset: byte_offset, length } = item
        yield marks.line('damage', { reason: exportedReason(reason), byte_offset, length })
        break
      }
      case 'event':
        counts.events++
        yield item.event
    }
  }
  // A reader of an incomplete export misses this line.
  yield marks.line('end', counts)
}

/** Their uuids are numbers, so that an export depends on no random value and no clock. */
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
