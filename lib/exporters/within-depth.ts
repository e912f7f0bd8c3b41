// Items that can be written again: one line of a stranger that nests beyond the stack must not cost
// the others. What was changed loses its checksum, which was of other bytes.

import { withinDepth } from '../format/index.js'
import type { ExportedEvent, ExportItem, ExportItems } from './item.js'

export async function* itemsWithinDepth(
  items: ExportItems,
): AsyncGenerator<ExportItem, void, undefined> {
  for await (const item of items) {
    yield item.kind === 'event' ? { ...item, event: eventWithinDepth(item.event) } : item
  }
}

function eventWithinDepth(event: ExportedEvent): ExportedEvent {
  const shown = withinDepth(event)
  if (shown === event) return event
  const { crc: _, ...fields } = shown as ExportedEvent & { crc?: unknown }
  return fields
}
