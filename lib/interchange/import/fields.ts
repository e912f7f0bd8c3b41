// Reads fields of foreign records, which may hold anything.

import type { ForeignValue } from './importer.js'

const NOTHING: ForeignValue = {}
const OUR_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

export function isObject(value: unknown): value is ForeignValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fieldsOf(value: unknown): ForeignValue {
  return isObject(value) ? value : NOTHING
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}

export function stringsOf(value: unknown): string[] {
  return listOf(value).filter((member): member is string => typeof member === 'string')
}

/** The first value that is a text. */
export function firstText(values: Iterable<unknown>): string | undefined {
  for (const value of values) {
    const text = textOf(value)
    if (text !== undefined) return text
  }
  return undefined
}

/** The fields that are known, without the others. */
export function known(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** In our spelling; `undefined` for anything else. Numbers are milliseconds, small ones seconds. */
export function toTime(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const time = Date.parse(value)
    if (Number.isNaN(time)) return undefined
    return OUR_TIME.test(value) ? value : toIso(time)
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return undefined
  return toIso(value < 1e11 ? value * 1000 : value)
}

function toIso(time: number): string | undefined {
  const date = new Date(time)
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString()
  return OUR_TIME.test(text) ? text : undefined
}
