// Checks of the fields of a payload, by hand: zod takes longer to load than the rest of the library,
// and longer to run than an append.

import { UUID_CHARS_MAX } from './limits.js'

/** Whether a value is what its name says. */
export type Check = ((value: unknown) => boolean) & {
  readonly what: string
  readonly isOptional?: true
}
export type Fields = Readonly<Record<string, Check>>

export const check = (what: string, test: (value: unknown) => boolean): Check =>
  Object.assign(test, { what })

export const optional = (inner: Check): Check =>
  Object.assign((value: unknown) => value === undefined || inner(value), {
    what: inner.what,
    isOptional: true as const,
  })

export const nullable = (inner: Check): Check =>
  check(`${inner.what} or null`, (value) => value === null || inner(value))

export const oneOf = (...values: readonly string[]): Check =>
  check(`one of ${values.join(', ')}`, (value) => values.includes(value as string))

export const list = (inner: Check, max = Number.POSITIVE_INFINITY): Check =>
  check(`a list; each is ${inner.what}`, (value) => {
    return Array.isArray(value) && value.length <= max && value.every((member) => inner(member))
  })

export const object = (fields: Fields): Check => {
  const names = Object.entries(fields)
  return check(`an object with ${Object.keys(fields).join(', ')}`, (value) => {
    if (!isRecord(value)) return false
    return names.every(([name, field]) => field(value[name]))
  })
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isWhole(value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
}

export const isText = (value: unknown): value is string => typeof value === 'string'

export const json = check('any JSON value', (value) => value !== undefined)
export const text = check('a string', (value) => typeof value === 'string')
export const name = check('a string that is not empty', (value) => isText(value) && value !== '')
export const flag = check('true or false', (value) => typeof value === 'boolean')
export const number = check('a number', (value) => Number.isFinite(value))
export const count = check('a whole number from 0', (value) => isWhole(value, 0))
export const positive = check('a whole number from 1', (value) => isWhole(value, 1))
export const grade = check('a whole number from 1 to 5', (value) => isWhole(value, 1, 5))
export const mode = check('file mode bits', (value) => isWhole(value, 0, 0o777))
export const uuid = check(`a string of 1 to ${UUID_CHARS_MAX} characters`, (value) => {
  return isText(value) && value !== '' && value.length <= UUID_CHARS_MAX
})
export const sha256 = check('a SHA-256 in hexadecimal', (value) => {
  return isText(value) && /^[0-9a-f]{64}$/.test(value)
})
export const timestamp = check('a time like 2026-01-31T12:00:00.000Z', (value) => {
  if (!isText(value) || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value)) return false
  // A day that does not exist is another day once it is parsed.
  const day = new Date(`${value.slice(0, 10)}T00:00:00.000Z`)
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== value.slice(0, 10)) {
    return false
  }
  return value.slice(11, 13) < '24' && value.slice(14, 16) < '60' && value.slice(17, 19) < '60'
})

export const content = check('a string, or a list of blocks with a type', (value) => {
  if (typeof value === 'string') return true
  return Array.isArray(value) && value.every((block) => isRecord(block) && isText(block['type']))
})

export interface Shape {
  readonly checks: ReadonlyMap<string, Check>
  readonly required: readonly string[]
}

/** What is wrong with a payload of that shape, in words; `undefined` for a good one. */
export function findPayloadProblem(
  { checks, required }: Shape,
  payload: object,
): string | undefined {
  let found = 0
  // By the fields that are there: most payloads have few of those they may have.
  for (const field in payload) {
    const test = checks.get(field)
    if (test === undefined) continue
    if (!test((payload as Record<string, unknown>)[field])) return `${field} must be ${test.what}`
    if (test.isOptional !== true) found++
  }
  if (found === required.length) return undefined
  const missing = required.find((field) => !(field in payload))!
  return `${missing} must be ${checks.get(missing)!.what}`
}
