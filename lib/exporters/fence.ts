// Text of strangers inside Markdown, where it must not end what stands around it.

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
// What begins something that swallows the rest of the page, or ends what the page has begun.
const OPEN_HTML =
  /<(?=!--|!\[CDATA\[|\?|![a-z]|\/?(?:script|style|textarea|title|xmp|iframe|noembed|noframes|plaintext|pre|details|summary|blockquote|table|div|template|svg|math|select|html|body|head)\b)/gi
const OUTLINE = /^ {0,3}(?:#{1,6}(?:\s|$)|=+\s*$|-{2,}\s*$)/

/** A block of code that nothing in it can end: its fence is longer than any run of backticks. */
export function fenced(lines: readonly string[], language: string): string[] {
  let longest = 2
  for (const line of lines) {
    for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  }
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...lines, fence]
}

/**
 * What somebody wrote in Markdown, as it is where that is harmless. With headings of its own or a
 * fence that is never closed it is quoted: the end of a quote ends whatever was opened in it.
 */
export function framed(lines: readonly string[]): string[] {
  let open: string | undefined
  let needsFrame = false
  const safe = lines.map((line) => {
    const [, fence, rest = ''] = FENCE.exec(line) ?? []
    if (open !== undefined) {
      if (fence?.startsWith(open) === true && rest.trim() === '') open = undefined
      return line
    }
    // Backticks behind backticks are code in a line, not a fence.
    if (fence !== undefined && !(fence.startsWith('`') && rest.includes('`'))) {
      open = fence
      return line
    }
    if (OUTLINE.test(line)) needsFrame = true
    return line.replace(OPEN_HTML, '&lt;')
  })
  if (open === undefined && !needsFrame) return safe
  return safe.map((line) => (line === '' ? '>' : `> ${line}`))
}

/** Words in the middle of a line that mean nothing but themselves. */
export function plainWords(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~!]/g, (character) => `\\${character}`)
}

/** Words inside HTML. */
export function htmlWords(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
