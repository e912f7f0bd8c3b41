// What stands in for a summary that could not be had: how much is missing, and where it lies. An
// older summary is handed on whole, so that nothing the model knew of the beginning is lost.

import type { Message } from '../chain/index.js'
import { clipEnd } from './clip.js'

export interface StubOptions {
  readonly transcriptPath: string
  readonly previousSummary: string | undefined
  readonly charsMax: number
}

export function stubText(
  messages: readonly Message[],
  { transcriptPath, previousSummary, charsMax }: StubOptions,
): string {
  const count = `${messages.length} earlier ${messages.length === 1 ? 'message' : 'messages'}`
  const times = messages.map(({ ts }) => ts).filter((ts) => typeof ts === 'string' && ts !== '')
  const span = times.length === 0 ? '' : ` (${times[0]} to ${times.at(-1)})`
  const note =
    `[No summary could be made of ${count}${span}. They are not shown here, but nothing is lost: ` +
    `${transcriptPath} holds them all. Look there before relying on what they may have said.]`
  return withPrevious(note, previousSummary, charsMax)
}

/** The older summary behind the new text, as far as there is room, unless it is in there already. */
export function withPrevious(
  text: string,
  previousSummary: string | undefined,
  charsMax: number,
): string {
  const previous = previousSummary?.trim() ?? ''
  if (previous === '' || text.includes(previous)) return text
  const room = charsMax - text.length
  return room < 100 ? text : `${text}\n\nWhat was known before that:\n\n${clipEnd(previous, room)}`
}
