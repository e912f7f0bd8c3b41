// The text of a settings file with our hooks in it, and without them. Only the bytes of our own
// entries are added or taken away; names, order, spaces and newlines of everybody else stay.
//
// Taking away gives back exactly the text to which it was added, although nothing else is kept:
// a list or object that was there, but empty, gets one space before its closing bracket, which the
// ones we make ourselves never have.

import { type JsonChild, type JsonNode, parseJsonTree } from './json-tree.js'
import { callOf, type HookCall, type HookHandler } from './settings-call.js'
import { SettingsProblem } from './settings-problem.js'

const WAS_EMPTY = ' '

export interface InstalledHook extends HookCall {
  readonly event: string
}

export function findHooks(text: string): InstalledHook[] {
  return placesOf(text).map(({ event, call }) => ({ event, ...call }))
}

/** Adds one entry per event, after those of others. `undefined` is a file that is not there. */
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

/** `undefined` when nothing would be left: then we made the file. */
export function removeHooks(text: string): string | undefined {
  let result: string | undefined = text
  for (let place = placesOf(result)[0]; place !== undefined; place = placesOf(result)[0]) {
    result = withoutChild(result, place.path)
    if (result === undefined) return undefined
  }
  return result
}

/** Whether Claude Code was told to run no hooks at all. */
export function hasHooksDisabled(text: string): boolean {
  const settings = JSON.parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>
  return settings['disableAllHooks'] === true
}

function newText(event: string, handler: HookHandler): string {
  return `${JSON.stringify({ hooks: { [event]: [{ hooks: [handler] }] } }, null, 2)}\n`
}

function addHook(text: string, event: string, handler: HookHandler): string {
  const root = rootOf(text)
  const group = { hooks: [handler] }
  const hooks = findProperty(root, 'hooks')
  if (hooks === undefined) {
    return withChild(text, root, { depth: 1, key: 'hooks', value: { [event]: [group] } })
  }
  const list = findProperty(hooksObject(hooks), event)
  if (list === undefined) {
    return withChild(text, hooks.node, { depth: 2, key: event, value: [group] })
  }
  return withChild(text, groupList(list), { depth: 3, value: group })
}

/** Containers from the outermost on, with the child of each that leads to the next. */
type Path = readonly { readonly container: JsonNode; readonly index: number }[]

interface Place {
  readonly event: string
  readonly call: HookCall
  readonly path: Path
}

function placesOf(text: string): Place[] {
  const root = rootOf(text)
  const hooks = findProperty(root, 'hooks')
  if (hooks === undefined) return []
  const inRoot = { container: root, index: root.children.indexOf(hooks) }
  return hooksObject(hooks).children.flatMap((list, index) => {
    const inHooks = { container: hooks.node, index }
    return elementsOf(list.node).flatMap((group, groupIndex) => {
      const inList = { container: list.node, index: groupIndex }
      const path = [inRoot, inHooks, inList]
      return handlersIn(text, group, path).map((found) => ({ event: list.key!, ...found }))
    })
  })
}

function handlersIn(text: string, group: JsonChild, path: Path): Omit<Place, 'event'>[] {
  const handlers = findProperty(group.node, 'hooks')
  if (handlers === undefined) return []
  const children = elementsOf(handlers.node)
  return children.flatMap(({ node }, index) => {
    const call = callOf(JSON.parse(text.slice(node.start, node.end)))
    if (call === undefined) return []
    // A group without a hook has no meaning, so it goes as a whole.
    if (children.length === 1) return [{ call, path }]
    const inGroup = { container: group.node, index: group.node.children.indexOf(handlers) }
    return [{ call, path: [...path, inGroup, { container: handlers.node, index }] }]
  })
}

function withoutChild(text: string, path: Path): string | undefined {
  const last = path.at(-1)
  if (last === undefined) return undefined
  const { container, index } = last
  const child = container.children[index]!
  const previous = container.children[index - 1]
  if (previous !== undefined) return cut(text, previous.node.end, child.node.end)
  const next = container.children[index + 1]
  if (next !== undefined) return cut(text, child.start, next.start)
  const closing = container.end - 1
  const wasEmpty = text.slice(child.node.end, closing) === WAS_EMPTY
  return wasEmpty ? cut(text, child.start, closing) : withoutChild(text, path.slice(0, -1))
}

function cut(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(end)
}

interface NewChild {
  readonly depth: number
  readonly key?: string
  readonly value: unknown
}

function withChild(text: string, container: JsonNode, child: NewChild): string {
  const { unit, newline } = styleOf(text)
  const last = container.children.at(-1)
  const margin = unit === undefined ? '' : newline + unit.repeat(child.depth)
  const body = JSON.stringify(child.value, null, unit).replaceAll('\n', margin || '\n')
  const colon = unit === undefined ? ':' : ': '
  const added = child.key === undefined ? body : `${JSON.stringify(child.key)}${colon}${body}`
  if (last === undefined) return insert(text, container.end - 1, `${added}${WAS_EMPTY}`)
  return insert(text, last.node.end, `,${margin}${added}`)
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at)
}

interface Style {
  /** What a level is indented by; `undefined` where all stands on one line. */
  readonly unit: string | undefined
  readonly newline: string
}

/** As the first property has it. */
function styleOf(text: string): Style {
  const root = rootOf(text)
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const first = root.children[0]
  if (first === undefined) return { unit: '  ', newline }
  const lead = text.slice(root.start + 1, first.start)
  return { unit: /\n([ \t]*)$/.exec(lead)?.[1], newline }
}

function rootOf(text: string): JsonNode {
  if (text.trim() === '') throw new SettingsProblem('is empty; remove it, or write {} into it')
  const root = parseJsonTree(text)
  if (root.kind !== 'object') throw new SettingsProblem('holds no object')
  return root
}

/** The last of that name counts, as in every reader of JSON. */
function findProperty(object: JsonNode, key: string): JsonChild | undefined {
  return object.kind === 'object' ? object.children.findLast((it) => it.key === key) : undefined
}

/** Of a list; what others keep in another shape is not looked into. */
function elementsOf({ kind, children }: JsonNode): readonly JsonChild[] {
  return kind === 'array' ? children : []
}

function hooksObject({ node }: JsonChild): JsonNode {
  if (node.kind === 'object') return node
  throw new SettingsProblem('has "hooks" that are not an object')
}

function groupList({ key, node }: JsonChild): JsonNode {
  if (node.kind === 'array') return node
  throw new SettingsProblem(`has under "hooks" a "${key}" that is not a list`)
}
