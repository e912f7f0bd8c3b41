// What a summarizer gives back for a text that a model wrote.

import { readStructured, type Summary } from '../compaction/index.js'

export function summaryOf(
  text: string,
  { model, tokens }: { readonly model: unknown; readonly tokens: unknown },
): Summary {
  const structured = readStructured(text)
  return {
    text,
    ...(structured !== undefined && { structured }),
    ...(typeof model === 'string' && { model }),
    ...(Number.isSafeInteger(tokens) && { tokens: tokens as number }),
  }
}
