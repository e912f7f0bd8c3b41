// The payload of an event, as it comes from a command line or a pipe.

import { type Call, UsageError } from './command.js'
import { findJsonError } from './json-error.js'
import { readStdin } from './text-input.js'

const EXAMPLE = `Example: --payload '{"content":"hello"}'`
const CHARS_AROUND = 30

/** The payload that was given, `{}` without one; `-` stands for stdin. */
export async function payloadOf(call: Call): Promise<Record<string, unknown>> {
  const given = call.value('payload')
  if (given === undefined) return {}
  const text = given === '-' ? await readStdin(call, 'payload') : given
  if (text.trim() === '') throw new UsageError(`The payload is empty. ${EXAMPLE}`)
  try {
    // Whether it is an object is asked where events are checked, of every caller alike.
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw await notJson(text)
  }
}

async function notJson(text: string): Promise<UsageError> {
  const position = findJsonError(text)
  const lines = text.slice(0, position).split('\n')
  const line = lines.length
  const column = lines.at(-1)!.length + 1
  const what = position === text.length ? 'ends too early' : 'is not JSON'
  return new UsageError(
    `The payload ${what} at position ${position} (line ${line}, column ${column}):\n` +
      `${pointAt(text, position)}\n${EXAMPLE}`,
    { position, line, column },
  )
}

/** The text around a position, and under it an arrow. */
function pointAt(text: string, position: number): string {
  const start = Math.max(0, position - CHARS_AROUND)
  const shown = (part: string) => part.replace(/[\s\u0000-\u001f\u007f-\u009f]/gu, ' ')
  const before = `${start > 0 ? '…' : ''}${shown(text.slice(start, position))}`
  const end = position + CHARS_AROUND
  const after = `${shown(text.slice(position, end))}${end < text.length ? '…' : ''}`
  return `  ${before}${after}\n  ${' '.repeat(before.length)}^`
}
