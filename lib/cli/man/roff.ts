// Text as roff source, in ASCII only: a page looks the same whatever the locale of its reader is.

/** Characters that groff replaces by typographic ones, or takes for its own. */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}

/** Text within a line. */
export function escapeText(text: string): string {
  return text.replace(/[\\\-'`^~]|[^\x20-\x7e\n]/gu, (character) => {
    const hex = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    return ESCAPES[character] ?? `\\[u${hex}]`
  })
}

/** Lines of text: none of them is taken for a request. */
export function escapeLines(text: string): string {
  return escapeText(text).replace(/^\./gm, '\\&.')
}

/** A request with its arguments, like `.SH NAME`. */
export function request(name: string, ...words: readonly string[]): string {
  const quoted = words.map((word) => ` "${escapeText(word).replaceAll('"', '\\(dq')}"`)
  return `.${name}${quoted.join('')}`
}
