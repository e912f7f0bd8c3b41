// Summaries may be revised later: a revision means the nearest summary of that uuid before it in
// the file, and the newest one counts. Lines are told apart by their offsets, since uuids may
// be repeated.

import { fieldsOf, type PlacedEvent } from './projection.js'

export class Revisions {
  readonly #offsets = new Map<string, number>()
  readonly #texts = new Map<number, string>()

  /** Takes a file's events in their order, all of them; answers which summary one revised. */
  take({ event, byte_offset }: PlacedEvent): number | undefined {
    if (event.type === 'summary') this.#offsets.set(event.uuid, byte_offset)
    if (event.type !== 'summary_revision') return undefined
    const { summary_event_uuid, text } = fieldsOf(event.payload)
    const revised = this.#offsets.get(summary_event_uuid as string)
    // A blank revision would leave the model with nothing in place of a good summary.
    if (revised === undefined || typeof text !== 'string' || text.trim() === '') return undefined
    this.#texts.set(revised, text)
    return revised
  }

  /** The revised text of the summary at that offset, if there is one. */
  textOf(summaryOffset: number): string | undefined {
    return this.#texts.get(summaryOffset)
  }
}
