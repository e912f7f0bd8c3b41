// Which choices match what was typed, and how well. A key press looks at texts in memory only, and one
// that continues the query only at the choices that are left.

/** What is searched of a choice, in lower case. */
export interface SearchText {
  readonly title: string
  /** The id, the age, the project. */
  readonly others: readonly string[]
  /** What was asked in it, as far as it was read. */
  prompts: string
}

export interface Searchable {
  readonly search: SearchText
}

/** What is left of the items, in their order, and the same sorted by how well it matches. */
export interface Matches<Item> {
  readonly left: readonly Item[]
  readonly matches: readonly Item[]
}

/** Every word of the query must fit; the better it fits, the earlier. Ties stay in their order. */
export function matching<Item extends Searchable>(
  items: readonly Item[],
  query: string,
): Matches<Item> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return { left: items, matches: items }
  const scored = items
    .map((item) => ({ item, score: scoreOf(item.search, words) }))
    .filter(({ score }) => score > 0)
  const sorted = scored.toSorted((one, other) => other.score - one.score)
  return { left: scored.map(({ item }) => item), matches: sorted.map(({ item }) => item) }
}

function scoreOf({ title, others, prompts }: SearchText, words: readonly string[]): number {
  let sum = 0
  for (const word of words) {
    // Scattered letters count in the title only: in an id, a date or a folder name they are chance.
    const scattered = fitOfScattered(title, word)
    const shown = Math.max(scattered, ...[title, ...others].map((text) => fitOfRow(text, word)))
    // What the row shows comes first.
    const best = shown > 0 ? FIT_SHOWN + shown : fitOfRow(prompts, word)
    if (best === 0) return 0
    sum += best
  }
  return sum
}

const FIT_SHOWN = 10_000
const FIT_WHOLE = 1000
const FIT_WORD_START = 500

/** How well a text contains the word; 0 for not at all. */
function fitOfRow(text: string, word: string): number {
  const at = text.indexOf(word)
  if (at === -1) return 0
  return FIT_WHOLE + (isWordStart(text, at) ? FIT_WORD_START : 0) - Math.min(at, 99)
}

/** How well a text contains the letters of the word in this order; 0 for not at all. */
function fitOfScattered(text: string, word: string): number {
  let score = 0
  let from = 0
  for (const letter of word) {
    const found = text.indexOf(letter, from)
    if (found === -1) return 0
    // Letters in a row, or at the beginning of a word, weigh more than scattered ones.
    score += found === from && from > 0 ? 5 : isWordStart(text, found) ? 3 : 1
    from = found + letter.length
  }
  return score
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!)
}
