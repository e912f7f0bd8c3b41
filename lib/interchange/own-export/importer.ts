// Reads our own export: which log an event belongs to, and whether the export is complete. Pure; the
// caller writes the logs.

import { SessionError } from '../../errors.js'
import {
  EXPORT_TYPES,
  EXPORT_VERSION,
  EXPORTED_REASONS,
  READ_LINE_BYTES_MAX,
  type SessionEvent,
} from '../../format/index.js'

import type { ExportChannel } from '../export/items.js'

export type ExportStep =
  | { readonly kind: 'begin'; readonly sessionId: string }
  /** The events that follow are of this log. */
  | {
      readonly kind: 'log'
      readonly channel: ExportChannel
      readonly name: string
    }
  | { readonly kind: 'event'; readonly event: SessionEvent }
  /** Bytes that were unreadable when the session was exported. */
  | { readonly kind: 'damage'; readonly length: number }
  | { readonly kind: 'end' }

/** By the first event of a file. */
export function isOwnExport(first: SessionEvent): boolean {
  return first.type === EXPORT_TYPES.begin
}

/** Reads the lines of an export in order; throws if it is not an export, or incomplete. */
export class ExportReader {
  readonly #counts = { logs: 0, events: 0, damaged: 0 }
  #hasBegun = false
  #hasEnded = false
  #hasTranscript = false

  read(event: SessionEvent): ExportStep {
    if (this.#hasEnded) throw damaged('The export continues after its last line')
    if (!this.#hasBegun) return this.#begin(event)
    const fields = (event.payload ?? {}) as Readonly<Record<string, unknown>>
    switch (event.type) {
      case EXPORT_TYPES.log:
        return this.#log(fields)
      case EXPORT_TYPES.damage:
        this.#counts.damaged++
        return { kind: 'damage', length: lengthOf(fields) }
      case EXPORT_TYPES.end:
        return this.#end(fields)
      case EXPORT_TYPES.begin:
        throw damaged('A second export begins in the middle of this one')
      default:
        if (this.#counts.logs === 0) throw damaged('The export does not name the log of an event')
        this.#counts.events++
        return { kind: 'event', event }
    }
  }

  /** Call it after the last line. */
  finish(): void {
    if (!this.#hasBegun) throw notAnExport('it holds no event')
    if (!this.#hasEnded) throw damaged('The export is cut off: its last line is missing')
  }

  #begin(event: SessionEvent): ExportStep {
    if (!isOwnExport(event)) throw notAnExport(`it begins with "${event.type}"`)
    this.#hasBegun = true
    const { export: version, session_id, view } = (event.payload ?? {}) as Record<string, unknown>
    if (typeof version !== 'number' || version > EXPORT_VERSION) {
      const what = `The export has version ${version}; this release knows ${EXPORT_VERSION}`
      throw new SessionError('ERR_FORMAT_TOO_NEW', what)
    }
    if (view !== 'history') {
      throw notAnExport('it contains what a model saw (--projected), not the history')
    }
    if (typeof session_id !== 'string') throw damaged('The export does not name its session')
    return { kind: 'begin', sessionId: session_id }
  }

  #log({ channel, name }: Readonly<Record<string, unknown>>): ExportStep {
    const known = (['ancestor', 'transcript', 'sidechain'] as const).find((it) => it === channel)
    if (known === undefined || typeof name !== 'string')
      throw damaged('The export names a log of an unknown kind')
    this.#counts.logs++
    // Ancestors, the transcript, and then the subagents.
    if (this.#hasTranscript !== (known === 'sidechain'))
      throw damaged('The transcript must come first')
    this.#hasTranscript ||= known === 'transcript'
    return { kind: 'log', channel: known, name }
  }

  #end(fields: Readonly<Record<string, unknown>>): ExportStep {
    this.#hasEnded = true
    for (const [name, count] of Object.entries(this.#counts)) {
      if (fields[name] === count) continue
      throw damaged(`The export should hold ${fields[name]} ${name}, and holds ${count}`)
    }
    return { kind: 'end' }
  }
}

/** Of bytes with a line after them: an incomplete last line is not part of the log. */
function lengthOf({ reason, length }: Readonly<Record<string, unknown>>): number {
  const isSize = Number.isSafeInteger(length) && (length as number) <= READ_LINE_BYTES_MAX
  return reason === EXPORTED_REASONS.partial_tail || !isSize ? 0 : Math.max(0, length as number)
}

function notAnExport(why: string): SessionError {
  return new SessionError('ERR_ARG', `This export cannot be imported: ${why}`)
}

function damaged(what: string): SessionError {
  return new SessionError('ERR_DAMAGED', what)
}
