// What an exporter is given: the logs of a session one after the other with their events, and the
// facts at the top of a page. Items are limited in depth, and redacted on request, before that.

import { type Diagnostic, type SessionEvent, withinDepth } from '../../format/index.js'
import { type Redactor, type RedactTextOptions, redactEvent } from '../../redaction/index.js'

/**
 * - `history`: everything that was written, with the boundaries in their place
 * - `projection`: what the model sees, and nothing else
 */
export type ExportView = 'history' | 'projection'

export interface ExportFacts {
  readonly sessionId: string
  readonly view: ExportView
  readonly redacted: boolean
  readonly title: string | null
  readonly project: string | null
  readonly harness: string | null
  readonly status: string | null
  readonly startedAt: string | null
  readonly lastActivity: string | null
  readonly resumedFrom: string | null
  /** The logs of ancestors are part of it. */
  readonly hasAncestors: boolean
  readonly forkedFrom: string | null
  /** The export ends with this event. */
  readonly at: string | null
}

export type ExportChannel = 'ancestor' | 'transcript' | 'sidechain'

export type ExportItem =
  | {
      /** The events that follow are of this log. */
      readonly kind: 'log'
      /** `ancestor`: a session that the exported one continues, up to there. */
      readonly channel: ExportChannel
      /** The id of the session, or of the task. */
      readonly name: string
      readonly startedAt: string | null
      /** Of a transcript: the logs of its ancestors precede it. */
      readonly isContinued?: boolean | undefined
    }
  | { readonly kind: 'event'; readonly event: ExportedEvent }
  | {
      /** Bytes from which no event can be read. */
      readonly kind: 'damage'
      readonly reason: Diagnostic['code']
      readonly byteOffset: number
      readonly length: number
    }

/** As on disk; a message of a projection has no `prev_uuid`. */
export type ExportedEvent = Omit<SessionEvent, 'prev_uuid'> &
  Partial<Pick<SessionEvent, 'prev_uuid'>> & { readonly synthetic?: true | undefined }

export type ExportItems = AsyncIterable<ExportItem>

/** Replaces what is nested too deeply for a reader of the export. */
export function itemsWithinDepth(items: ExportItems): AsyncGenerator<ExportItem, void, undefined> {
  return mapEvents(items, withinDepth)
}

export function redactItems(
  items: ExportItems,
  redactor: Redactor,
  options: RedactTextOptions = {},
): AsyncGenerator<ExportItem, void, undefined> {
  return mapEvents(items, (event) => redactEvent(event, redactor, options))
}

/** Redacts the facts that people wrote. Ids and times are not changed. */
export function redactFacts(facts: ExportFacts, redactor: Redactor): ExportFacts {
  const plain = (text: string | null) => (text === null ? null : redactor.text(text))
  return { ...facts, title: plain(facts.title), project: plain(facts.project) }
}

async function* mapEvents(
  items: ExportItems,
  change: (event: ExportedEvent) => ExportedEvent,
): AsyncGenerator<ExportItem, void, undefined> {
  for await (const item of items) {
    if (item.kind !== 'event') yield item
    else {
      const event = change(item.event)
      yield event === item.event ? item : { ...item, event: withoutChecksum(event) }
    }
  }
}

/** The checksum was of other bytes. */
function withoutChecksum(event: ExportedEvent): ExportedEvent {
  const { crc: _, ...fields } = event as ExportedEvent & { crc?: unknown }
  return fields
}
