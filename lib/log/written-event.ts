// An event as it was just written: the caller may change their object afterwards, so it is made
// from the line's own text, and only for those who ask for the payload.

import type { LineParts, SessionEvent } from '../format/index.js'

export class WrittenEvent implements SessionEvent {
  readonly type: string
  readonly ts: string
  readonly uuid: string
  readonly prev_uuid: string | null
  #json: string | undefined
  #payload: unknown

  constructor({ type, ts, uuid, prevJson, payloadJson }: LineParts) {
    this.type = type
    this.ts = ts
    this.uuid = uuid
    this.prev_uuid = JSON.parse(prevJson) as string | null
    this.#json = payloadJson
  }

  get payload(): unknown {
    if (this.#json !== undefined) {
      this.#payload = JSON.parse(this.#json)
      this.#json = undefined
    }
    return this.#payload
  }

  /** As it stands in the log: the payload, too, is part of what is printed. */
  toJSON(): SessionEvent {
    const { type, ts, uuid, prev_uuid, payload } = this
    return { type, ts, uuid, prev_uuid, payload }
  }
}
