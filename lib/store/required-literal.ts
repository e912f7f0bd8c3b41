// A text that every match of a regular expression holds, so that lines without it need not be
// parsed. It reads less than the whole syntax: where it is in doubt there is no such text, which
// costs time and never a match.

const MEANS_ITSELF = /^[^\w\s]$/
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']' }

/** The longest one; empty when there is none for certain. */
export function requiredLiteral(pattern: string): string {
  // Alternatives, flags and quoting may stand anywhere and change what the rest means.
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
      // What stands before may be there any number of times.
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

/** The place of the brace behind `{2,3}`; where none is, the brace means itself. */
function endOfRepetition(characters: readonly string[], open: number): number {
  const repetition = /^\{\d+(?:,\d*)?\}/.exec(characters.slice(open).join(''))
  return repetition === null ? open : open + repetition[0].length - 1
}

/** The place of the bracket that closes the one at `open`; the end where there is none. */
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

/** A bracket that opens the class, or stands first in it, means itself; so do classes by name. */
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
