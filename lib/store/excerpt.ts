// A few words around the place that was found.

const EXCERPT_CHARS_MAX = 320
const SHARE_BEFORE = 0.35
const ELLIPSIS = '…'

/** At most 320 characters of a line of text, a good third of them before `at`. */
export function excerptAround(text: string, at: number): string {
  if (text.length <= EXCERPT_CHARS_MAX) return text
  const wanted = at - Math.floor(EXCERPT_CHARS_MAX * SHARE_BEFORE)
  const first = Math.max(0, Math.min(wanted, text.length - EXCERPT_CHARS_MAX))
  const last = first + EXCERPT_CHARS_MAX
  const isCutBefore = first > 0
  const isCutBehind = last < text.length
  const start = first + (isCutBefore ? 1 : 0)
  const end = last - (isCutBehind ? 1 : 0)
  const kept = wholeCharacters(text.slice(start, end))
  return `${isCutBefore ? ELLIPSIS : ''}${kept}${isCutBehind ? ELLIPSIS : ''}`
}

/** Without the half of a character that a cut leaves at either end. */
export function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
}
