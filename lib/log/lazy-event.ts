// An event whose payload is parsed when somebody looks at it. Until then it costs its bytes.

import { checkChecksum, readEnvelope, type SessionEvent } from '../format/index.js'

/**
 * The event of a line that is spelled as ours and proves itself; `undefined` for any other line.
 * The bytes must not change afterwards. A payload that is no JSON in spite of its checksum, which
 * our writer never writes, is `null`.
 */
export function lazyEvent(bytes: Buffer, start: number, end: number): SessionEvent | undefined {
  const envelope = readEnvelope(bytes, start, end)
  if (envelope === undefined || checkChecksum(bytes, start, end) !== 'valid') return undefined
  const { type, ts, uuid, prev_uuid } = envelope
  let unread: Buffer | undefined = bytes
  let payload: unknown
  return {
    type,
    ts,
    uuid,
    prev_uuid,
    get payload() {
      if (unread !== undefined) {
        payload = payloadOf(unread.toString('utf8', start, end))
        unread = undefined
      }
      return payload
    },
  }
}

function payloadOf(line: string): unknown {
  try {
    return (JSON.parse(line) as { payload?: unknown }).payload ?? null
  } catch {
    return null
  }
}
