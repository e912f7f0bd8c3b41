// Private keys in PEM: everything from BEGIN to END, or as far as a key without an END can reach.
//
// By hand and not by one pattern: what follows a BEGIN is looked at once, however many there are.

import { REDACTED, type Rule } from './rule.js'

const ANY_BEGIN = '-----BEGIN '
const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
const END_CHARS_MAX = 80
/** No key is longer. */
const BODY_CHARS_MAX = 20_000
/** What a key is made of: base64, its headers, and newlines that were escaped. */
const BODY = /^[A-Za-z0-9+/=\s\\,:-]*/

export const privateKeys: Rule = {
  name: 'private-key',
  redact(text) {
    if (!text.includes(ANY_BEGIN)) return text
    let redacted = ''
    let copied = 0
    BEGIN.lastIndex = 0
    for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
      redacted += text.slice(copied, begin.index) + REDACTED
      copied = endOfKey(text, BEGIN.lastIndex)
      BEGIN.lastIndex = copied
    }
    return redacted + text.slice(copied)
  },
}

function endOfKey(text: string, bodyStart: number): number {
  const nextBegin = text.indexOf(ANY_BEGIN, bodyStart)
  const limit = nextBegin === -1 ? text.length : nextBegin
  const reach = Math.min(limit, bodyStart + BODY_CHARS_MAX + END_CHARS_MAX)
  const body = text.slice(bodyStart, reach)
  const end = END.exec(body)
  if (end !== null) return bodyStart + end.index + end[0].length
  // Cut short: whatever stands up to the next one, or up to the end, may be part of it.
  if (limit <= bodyStart + BODY_CHARS_MAX) return limit
  return bodyStart + BODY.exec(body)![0].length
}
