// A message as a harness hands it to a model: an event of the projection, or what stands for it.

import { fieldsOf, isGap, type ProjectionEntry } from './projection.js'

export interface Message {
  readonly type: string
  readonly uuid: string
  readonly ts: string
  readonly payload: unknown
  readonly file?: string | undefined
  readonly byte_offset?: number | undefined
  /** It stands in no log: it was made for this reading only. */
  readonly synthetic?: true | undefined
}

export type Block = Readonly<Record<string, unknown>>

/** One message per entry, in their order; gaps say nothing. */
export function plainMessages(entries: readonly ProjectionEntry[]): Message[] {
  const messages: Message[] = []
  for (const entry of entries) {
    if (isGap(entry)) continue
    const { file, byte_offset, event } = entry
    const { type, uuid, ts } = event
    const payload =
      entry.kind === 'summary' ? { ...fieldsOf(event.payload), text: entry.text } : event.payload
    messages.push({ type, uuid, ts, payload, file, byte_offset })
  }
  return messages
}

/** The provider's blocks of a message; empty where its content is a text. */
export function blocksOf({ payload }: Message): readonly unknown[] {
  const { content } = fieldsOf(payload)
  return Array.isArray(content) ? content : []
}

/** A copy with other blocks; the stored event stays as it is. */
export function withBlocks(message: Message, content: readonly unknown[]): Message {
  return { ...message, payload: { ...fieldsOf(message.payload), content } }
}

export function placeOf({ file, byte_offset, uuid }: Message) {
  return { file, byte_offset, uuid }
}
