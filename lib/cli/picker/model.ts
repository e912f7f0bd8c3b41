// The picker without a terminal: what is chosen from, what was typed, and what a key does to it.

import { isTyped, type Key } from '../terminal/take-terminal.js'
import { matching, type Searchable } from './matching.js'

export interface Choice extends Searchable {
  readonly id: string
  readonly title: string
  /** What else helps to know it: age, project, status. */
  readonly about: string
}

/** The choice with what is searched of it. */
export function toChoice(choice: Omit<Choice, 'search'>): Choice {
  const { id, title, about } = choice
  const others = [id.toLowerCase(), about.toLowerCase()]
  return { ...choice, search: { title: title.toLowerCase(), others, prompts: '' } }
}

/** What to do to a choice while the picker stays open. */
export interface PickAction {
  readonly kind: 'rename' | 'fork' | 'trash'
  readonly choice: Choice
  /** The new title of `rename`. */
  readonly title: string
}

/** What an action changed. */
export interface PickChange {
  readonly note: string
  readonly added?: Choice
  readonly replaced?: Choice
  readonly removed?: string
}

export interface PickState {
  readonly choices: readonly Choice[]
  readonly query: string
  /** Those that match the query, in the order of the choices. */
  readonly left: readonly Choice[]
  /** Those that match the query, best first. */
  readonly matches: readonly Choice[]
  readonly selected: number
  readonly outcome: 'open' | 'taken' | 'cancelled'
  /** The question at the bottom: a title to type, or one that `y` confirms. */
  readonly asked?: { readonly kind: PickAction['kind']; readonly text: string } | undefined
  /** To be carried out now. */
  readonly action?: PickAction | undefined
  /** What the last action did. */
  readonly note: string
  readonly rules: PickRules
}

export interface PickRules {
  /** Whether sessions can be renamed, forked and moved to the trash. */
  readonly hasActions?: boolean
  /** Enter asks for a title first. */
  readonly asksTitle?: boolean
}

const PAGE_ROWS = 10

export function startPicking(choices: readonly Choice[], rules: PickRules = {}): PickState {
  const found = { left: choices, matches: choices, selected: 0 }
  return { choices, query: '', ...found, outcome: 'open', note: '', rules }
}

export function selectedOf({ matches, selected }: PickState): Choice | undefined {
  return matches[selected]
}

/** Pure: the next state. A key without a meaning changes nothing. */
export function pressKey(state: PickState, key: Key): PickState {
  const command = key.ctrl === true ? `ctrl-${key.name}` : (key.name ?? '')
  if (command === 'ctrl-c' || command === 'ctrl-d') return { ...state, outcome: 'cancelled' }
  if (state.asked === undefined) return pressInList(state, key, command)
  if (state.asked.kind === 'rename') return pressInTitle(state, key, command)
  const { kind } = state.asked
  const isSure = key.sequence === 'y' || key.sequence === 'Y'
  return isSure ? act(state, kind, '') : { ...state, asked: undefined, note: '' }
}

function pressInList(state: PickState, key: Key, command: string): PickState {
  switch (command) {
    case 'return':
    case 'enter':
      if (selectedOf(state) === undefined) return state
      return state.rules.asksTitle ? ask(state, 'rename') : { ...state, outcome: 'taken' }
    case 'escape':
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
    case 'ctrl-r':
      return ask(state, 'rename')
    case 'ctrl-f':
      return ask(state, 'fork')
    case 'ctrl-x':
      return ask(state, 'trash')
    default: {
      const query = edit(state.query, key, command)
      return query === undefined ? state : filter(state, query)
    }
  }
}

function pressInTitle(state: PickState, key: Key, command: string): PickState {
  const { text } = state.asked!
  switch (command) {
    case 'return':
    case 'enter':
      return text.trim() === '' ? state : act(state, 'rename', text.trim())
    case 'escape':
    case 'ctrl-g':
      return { ...state, asked: undefined }
    default: {
      const edited = edit(text, key, command)
      return edited === undefined ? state : { ...state, asked: { kind: 'rename', text: edited } }
    }
  }
}

/** The text after the key; `undefined` if the key does not edit. */
function edit(text: string, key: Key, command: string): string | undefined {
  if (command === 'backspace') return [...text].slice(0, -1).join('')
  if (command === 'ctrl-u') return ''
  if (command === 'ctrl-w') return text.replace(/\S*\s*$/, '')
  return isTyped(key) ? text + key.sequence : undefined
}

function ask(state: PickState, kind: PickAction['kind']): PickState {
  const choice = selectedOf(state)
  const { hasActions, asksTitle } = state.rules
  if (choice === undefined || !(hasActions || (asksTitle && kind === 'rename'))) return state
  return { ...state, asked: { kind, text: kind === 'rename' ? choice.title : '' }, note: '' }
}

function act(state: PickState, kind: PickAction['kind'], title: string): PickState {
  const action = { kind, title, choice: selectedOf(state)! }
  const isLast = state.rules.asksTitle === true && kind === 'rename'
  return { ...state, asked: undefined, action, outcome: isLast ? 'taken' : 'open' }
}

/** After an action: the list with what it changed, and the note at the bottom. */
export function applyChange(state: PickState, change: PickChange): PickState {
  const { note, added, replaced, removed } = change
  const renew = (choices: readonly Choice[]) =>
    choices
      .filter(({ id }) => id !== removed)
      .map((choice) => (choice.id === replaced?.id ? replaced : choice))
  const add = (choices: readonly Choice[]) =>
    added === undefined ? renew(choices) : [added, ...renew(choices)]
  const matches = add(state.matches)
  const selected = added === undefined ? Math.min(state.selected, matches.length - 1) : 0
  return {
    ...state,
    choices: add(state.choices),
    left: add(state.left),
    matches,
    selected: Math.max(0, selected),
    action: undefined,
    note,
  }
}

/** After the prompts of these choices were read, once: those that match by them are added at the end. */
export function addMatches(state: PickState, read: readonly Choice[]): PickState {
  if (state.query === '') return state
  const isNew = ({ search }: Choice) =>
    matching([{ search: { ...search, prompts: '' } }], state.query).left.length === 0
  const found = matching(read.filter(isNew), state.query)
  if (found.left.length === 0) return state
  const { left, matches } = state
  return { ...state, left: [...left, ...found.left], matches: [...matches, ...found.matches] }
}

function move(state: PickState, rows: number): PickState {
  const last = Math.max(0, state.matches.length - 1)
  const selected = Math.min(last, Math.max(0, state.selected + rows))
  return { ...state, selected, note: '' }
}

function filter(state: PickState, query: string): PickState {
  if (query === state.query) return state
  // What matches a longer query has matched the shorter one.
  const among = query.startsWith(state.query) ? state.left : state.choices
  return { ...state, query, ...matching(among, query), selected: 0, note: '' }
}
