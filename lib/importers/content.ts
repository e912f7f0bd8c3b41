// Contents and usage in our shapes. Blocks of a provider stay as they are: they may be signed.

import { countOf, fieldsOf, isObject, listOf, textOf } from './fields.js'

export type Content = string | readonly unknown[]

/** A text, or blocks of which each says its type. */
export function toContent(value: unknown): Content {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return value === undefined || value === null ? '' : [blockOf(value)]
  return value.every(isBlock) ? value : value.map(blockOf)
}

function isBlock(value: unknown): boolean {
  return isObject(value) && typeof value['type'] === 'string'
}

function blockOf(value: unknown): unknown {
  if (isBlock(value)) return value
  if (typeof value === 'string') return { type: 'text', text: value }
  if (typeof fieldsOf(value)['text'] === 'string') return { type: 'text', ...fieldsOf(value) }
  return { type: 'unknown', value }
}

/** What a person would read of it. */
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

/** `undefined` where the two counts that matter are not both there. */
export function toUsage(value: unknown, names: UsageNames): ForeignUsage | undefined {
  const fields = fieldsOf(value)
  const input_tokens = countOf(fields[names.input])
  const output_tokens = countOf(fields[names.output])
  if (input_tokens === undefined || output_tokens === undefined) return undefined
  const read = countOf(fields[names.cacheRead])
  const write = names.cacheWrite === undefined ? undefined : countOf(fields[names.cacheWrite])
  return {
    input_tokens,
    output_tokens,
    ...(read !== undefined && { cache_read_tokens: read }),
    ...(write !== undefined && { cache_write_tokens: write }),
    raw: value,
  }
}

interface ForeignUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens?: number
  readonly cache_write_tokens?: number
  readonly raw: unknown
}
