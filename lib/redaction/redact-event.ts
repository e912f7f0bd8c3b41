// Redacts an event that leaves the store: its payload, and what other tools wrote beside it.

import { redactPayload } from './redact-payload.js'
import type { Redactor, RedactTextOptions } from './redactor.js'

interface EventFields {
  readonly type: string
  readonly payload: unknown
}

const ENVELOPE = new Set(['type', 'ts', 'uuid', 'prev_uuid', 'payload', 'crc', 'synthetic'])

/** The event without secrets, or the same object where there are none. */
export function redactEvent<Event extends EventFields>(
  event: Event,
  redactor: Redactor,
  options: RedactTextOptions = {},
): Event {
  const { type, payload } = event
  const isObject = typeof payload === 'object' && payload !== null
  const redacted = isObject ? redactPayload(type, payload, redactor, options) : payload
  // Other tools may write texts outside of the payload.
  const others = redactor.value(event, { ...options, skip: (name) => ENVELOPE.has(name) })
  if (redacted === payload && others === event) return event
  return { ...others, payload: redacted }
}
