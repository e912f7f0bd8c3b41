// The texts that a line holds: every string of the payload, decoded. Of a line that is damaged, its
// bytes as they stand, and the same with JSON's escapes undone as far as that goes.

import type { SessionEvent } from '../format/index.js'

/**
 * The strings of an event's payload, in their order. A line without an envelope is all payload.
 * Names of fields, numbers and the envelope are no texts.
 */
export function textsOf(event: SessionEvent): string[] {
  const texts: string[] = []
  // Not by recursion: nesting that no stack can follow is legal JSON.
  const { crc: _, ...bare } = event as { crc?: unknown }
  const open: unknown[] = [event.payload === undefined ? bare : event.payload]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'object' && value !== null) {
      const parts: unknown[] = Array.isArray(value) ? value : Object.values(value)
      for (let index = parts.length - 1; index >= 0; index--) open.push(parts[index])
    }
  }
  return texts
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/g
const MEANINGS: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

export function damagedTexts(raw: string): string[] {
  const plain = raw.replace(ESCAPE, (_, code: string | undefined, letter: string) =>
    code === undefined
      ? (MEANINGS[letter] ?? letter)
      : String.fromCharCode(Number.parseInt(code, 16)),
  )
  return plain === raw ? [raw] : [plain, raw]
}
