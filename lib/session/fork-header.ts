// The first line of a session that begins with the bytes of another one.

import { LineEncoder } from '../format/index.js'

/** The header says how long it is itself, so it is written until the number fits. */
export function forkHeaderLine(
  uuid: string,
  ts: string,
  payloadOf: (base: number) => object,
): Buffer {
  const encoder = new LineEncoder()
  for (let base = 0; ; ) {
    encoder.reset()
    const payloadJson = JSON.stringify(payloadOf(base))
    const length = encoder.addEvent({
      type: 'session_header',
      ts,
      uuid,
      prevJson: 'null',
      payloadJson,
    })
    if (length === base) return Buffer.from(encoder.bytes({ isolate: false }))
    base = length
  }
}
