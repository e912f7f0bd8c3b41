// A walk through JSON that changes nothing but strings. What stays the same stays the same object,
// so whoever redacts a payload without secrets pays no copy and can see that nothing was there.

import { SessionError } from '../errors.js'
import { isPlainObject, NESTING_MAX } from '../format/index.js'

export interface Visitor {
  /** `name`: of the member that holds it, or of the array around it; '' at the top. */
  text(text: string, name: string): string
  /** How to go on below a member; `undefined` leaves it as it is. */
  below(name: string, member: unknown): Visitor | undefined
}

/** Values that are no plain JSON are left alone: to refuse them is the writer's business. */
export function mapStrings(value: unknown, visitor: Visitor, name = '', depth = 0): unknown {
  if (typeof value === 'string') return visitor.text(value, name)
  if (typeof value !== 'object' || value === null) return value
  if (depth > NESTING_MAX) {
    const what = `The value nests beyond ${NESTING_MAX}, or holds itself, and cannot be redacted`
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
  // By entries, because assigning to a field that is called __proto__ would do something else.
  return Object.fromEntries(
    names.map(([name, member]) => [name, changed.has(name) ? changed.get(name) : member]),
  )
}
