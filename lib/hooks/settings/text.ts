// Adds our hooks to the text of a settings file and removes them. Only the bytes of our own entries
// change; names, order, spaces and newlines of everything else stay.
//
// Removing restores exactly the text to which the hooks were added, although nothing else is stored:
// a list or object that existed, but was empty, gets one space before its closing bracket, which
// lists and objects that we create never have.

import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { callOf, type HookCall, type HookHandler } from './call.js'

/** What is wrong with a settings text. The caller that read the file adds its path. */
export class SettingsProblem extends Error {
  readonly place: { readonly line: number; readonly column: number } | undefined

  constructor(what: string, place?: SettingsProblem['place']) {
    super(what)
    this.place = place
  }
}

const WAS_EMPTY = ' '

export interface InstalledHook extends HookCall {
  readonly event: string
}

export function findHooks(text: string): InstalledHook[] {
  return placesOf(text).map(({ event, call }) => ({ event, ...call }))
}

/** Adds one entry per event, after existing ones. `undefined` means a missing file. */
export function addHooks(
  text: string | undefined,
  handlers: ReadonlyMap<string, HookHandler>,
): string {
  let result = text
  for (const [event, handler] of handlers) {
    result = result === undefined ? newText(event, handler) : addHook(result, event, handler)
  }
  return result ?? ''
}

/** Returns `undefined` when nothing would be left: then we created the file. */
export function removeHooks(text: string): string | undefined {
  let result: string | undefined = text
  for (let place = placesOf(result)[0]; place !== undefined; place = placesOf(result)[0]) {
    result = withoutChild(result, place.path)
    if (result === undefined) return undefined
  }
  return result
}

/** The settings as a value, of a text that `findHooks` accepts. */
export function readSettings(text: string): Record<string, unknown> {
  return JSON.parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>
}

function newText(event: string, handler: HookHandler): string {
  return `${JSON.stringify({ hooks: { [event]: [{ hooks: [handler] }] } }, null, 2)}\n`
}

function addHook(text: string, event: string, handler: HookHandler): string {
  const root = parseSettings(text)
  const group = { hooks: [handler] }
  const hooks = findProperty(root, 'hooks')
  if (hooks === undefined) {
    return withChild(text, root, { depth: 1, key: 'hooks', value: { [event]: [group] } })
  }
  const object = hooksObject(propertyValue(hooks))
  const list = findProperty(object, event)
  if (list === undefined) return withChild(text, object, { depth: 2, key: event, value: [group] })
  return withChild(text, groupList(event, propertyValue(list)), { depth: 3, value: group })
}

/** Containers from the outermost on, with the child of each that leads to the next. */
type Path = readonly { readonly container: Node; readonly index: number }[]

interface Place {
  readonly event: string
  readonly call: HookCall
  readonly path: Path
}

function placesOf(text: string): Place[] {
  const root = parseSettings(text)
  const hooks = findProperty(root, 'hooks')
  if (hooks === undefined) return []
  const inRoot = { container: root, index: root.children!.indexOf(hooks) }
  const object = hooksObject(propertyValue(hooks))
  return object.children!.flatMap((property, index) => {
    const list = propertyValue(property)
    const inHooks = { container: object, index }
    return elementsOf(list).flatMap((group, groupIndex) => {
      const path = [inRoot, inHooks, { container: list, index: groupIndex }]
      return handlersIn(group, path).map((found) => ({ event: keyOf(property), ...found }))
    })
  })
}

function handlersIn(group: Node, path: Path): Omit<Place, 'event'>[] {
  const handlers = findProperty(group, 'hooks')
  if (handlers === undefined) return []
  const list = propertyValue(handlers)
  return elementsOf(list).flatMap((node, index) => {
    const call = callOf(getNodeValue(node))
    if (call === undefined) return []
    // A group without a hook has no meaning, so it is removed as a whole.
    if (list.children!.length === 1) return [{ call, path }]
    const inGroup = { container: group, index: group.children!.indexOf(handlers) }
    return [{ call, path: [...path, inGroup, { container: list, index }] }]
  })
}

function withoutChild(text: string, path: Path): string | undefined {
  const last = path.at(-1)
  if (last === undefined) return undefined
  const { container, index } = last
  const children = container.children!
  const child = children[index]!
  const previous = children[index - 1]
  if (previous !== undefined) return cut(text, endOf(previous), endOf(child))
  const next = children[index + 1]
  if (next !== undefined) return cut(text, child.offset, next.offset)
  const closing = endOf(container) - 1
  const wasEmpty = text.slice(endOf(child), closing) === WAS_EMPTY
  return wasEmpty ? cut(text, child.offset, closing) : withoutChild(text, path.slice(0, -1))
}

function cut(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(end)
}

interface NewChild {
  readonly depth: number
  readonly key?: string
  readonly value: unknown
}

function withChild(text: string, container: Node, child: NewChild): string {
  const { unit, newline } = styleOf(text)
  const last = container.children!.at(-1)
  const margin = unit === undefined ? '' : newline + unit.repeat(child.depth)
  const body = JSON.stringify(child.value, null, unit).replaceAll('\n', margin || '\n')
  const colon = unit === undefined ? ':' : ': '
  const added = child.key === undefined ? body : `${JSON.stringify(child.key)}${colon}${body}`
  if (last === undefined) return insert(text, endOf(container) - 1, `${added}${WAS_EMPTY}`)
  return insert(text, endOf(last), `,${margin}${added}`)
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at)
}

interface Style {
  /** The indentation of one level; `undefined` where everything is on one line. */
  readonly unit: string | undefined
  readonly newline: string
}

/** As the first property has it. */
function styleOf(text: string): Style {
  const root = parseSettings(text)
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const first = root.children![0]
  if (first === undefined) return { unit: '  ', newline }
  const lead = text.slice(root.offset + 1, first.offset)
  return { unit: /\n([ \t]*)$/.exec(lead)?.[1], newline }
}

const BYTE_ORDER_MARK = '\uFEFF'

/** Parses plain JSON; comments are rejected like any other damage. */
function parseSettings(text: string): Node {
  if (text.trim() === '') throw new SettingsProblem('is empty; remove it, or write {} into it')
  const errors: ParseError[] = []
  // A blank of the same length, so that offsets stay.
  const plain = text.startsWith(BYTE_ORDER_MARK) ? ` ${text.slice(1)}` : text
  const root = parseOrReject(plain, errors)
  const [first] = errors
  if (root === undefined || first !== undefined || !isJson(plain)) {
    throw notJson(plain, first?.offset ?? 0)
  }
  if (root.type !== 'object') throw new SettingsProblem('holds no object')
  return root
}

function parseOrReject(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true })
  } catch (error) {
    // The parser is recursive.
    if (!(error instanceof RangeError)) throw error
    throw new SettingsProblem('is nested too deeply')
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function notJson(text: string, offset: number): SettingsProblem {
  const before = text.slice(0, offset).split('\n')
  const line = before.length
  const column = before.at(-1)!.length + 1
  const isComment = /^\/[/*]/.test(text.slice(offset))
  const what = isComment ? 'has a comment, and JSON has none' : 'is not JSON'
  return new SettingsProblem(`${what} (line ${line}, column ${column})`, { line, column })
}

/** The last property of that name counts, as in every reader of JSON. */
function findProperty(object: Node, key: string): Node | undefined {
  if (object.type !== 'object') return undefined
  return object.children!.findLast((property) => keyOf(property) === key)
}

function keyOf(property: Node): string {
  return property.children![0]!.value as string
}

function propertyValue(property: Node): Node {
  return property.children![1]!
}

function endOf({ offset, length }: Node): number {
  return offset + length
}

/** The elements of a list; other values have none. */
function elementsOf({ type, children }: Node): readonly Node[] {
  return type === 'array' ? children! : []
}

function hooksObject(node: Node): Node {
  if (node.type === 'object') return node
  throw new SettingsProblem('has "hooks" that are not an object')
}

function groupList(key: string, node: Node): Node {
  if (node.type === 'array') return node
  throw new SettingsProblem(`has under "hooks" a "${key}" that is not a list`)
}
