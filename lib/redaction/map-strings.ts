// Walks through JSON and changes only strings. Unchanged values stay the same objects, so a payload
// without secrets is not copied.

import { SessionError } from '../errors.js'
import { isPlainObject, NESTING_MAX } from '../format/index.js'

export interface Visitor {
  /** `name`: of the member, or of the array that contains it; '' at the top. */
  text(text: string, name: string): string
  /** The visitor for what is below a member; `undefined` leaves it as it is. */
  below(name: string, member: unknown): Visitor | undefined
}

/** Values that are not plain JSON are kept: the writer rejects them. */
export function mapStrings(value: unknown, visitor: Visitor, name = '', depth = 0): unknown {
  if (typeof value === 'string') return visitor.text(value, name)
  if (typeof value !== 'object' || value === null) return value
  if (depth > NESTING_MAX) {
    const what = `The value nests beyond ${NESTING_MAX}, or contains itself, and cannot be redacted`
    throw new SessionError('ERR_SERIALIZE', what)
  }
  if (Array.isArray(value)) return mapArray(value, visitor, name, depth)
  return isPlainObject(value) ? mapObject(value, visitor, depth) : value
}

function mapArray(
  values: readonly unknown[],
  visitor: Visitor,
  name: string,
  depth: number,
): unknown {
  let copy: unknown[] | undefined
  for (const [index, member] of values.entries()) {
    const below = visitor.below(name, member)
    if (below === undefined) continue
    const mapped = mapStrings(member, below, name, depth + 1)
    if (mapped === member) continue
    copy ??= [...values]
    copy[index] = mapped
  }
  return copy ?? values
}

function mapObject(value: object, visitor: Visitor, depth: number): unknown {
  let changed: Map<string, unknown> | undefined
  for (const [name, member] of Object.entries(value)) {
    const below = visitor.below(name, member)
    if (below === undefined) continue
    const mapped = mapStrings(member, below, name, depth + 1)
    if (mapped === member) continue
    changed ??= new Map()
    changed.set(name, mapped)
  }
  if (changed === undefined) return value
  const names = Object.entries(value)
  // By entries: an assignment to `__proto__` would not store a field.
  return Object.fromEntries(
    names.map(([name, member]) => [name, changed.has(name) ? changed.get(name) : member]),
  )
}
