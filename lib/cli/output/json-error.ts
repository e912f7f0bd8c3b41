// Where a text stops being JSON. The message of JSON.parse names the position only sometimes and
// differs between versions of Node.

const TOKEN =
  /[ \t\n\r]*(?:(")|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)|([[\]{},:]))/y
// In pieces, because one pattern for a whole string of megabytes overflows the regular expression's
// own stack.
const STRING_PIECE = /[^"\\\u0000-\u001f]{1,4096}|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const SPACE = /[ \t\n\r]*/y

// What may come next. After `{` or `[` the bracket may also close immediately.
type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd'

/** The position of the first character that cannot be right; the length when the end is missing. */
export function findJsonError(text: string): number {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  for (let at = 0; ; ) {
    const start = skipSpace(text, at)
    if (expected === 'commaOrEnd' && open.length === 0) return start
    TOKEN.lastIndex = at
    const [whole, quote, scalar, mark] = TOKEN.exec(text) ?? []
    if (whole === undefined) return start
    const next = nextAfter(expected, { isString: quote !== undefined, scalar, mark }, open)
    if (next === undefined) return start
    expected = next
    at += whole.length
    if (quote === undefined) continue
    at = endOfString(text, at)
    if (text[at] !== '"') return at
    at++
  }
}

interface Token {
  readonly isString: boolean
  readonly scalar: string | undefined
  readonly mark: string | undefined
}

function nextAfter(
  expected: Expected,
  { isString, scalar, mark }: Token,
  open: ('{' | '[')[],
): Expected | undefined {
  const isInObject = open.at(-1) === '{'
  const isClosing = mark === (isInObject ? '}' : ']')
  switch (expected) {
    case 'key':
    case 'keyOrEnd':
      if (isString) return 'colon'
      return expected === 'keyOrEnd' && isClosing ? close(open) : undefined
    case 'colon':
      return mark === ':' ? 'value' : undefined
    case 'commaOrEnd':
      if (mark === ',') return isInObject ? 'key' : 'value'
      return isClosing ? close(open) : undefined
    default:
      if (isString || scalar !== undefined) return 'commaOrEnd'
      if (expected === 'valueOrEnd' && isClosing) return close(open)
      if (mark !== '{' && mark !== '[') return undefined
      open.push(mark)
      return mark === '{' ? 'keyOrEnd' : 'valueOrEnd'
  }
}

function close(open: ('{' | '[')[]): Expected {
  open.pop()
  return 'commaOrEnd'
}

/** Where the closing quote should be. */
function endOfString(text: string, start: number): number {
  STRING_PIECE.lastIndex = start
  let end = start
  while (STRING_PIECE.test(text)) end = STRING_PIECE.lastIndex
  return end
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at
  return at + SPACE.exec(text)![0].length
}
