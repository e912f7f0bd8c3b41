// Contents and usage in our form. Blocks of a provider are not changed: they may be signed.

import { countOf, fieldsOf, isObject, known, listOf, textOf } from './fields.js'

export type Content = string | readonly unknown[]

/** A text, or blocks that each name their type. */
export function toContent(value: unknown): Content {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return value === undefined || value === null ? '' : [toBlock(value)]
  return value.every(isBlock) ? value : value.map(toBlock)
}

function isBlock(value: unknown): boolean {
  return isObject(value) && typeof value['type'] === 'string'
}

function toBlock(value: unknown): unknown {
  if (isBlock(value)) return value
  if (typeof value === 'string') return { type: 'text', text: value }
  if (typeof fieldsOf(value)['text'] === 'string') return { type: 'text', ...fieldsOf(value) }
  return { type: 'unknown', value }
}

/** The text of a content, for people. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .flatMap((block) =>
      typeof block === 'string' ? block : (textOf(fieldsOf(block)['text']) ?? []),
    )
    .join('\n')
}

/** The names under which a provider counts tokens. */
export interface UsageNames {
  readonly input: string
  readonly output: string
  readonly cacheRead: string
  readonly cacheWrite?: string
}

/** `undefined` unless both input and output are counted. */
export function toUsage(value: unknown, names: UsageNames): object | undefined {
  const fields = fieldsOf(value)
  const input_tokens = countOf(fields[names.input])
  const output_tokens = countOf(fields[names.output])
  if (input_tokens === undefined || output_tokens === undefined) return undefined
  const cache_read_tokens = countOf(fields[names.cacheRead])
  const cache_write_tokens = countOf(fields[names.cacheWrite ?? ''])
  return known({ input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, raw: value })
}
