// Credentials in base64 without any other sign: forty characters or more, with upper case, lower case
// and digits. Hex hashes lack one of the cases; a run with a slash, a hyphen or an underscore may be a
// path, a uuid or a name.
//
// Not a pattern: only every fortieth character is read until one belongs to a run, so most of a text
// is skipped, and a run may have any length.

import { REDACTED, type Rule } from './rule.js'

const RUN_CHARS_MIN = 40
const PADDING_CHARS_MAX = 2

const UPPER = 1
const LOWER = 2
const DIGIT = 4
const PLUS = 8
const PADDING = 16
/** Belongs to a run, and makes it not a credential. */
const OTHER = 32

/** By character code; 0 for a character that ends a run. */
const KINDS = new Uint8Array(128)
for (const [kind, members] of [
  [UPPER, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [LOWER, 'abcdefghijklmnopqrstuvwxyz'],
  [DIGIT, '0123456789'],
  [PLUS, '+'],
  [PADDING, '='],
  [OTHER, '/_-'],
] as const) {
  for (const member of members) KINDS[member.charCodeAt(0)] = kind
}

export const base64: Rule = {
  name: 'base64',
  redact(text) {
    const parts: string[] = []
    let copied = 0
    let probe = RUN_CHARS_MIN - 1
    while (probe < text.length) {
      if (kindAt(text, probe) === 0) {
        probe += RUN_CHARS_MIN
        continue
      }
      const start = startOfRun(text, probe)
      const end = endOfRun(text, probe)
      if (end - start >= RUN_CHARS_MIN && isCredential(text, start, end)) {
        parts.push(text.slice(copied, start), REDACTED)
        copied = end
      }
      // The next run starts after the character that ended this one.
      probe = end + RUN_CHARS_MIN
    }
    return copied === 0 ? text : parts.join('') + text.slice(copied)
  },
}

function isCredential(text: string, start: number, end: number): boolean {
  let bodyEnd = end
  while (bodyEnd > start && kindAt(text, bodyEnd - 1) === PADDING) bodyEnd--
  if (bodyEnd - start < RUN_CHARS_MIN || end - bodyEnd > PADDING_CHARS_MAX) return false
  let kinds = 0
  for (let at = start; at < bodyEnd; at++) kinds |= kindAt(text, at)
  const isMixed = (kinds & (UPPER | LOWER | DIGIT)) === (UPPER | LOWER | DIGIT)
  return isMixed && (kinds & (OTHER | PADDING)) === 0
}

function startOfRun(text: string, at: number): number {
  let start = at
  while (start > 0 && kindAt(text, start - 1) !== 0) start--
  return start
}

function endOfRun(text: string, at: number): number {
  let end = at + 1
  while (end < text.length && kindAt(text, end) !== 0) end++
  return end
}

function kindAt(text: string, at: number): number {
  return KINDS[text.charCodeAt(at)] ?? 0
}
