// The picker without a terminal: what is chosen from, what was typed, and what a key does to it.

import { isTyped, type Key } from '../terminal/take-terminal.js'

export interface Choice {
  readonly id: string
  readonly title: string
  /** What else helps to know it: age, project, status. */
  readonly about: string
}

export interface PickState {
  readonly choices: readonly Choice[]
  readonly query: string
  /** Those that match the query, best first. */
  readonly matches: readonly Choice[]
  readonly selected: number
  readonly outcome: 'open' | 'taken' | 'cancelled'
}

const PAGE_ROWS = 10

export function startPicking(choices: readonly Choice[]): PickState {
  return { choices, query: '', matches: choices, selected: 0, outcome: 'open' }
}

export function selectedOf({ matches, selected }: PickState): Choice | undefined {
  return matches[selected]
}

/** Pure: the next state. A key without a meaning changes nothing. */
export function pressKey(state: PickState, key: Key): PickState {
  const command = key.ctrl === true ? `ctrl-${key.name}` : (key.name ?? '')
  switch (command) {
    case 'return':
    case 'enter':
      return selectedOf(state) === undefined ? state : { ...state, outcome: 'taken' }
    case 'escape':
    case 'ctrl-c':
    case 'ctrl-d':
    case 'ctrl-g':
      return { ...state, outcome: 'cancelled' }
    case 'up':
    case 'ctrl-p':
      return move(state, -1)
    case 'down':
    case 'ctrl-n':
      return move(state, 1)
    case 'pageup':
      return move(state, -PAGE_ROWS)
    case 'pagedown':
      return move(state, PAGE_ROWS)
    case 'home':
      return move(state, -state.matches.length)
    case 'end':
      return move(state, state.matches.length)
    case 'backspace':
      return ask(state, [...state.query].slice(0, -1).join(''))
    case 'ctrl-u':
      return ask(state, '')
    case 'ctrl-w':
      return ask(state, state.query.replace(/\S*\s*$/, ''))
    default:
      return isTyped(key) ? ask(state, state.query + key.sequence) : state
  }
}

function move(state: PickState, rows: number): PickState {
  const last = Math.max(0, state.matches.length - 1)
  return { ...state, selected: Math.min(last, Math.max(0, state.selected + rows)) }
}

function ask(state: PickState, query: string): PickState {
  if (query === state.query) return state
  return { ...state, query, matches: matching(state.choices, query), selected: 0 }
}

/** Every word of the query must fit; the better it fits, the earlier. Ties stay in their order. */
function matching(choices: readonly Choice[], query: string): readonly Choice[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return choices
  return choices
    .map((choice) => ({ choice, score: scoreOf(choice, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ choice }) => choice)
}

function scoreOf({ id, title, about }: Choice, words: readonly string[]): number {
  const [shown, ...others] = [title, id, about].map((text) => text.toLowerCase())
  let sum = 0
  for (const word of words) {
    // Scattered letters count in the title only: in an id, a date or a folder name they are chance.
    const scattered = fitOfScattered(shown!, word)
    const best = Math.max(scattered, ...[shown!, ...others].map((field) => fitOfRow(field, word)))
    if (best === 0) return 0
    sum += best
  }
  return sum
}

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
