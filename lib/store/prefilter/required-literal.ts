// A text that every match of a regular expression contains, so that lines without it need not be
// parsed. It understands a part of the syntax; in doubt it returns no text, which costs time but
// never a match.

const MEANS_ITSELF = /^[^\w\s]$/
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']' }

/** The longest one; empty if none is certain. */
export function findRequiredLiteral(pattern: string): string {
  // Alternatives, flags and quoting change the meaning of the rest.
  if (/[|]|\(\?|\\[QEpPxuCc0-9]/.test(pattern)) return ''
  const characters = [...pattern]
  let longest = ''
  let run: string[] = []
  const endRun = () => {
    if (run.join('').length > longest.length) longest = run.join('')
    run = []
  }
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!
    if (character === '\\' && MEANS_ITSELF.test(characters[at + 1] ?? '')) {
      run.push(characters[++at]!)
    } else if (character === '\\') {
      endRun()
      at++
    } else if ('*?{'.includes(character)) {
      // The character before may be repeated or missing.
      run.pop()
      endRun()
      if (character === '{') at = endOfRepetition(characters, at)
    } else if (character in CLOSING) {
      endRun()
      at = endOfGroup(characters, at)
    } else if ('+.^$)]}'.includes(character)) {
      endRun()
    } else {
      run.push(character)
    }
  }
  endRun()
  return longest
}

/** The index of the closing brace of `{2,3}`; otherwise the brace is a literal. */
function endOfRepetition(characters: readonly string[], open: number): number {
  const repetition = /^\{\d+(?:,\d*)?\}/.exec(characters.slice(open).join(''))
  return repetition === null ? open : open + repetition[0].length - 1
}

/** The index of the bracket that closes the one at `open`, or the end. */
function endOfGroup(characters: readonly string[], open: number): number {
  if (characters[open] === '[') return endOfClass(characters, open)
  for (let at = open + 1; at < characters.length; at++) {
    const character = characters[at]!
    if (character === '\\') at++
    else if (character === ')') return at
    else if (character in CLOSING) at = endOfGroup(characters, at)
  }
  return characters.length
}

/** In a class, `[`, a first `]` and named classes do not close it. */
function endOfClass(characters: readonly string[], open: number): number {
  let at = open + 1
  if (characters[at] === '^') at++
  if (characters[at] === ']') at++
  for (; at < characters.length; at++) {
    if (characters[at] === '\\') at++
    else if (characters[at] === '[' && characters[at + 1] === ':') {
      const close = characters.indexOf(']', at)
      at = close === -1 ? characters.length : close
    } else if (characters[at] === ']') return at
  }
  return characters.length
}
