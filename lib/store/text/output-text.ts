// Text that leaves the store: to a model, to a tool, to another session. The log keeps what was
// said; what is returned passes a redactor first.

import { redactText } from '../../redaction/index.js'

export interface ServedTextOptions {
  /**
   * Applied to every text before it is returned.
   *
   * @default the rules of docs/REDACTION.md
   */
  redact?: ((text: string) => string) | undefined
}

export function redactorOf({ redact }: ServedTextOptions): (text: string) => string {
  return redact ?? ((text) => redactText(text))
}

const BLANKS = /[\s\u0000-\u001f\u007f-\u009f]+/g

/** One line: white space between two words becomes one space. */
export function toOneLine(text: string): string {
  return text.replace(BLANKS, ' ').trim()
}

const EXCERPT_CHARS_MAX = 320
const SHARE_BEFORE = 0.35
const ELLIPSIS = '…'

/** At most 320 characters of a line of text, about a third of them before `at`. */
export function excerptAround(text: string, at: number): string {
  return cutAround(text, at).excerpt
}

/** The same, and the index of the text at which it begins. */
export function cutAround(text: string, at: number): { excerpt: string; first: number } {
  if (text.length <= EXCERPT_CHARS_MAX) return { excerpt: text, first: 0 }
  const wanted = at - Math.floor(EXCERPT_CHARS_MAX * SHARE_BEFORE)
  const start = Math.max(0, Math.min(wanted, text.length - EXCERPT_CHARS_MAX))
  const end = start + EXCERPT_CHARS_MAX
  const before = start > 0 ? ELLIPSIS : ''
  const after = end < text.length ? ELLIPSIS : ''
  const cut = text.slice(start + before.length, end - after.length)
  const kept = withoutHalves(cut)
  const isHalfBefore = /^[\udc00-\udfff]/.test(cut)
  return { excerpt: `${before}${kept}${after}`, first: start + (isHalfBefore ? 1 : 0) }
}

/** Without the half of a character that a cut leaves at either end. */
export function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
}
