// Lines as our writer spells them, for tests that damage them afterwards.

import { LineEncoder } from '../../lib/format/index.js'

export interface LineOptions {
  readonly uuid?: string
  readonly prev_uuid?: string | null
  readonly payload?: unknown
  readonly ts?: string
}

const encoder = new LineEncoder()

/** A whole line with its checksum and its newline. */
export function line(type: string, options: LineOptions = {}): Buffer {
  const { uuid = id(1), prev_uuid = null, payload = {}, ts = time(0) } = options
  const prevJson = JSON.stringify(prev_uuid)
  encoder.reset()
  encoder.addEvent({ type, ts, uuid, prevJson, payloadJson: JSON.stringify(payload) })
  return Buffer.from(encoder.bytes({ isolate: false }))
}

/** The same line without its newline. */
export function record(type: string, options: LineOptions = {}): Buffer {
  return line(type, options).subarray(0, -1)
}

/** A line as another tool writes it: without checksum, in its own order of keys. */
export function foreignLine(event: object): Buffer {
  return Buffer.from(`${JSON.stringify(event)}\n`)
}

/** A line without envelope, as in a history. */
export function bareLine(value: object): Buffer {
  encoder.reset()
  encoder.addBare(JSON.stringify(value))
  return Buffer.from(encoder.bytes({ isolate: false }))
}

export function id(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

export function time(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString()
}
