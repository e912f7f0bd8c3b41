// Items without secrets. What was changed loses its checksum, which was of other bytes.

import { type Redactor, type RedactTextOptions, redactPayload } from '../redaction/index.js'
import type { ExportedEvent, ExportFacts, ExportItem, ExportItems } from './item.js'

export async function* redactItems(
  items: ExportItems,
  redactor: Redactor,
  options: RedactTextOptions = {},
): AsyncGenerator<ExportItem, void, undefined> {
  for await (const item of items) {
    yield item.kind === 'event'
      ? { ...item, event: redactEvent(item.event, redactor, options) }
      : item
  }
}

/** The facts that people wrote. Ids and times say what they are. */
export function redactFacts(facts: ExportFacts, redactor: Redactor): ExportFacts {
  const plain = (text: string | null) => (text === null ? null : redactor.text(text))
  return { ...facts, title: plain(facts.title), project: plain(facts.project) }
}

const ENVELOPE = new Set(['type', 'ts', 'uuid', 'prev_uuid', 'payload', 'crc', 'synthetic'])

function redactEvent(
  event: ExportedEvent,
  redactor: Redactor,
  options: RedactTextOptions,
): ExportedEvent {
  const { type, payload } = event
  const isObject = typeof payload === 'object' && payload !== null
  const redacted = isObject ? redactPayload(type, payload, redactor, options) : payload
  // Other tools keep what was said beside the envelope.
  const others = redactor.value(event, { ...options, skip: (name) => ENVELOPE.has(name) })
  if (redacted === payload && others === event) return event
  const { crc: _, ...fields } = others as ExportedEvent & { crc?: unknown }
  return { ...fields, payload: redacted }
}
