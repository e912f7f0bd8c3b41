// An event as it is sent to a reader outside: without what nests beyond the stack, without secrets, and
// with long strings cut if the reader wants only their beginning.

import { type SessionEvent, withinDepth } from '../../format/index.js'
import { type Redactor, redactEvent } from '../../redaction/index.js'
import { withoutHalves } from '../text/output-text.js'

export interface ServeOptions {
  /**
   * Finds the secrets to be replaced.
   *
   * @default none: every text is sent as it is stored
   */
  redactor?: Redactor | undefined

  /**
   * Cut strings of the payload that have more characters; 0: none.
   *
   * @default 0
   */
  clip?: number | undefined
}

export interface ServedEvent {
  readonly event: SessionEvent
  /** How many characters were cut from its strings. */
  readonly cutChars: number
}

export function toServedEvent(
  event: SessionEvent,
  { redactor, clip = 0 }: ServeOptions = {},
): ServedEvent {
  const shallow = withinDepth(event)
  // First: a secret that is cut in two would not be found.
  const safe = redactor === undefined ? shallow : redactEvent(shallow, redactor)
  const cut = { chars: 0 }
  const payload = clip === 0 ? safe.payload : clipStrings(safe.payload, clip, cut)
  if (payload === event.payload && safe === event) return { event, cutChars: 0 }
  // The checksum is of other bytes.
  const { crc: _, ...fields } = safe as SessionEvent & { crc?: unknown }
  return { event: { ...fields, payload }, cutChars: cut.chars }
}

/** The same for a text that is not part of an event. */
export function toServedText(
  text: string,
  { redactor, clip = 0 }: ServeOptions = {},
): { readonly text: string; readonly cutChars: number } {
  const safe = redactor === undefined ? text : redactor.text(text)
  const cut = { chars: 0 }
  const kept = clip === 0 ? safe : (clipStrings(safe, clip, cut) as string)
  return { text: kept, cutChars: cut.chars }
}

const ELLIPSIS = '…'

function clipStrings(value: unknown, charsMax: number, cut: { chars: number }): unknown {
  if (typeof value === 'string') {
    if (value.length <= charsMax) return value
    const kept = withoutHalves(value.slice(0, charsMax - 1)) + ELLIPSIS
    cut.chars += value.length - kept.length
    return kept
  }
  if (typeof value !== 'object' || value === null) return value
  const before = cut.chars
  const members = Object.entries(value).map(
    ([name, member]) => [name, clipStrings(member, charsMax, cut)] as const,
  )
  if (cut.chars === before) return value
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members)
}
