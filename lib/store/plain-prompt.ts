// The title that a prompt in ASCII gives, by its bytes. A listing meets thousands of them;
// whatever is spelled otherwise is left to the reader of all spellings, who says the same.

import type { Window } from './session-digest-windows.js'

export const PROMPT_CODE_POINTS_MAX = 80

const USER = Buffer.from('{"type":"user",')
const CONTENT = Buffer.from('"payload":{"content":"')
// Behind type, ts, uuid and prev_uuid as our writers spell them.
const CONTENT_WITHIN_BYTES = 256

const BLANK = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const DELETE = 0x7f

// What an escape stands for, by the letter behind the backslash; of \u more would have to be read.
const ESCAPED = new Uint8Array(256)
for (const letter of Buffer.from('"\\/')) ESCAPED[letter] = letter
for (const letter of Buffer.from('bfnrt')) ESCAPED[letter] = BLANK

// One character more than a title has, and a blank before it.
const spelled = Buffer.alloc(PROMPT_CODE_POINTS_MAX + 2)

/** `undefined` where the line at `start` is not a user's, says nothing, or says it otherwise. */
export function findPlainPrompt({ bytes, end }: Window, start: number): string | undefined {
  for (let index = 0; index < USER.length; index++) {
    if (bytes[start + index] !== USER[index]) return undefined
  }
  const at = bytes.indexOf(CONTENT, start)
  if (at === -1 || at > start + CONTENT_WITHIN_BYTES) return undefined
  const length = spell(bytes, at + CONTENT.length, end)
  if (length <= PROMPT_CODE_POINTS_MAX) {
    return length > 0 ? spelled.toString('latin1', 0, length) : undefined
  }
  return `${spelled.toString('latin1', 0, PROMPT_CODE_POINTS_MAX - 1)}…`
}

/** On one line, with single blanks, as far as a title may need it. The length; 0 for otherwise. */
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
