// Text made to fit, by code points: a character is never cut in two.

// Runs of space of any kind, so that a prompt of many lines cannot pose as a heading of a digest.
const SPACE = /[\s\u0085]+/gu

/** At most so many code points. */
export function clip(text: string, codePoints: number): string {
  if (text.length <= codePoints) return text
  let end = 0
  for (let taken = 0; taken < codePoints && end < text.length; taken++) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** At most so many bytes of UTF-8. */
export function clipBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes))
  return text.slice(0, read)
}

/** The text on one line. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(SPACE, ' ').trim()
}
