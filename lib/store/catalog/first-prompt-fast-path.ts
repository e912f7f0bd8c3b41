// The title of a first prompt in plain ASCII, read from its bytes without parsing: listing thousands
// of sessions takes 1.7 times as long without it. Any other spelling is left to the decoder, which
// gives the same title.

import { hasType } from '../../format/index.js'
import type { Window } from './file-windows.js'

export const PROMPT_CODE_POINTS_MAX = 80

const USER = Buffer.from('user', 'latin1')
const CONTENT = Buffer.from('"payload":{"content":"')
// The content follows type, ts, uuid and prev_uuid.
const CONTENT_WITHIN_BYTES = 256

const BLANK = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const DELETE = 0x7f

// The character of an escape, by the letter after the backslash. \u escapes are left to the decoder.
const ESCAPED = new Uint8Array(256)
for (const letter of Buffer.from('"\\/')) ESCAPED[letter] = letter
for (const letter of Buffer.from('bfnrt')) ESCAPED[letter] = BLANK

// One character more than a title has, and a blank before it.
const spelled = Buffer.alloc(PROMPT_CODE_POINTS_MAX + 2)

/** `undefined` where the line is not a user's, is empty, or is not plain ASCII. */
export function findPlainPrompt({ bytes, end }: Window, start: number): string | undefined {
  if (hasType(bytes, start, USER) !== true) return undefined
  const at = bytes.indexOf(CONTENT, start)
  if (at === -1 || at > start + CONTENT_WITHIN_BYTES) return undefined
  const length = spell(bytes, at + CONTENT.length, end)
  if (length <= PROMPT_CODE_POINTS_MAX) {
    return length > 0 ? spelled.toString('latin1', 0, length) : undefined
  }
  return `${spelled.toString('latin1', 0, PROMPT_CODE_POINTS_MAX - 1)}…`
}

/** Copies the text with single blanks into `spelled` and returns its length; 0 if it is not plain. */
function spell(bytes: Buffer, from: number, end: number): number {
  let length = 0
  let isBlankDue = false
  for (let index = from; index < end; index++) {
    let byte = bytes[index]!
    if (byte === QUOTE) return length
    if (byte === BACKSLASH) {
      if (++index === end) return 0
      byte = ESCAPED[bytes[index]!]!
    }
    if (byte < BLANK || byte >= DELETE) return 0
    if (byte === BLANK) {
      isBlankDue = length > 0
      continue
    }
    if (isBlankDue) spelled[length++] = BLANK
    isBlankDue = false
    spelled[length++] = byte
    if (length > PROMPT_CODE_POINTS_MAX) return length
  }
  return 0
}
