// Reading fields of foreign records, which may be anything.

import type { ForeignValue } from './importer.js'

const NOTHING: ForeignValue = {}

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

/** The first of the values that says something. */
export function firstText(values: Iterable<unknown>): string | undefined {
  for (const value of values) {
    const text = textOf(value)
    if (text !== undefined) return text
  }
  return undefined
}
