// Payloads are plain JSON: what JSON.stringify would lose without a word is refused, with the
// path to it, before anything has moved.
//
// Left as they are: Dates (their ISO text is what callers want), undefined object members
// (absent, as everywhere in JavaScript), and -0 (equal to 0, and models do write it).

import { SessionError } from '../errors.js'
import { NESTING_MAX, WRITE_LINE_BYTES_MAX } from './limits.js'

/** Values with this mark may never reach a disk, at any depth: see `PermissionLedger`. */
export const NEVER_WRITTEN = Symbol.for('jsonl-session.never-written')

const TOO_DEEP = '[nested too deep to show]'

type Path = readonly (string | number)[]

/** The JSON text of a payload, or a typed refusal. It reads the value; it changes nothing. */
export function stringifyPayload(payload: object): string {
  let json: string
  try {
    budget = WRITE_LINE_BYTES_MAX
    checkMembers(payload, 1)
    // The check of its keys, for permission state among others, has not seen what this would write.
    if (typeof (payload as { toJSON?: unknown }).toJSON === 'function')
      throw new Refusal('a toJSON of its own')
    json = JSON.stringify(payload)
  } catch (cause) {
    if (cause instanceof Refusal) throw cause.toSessionError()
    if (cause instanceof SessionError) throw cause
    throw new SessionError('ERR_SERIALIZE', 'The payload cannot be turned into JSON', { cause })
  }
  return json
}

// Characters still allowed. Counted while walking, so that a text of 200 MB is refused before
// it is turned into a string of twice that. One walk at a time, so a module variable will do.
let budget = 0

function checkMembers(value: object, depth: number): void {
  if (depth > NESTING_MAX) throw new Refusal(`nesting beyond ${NESTING_MAX}, or a cycle`)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const member: unknown = value[index]
      if (typeof member === 'string') spend(member.length)
      else if (member === undefined) throw new Refusal('undefined in an array', [index])
      else checkMember(member, index, depth)
    }
    return
  }
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key]
    if (typeof member === 'string') spend(member.length)
    else if (member !== undefined) checkMember(member, key, depth)
  }
}

function checkMember(value: unknown, key: string | number, depth: number): void {
  switch (typeof value) {
    case 'boolean':
      return
    case 'number':
      if (!Number.isFinite(value)) throw new Refusal(String(value), [key])
      return
    case 'object':
      if (value === null) return
      try {
        checkObject(value, depth + 1)
      } catch (refusal) {
        if (refusal instanceof Refusal) refusal.path.unshift(key)
        throw refusal
      }
      return
    default:
      throw new Refusal(`a ${typeof value}`, [key])
  }
}

function checkObject(value: object, depth: number): void {
  if (Array.isArray(value) || isPlainObject(value)) {
    checkMembers(value, depth)
    return
  }
  if (NEVER_WRITTEN in value) {
    throw new SessionError(
      'ERR_PERMISSION_STATE',
      'Permission state is never written: the payload contains a permission ledger',
    )
  }
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new Refusal('an invalid Date')
    return
  }
  throw new Refusal(`an instance of ${value.constructor?.name || 'a class'}`)
}

/** For people: the JSON of a value from a log, which may nest deeper than the stack allows. */
export function shownJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return TOO_DEEP
  }
}

/** For programs: the same JSON, but for words in the place of what nests beyond the stack. */
export function tolerantJson(value: object): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return JSON.stringify(withinDepth(value))
  }
}

/** The value itself, or a copy with words in the place of what nests deeper than ours ever does. */
export function withinDepth<Value extends object>(value: Value, levels = NESTING_MAX + 1): Value {
  return cutAt(value, levels) as Value
}

function cutAt(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return TOO_DEEP
  let copy: Record<string, unknown> | undefined
  for (const [key, member] of Object.entries(value)) {
    const cut = cutAt(member, levels - 1)
    if (cut === member) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
    copy[key] = cut
  }
  return copy ?? value
}

/** Also for objects of another realm: theirs is another Object.prototype, which has none itself. */
export function isPlainObject(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function spend(chars: number): void {
  budget -= chars
  if (budget < 0) {
    throw new SessionError(
      'ERR_LINE_TOO_LARGE',
      `The payload has more than ${WRITE_LINE_BYTES_MAX} characters`,
      { lineBytesMax: WRITE_LINE_BYTES_MAX },
    )
  }
}

/** Thrown from the depth of the walk; each level on the way up adds its key. */
class Refusal extends Error {
  readonly path: (string | number)[]

  constructor(what: string, path: Path = []) {
    super(what)
    this.path = [...path]
  }

  toSessionError(): SessionError {
    const keys = this.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    // A cycle makes a path of 512 keys; its beginning is enough.
    const path = keys.length > 16 ? `${keys.slice(0, 16).join('')}…` : keys.join('')
    return new SessionError(
      'ERR_SERIALIZE',
      `JSON would silently change payload${path}: ${this.message}`,
      { jsonPath: `payload${path}` },
    )
  }
}

type Known<Value> = {
  [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Value[Key]
} & {
  [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Exclude<
    Value[Key],
    undefined
  >
}

/** Copies an object without its undefined fields. */
export function withoutUndefined<Value extends object>(value: Value): Known<Value> {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(entries) as Known<Value>
}
