// How much of a message reaches the model: the bytes of its text, and its pictures.

import { fieldsOf, type Message, partsOf } from '../chain/index.js'

export interface MessageSize {
  readonly bytes: number
  readonly pictures: number
}

const PICTURES: ReadonlySet<unknown> = new Set(['image', 'image_url', 'input_image'])

// A context is measured before every call of a model; its messages do not change in between.
const sizes = new WeakMap<object, MessageSize>()

export function sizeOf(message: Pick<Message, 'type' | 'payload'>): MessageSize {
  const { payload } = message
  const known = isObject(payload) ? sizes.get(payload) : undefined
  if (known !== undefined) return known
  let bytes = 0
  for (const { text } of partsOf(message)) bytes += Buffer.byteLength(text)
  const size = { bytes, pictures: picturesIn(fieldsOf(payload)['content']) }
  if (isObject(payload)) sizes.set(payload, size)
  return size
}

/** Also those that a tool gave back: a result holds blocks of its own. */
function picturesIn(content: unknown): number {
  if (!Array.isArray(content)) return 0
  let count = 0
  for (const block of content) {
    const { type, content: inner } = fieldsOf(block)
    if (PICTURES.has(type)) count++
    if (!Array.isArray(inner)) continue
    for (const part of inner) if (PICTURES.has(fieldsOf(part)['type'])) count++
  }
  return count
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
