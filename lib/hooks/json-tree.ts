// Where the parts of a JSON text stand. JSON.parse knows the values but not their places, and who
// edits somebody else's file must leave every byte beside the edit as it was.

import { SettingsProblem } from './settings-problem.js'

export interface JsonNode {
  readonly kind: 'object' | 'array' | 'scalar'
  readonly start: number
  /** After its last character. */
  readonly end: number
  /** The properties of an object, or the elements of an array. */
  readonly children: readonly JsonChild[]
}

export interface JsonChild {
  /** The name of a property; of an element, nothing. */
  readonly key?: string
  /** A property starts where its name does. */
  readonly start: number
  readonly node: JsonNode
}

const BYTE_ORDER_MARK = '\uFEFF'
const SPACE = /[ \t\n\r]*/y
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const WORD = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y
const DEPTH_MAX = 512

/** The root of a text that is JSON, and nothing but JSON: comments are refused like any damage. */
export function parseJsonTree(text: string): JsonNode {
  const reader = new Reader(text)
  const root = reader.value(0)
  reader.end()
  return root
}

class Reader {
  readonly #text: string
  #at: number

  constructor(text: string) {
    this.#text = text
    this.#at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0
  }

  value(depth: number): JsonNode {
    this.#take(SPACE)
    const opening = this.#text[this.#at]
    if (opening === '{' || opening === '[') return this.#container(opening, depth)
    const start = this.#at
    if (this.#take(opening === '"' ? STRING : WORD) === '') throw this.#wrong()
    return { kind: 'scalar', start, end: this.#at, children: [] }
  }

  end(): void {
    this.#take(SPACE)
    if (this.#at < this.#text.length) throw this.#wrong()
  }

  #container(opening: '{' | '[', depth: number): JsonNode {
    if (depth >= DEPTH_MAX) throw this.#wrong()
    const isObject = opening === '{'
    const closing = isObject ? '}' : ']'
    const start = this.#at++
    const children: JsonChild[] = []
    this.#take(SPACE)
    while (this.#text[this.#at] !== closing) {
      if (children.length > 0) this.#mark(',')
      children.push(isObject ? this.#property(depth) : this.#element(depth))
      this.#take(SPACE)
    }
    this.#at++
    return { kind: isObject ? 'object' : 'array', start, end: this.#at, children }
  }

  #property(depth: number): JsonChild {
    this.#take(SPACE)
    const start = this.#at
    const name = this.#take(STRING)
    if (name === '') throw this.#wrong()
    this.#take(SPACE)
    this.#mark(':')
    return { key: JSON.parse(name) as string, start, node: this.value(depth + 1) }
  }

  #element(depth: number): JsonChild {
    const node = this.value(depth + 1)
    return { start: node.start, node }
  }

  #mark(mark: string): void {
    if (this.#text[this.#at] !== mark) throw this.#wrong()
    this.#at++
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #wrong(): SettingsProblem {
    const before = this.#text.slice(0, this.#at).split('\n')
    const line = before.length
    const column = before.at(-1)!.length + 1
    const rest = this.#text.slice(this.#at, this.#at + 2)
    const isComment = rest === '//' || rest === '/*'
    const what = isComment ? 'has a comment, and JSON has none' : 'is not JSON'
    return new SettingsProblem(`${what} (line ${line}, column ${column})`, { line, column })
  }
}
