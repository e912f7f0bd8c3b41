// What an exporter is given: the logs of a session one after the other, each with what stands in it,
// and the few facts that head a page.

import type { Diagnostic, SessionEvent } from '../format/index.js'

/**
 * - `history`: everything that was written, with the boundaries where they stand
 * - `projection`: what the model sees, and nothing else
 */
export type ExportView = 'history' | 'projection'

export interface ExportFacts {
  readonly session_id: string
  readonly view: ExportView
  readonly isRedacted: boolean
  readonly title: string | null
  readonly project: string | null
  readonly harness: string | null
  readonly status: string | null
  readonly startedAt: string | null
  readonly lastActivity: string | null
  readonly resumedFrom: string | null
  readonly forkedFrom: string | null
  /** The export ends with this event. */
  readonly at: string | null
}

export type ExportItem =
  | {
      /** From here on, events of this log. */
      readonly kind: 'log'
      readonly channel: 'transcript' | 'sidechain'
      /** The id of the session, or of the task. */
      readonly name: string
      readonly startedAt: string | null
    }
  | { readonly kind: 'event'; readonly event: ExportedEvent }
  | {
      /** Bytes that hold no event any more. */
      readonly kind: 'damage'
      readonly reason: Diagnostic['code']
      readonly byte_offset: number
      readonly length: number
    }

/** As it lies on disk; a message of a projection follows no other. */
export type ExportedEvent = Omit<SessionEvent, 'prev_uuid'> &
  Partial<Pick<SessionEvent, 'prev_uuid'>> & { readonly synthetic?: true | undefined }

export type ExportItems = AsyncIterable<ExportItem>
