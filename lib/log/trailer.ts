// One event more at the end of a write: what the owner of a log wants found near the end of the
// file, however much is written. Nobody waits for it, and no receipt tells of it.

import { type Draft, type DraftSettings, draftOf, type NewEvent } from './draft.js'

/** A write that is about to happen: the lines it brings, and where they begin and end. */
export interface PendingWrite {
  readonly lines: readonly { readonly type: string }[]
  readonly start: number
  readonly end: number
}

/** What is to stand behind these lines; in most writes nothing. */
export type Trailer = (write: PendingWrite) => NewEvent | undefined

export type DraftTrailer = (write: PendingWrite) => Draft | undefined

export function draftTrailer({
  trailer,
  ...settings
}: DraftSettings & { readonly trailer: Trailer | undefined }): DraftTrailer | undefined {
  if (trailer === undefined) return undefined
  return (write) => {
    const event = trailer(write)
    return event && draftOf(event, settings)
  }
}
