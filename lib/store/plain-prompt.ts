// The title that a long prompt in plain words gives, by its bytes. A listing meets thousands of
// them; whatever is spelled otherwise is left to the reader of all spellings, who says the same.

import type { Window } from './session-digest-windows.js'

export const PROMPT_CODE_POINTS_MAX = 80

const USER = Buffer.from('{"type":"user",')
const CONTENT = Buffer.from('"payload":{"content":"')
// Behind type, ts, uuid and prev_uuid as our writers spell them.
const CONTENT_WITHIN_BYTES = 256

const [BLANK, QUOTE, BACKSLASH, LAST_PLAIN] = Buffer.from(' "\\~')

/** `undefined` where the line at `start` is not a user's, or its first words are not all plain. */
export function findPlainPrompt({ bytes, end }: Window, start: number): string | undefined {
  for (let index = 0; index < USER.length; index++) {
    if (bytes[start + index] !== USER[index]) return undefined
  }
  const at = bytes.indexOf(CONTENT, start)
  const from = at + CONTENT.length
  // Of two more than there is room for one is no blank, so the text is too long for a title.
  const to = from + PROMPT_CODE_POINTS_MAX + 2
  if (at === -1 || at > start + CONTENT_WITHIN_BYTES || to > end) return undefined
  return isPlain(bytes, from, to)
    ? `${bytes.toString('latin1', from, from + PROMPT_CODE_POINTS_MAX - 1)}…`
    : undefined
}

/** Printable ASCII without escapes, and single blanks only between words. */
function isPlain(bytes: Buffer, from: number, to: number): boolean {
  let previous: number = BLANK!
  for (let index = from; index < to; index++) {
    const byte = bytes[index]!
    if (byte < BLANK! || byte > LAST_PLAIN! || byte === QUOTE || byte === BACKSLASH) return false
    if (byte === BLANK && previous === BLANK) return false
    previous = byte
  }
  return true
}
