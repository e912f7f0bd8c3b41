// A session's title, kept where a listing finds it: the line is repeated every 48 KiB and at the
// end, so that one look at the last 64 KiB of a file of any size is enough.

import { fieldsOf } from '../chain/index.js'
import type { SessionEvent } from '../format/index.js'
import type { NewEvent } from '../log/index.js'
import { bytesOf } from '../store/index.js'

const REPEAT_BYTES = 48 * 1024

export type TitleSource = 'user' | 'auto'

export class TitleKeeper {
  #title: string | undefined
  #source: TitleSource = 'auto'
  #writtenAt = 0
  /** Of what was handed over and is not written yet; and where a repetition among it will stand. */
  #gatheredBytes = 0
  #promisedAt = 0

  /** Learns from any line of the log. An automatic title never replaces one of the user. */
  observe(event: SessionEvent, byteOffset: number): void {
    this.#gatheredBytes = 0
    this.#promisedAt = 0
    if (event.type !== 'session_meta') return
    const { title, title_source } = fieldsOf(event.payload)
    if (typeof title !== 'string') return
    const source: TitleSource = title_source === 'user' ? 'user' : 'auto'
    if (source === 'auto' && this.#source === 'user' && this.#title !== undefined) return
    this.#title = title
    this.#source = source
    this.#writtenAt = byteOffset
  }

  /** The line to write again behind these, when there is so much since the last one with them. */
  repetition(size: number, events: readonly NewEvent[]): NewEvent | undefined {
    // What says a title itself must stay the last that does.
    if (this.#title === undefined || events.some(isTitle)) return undefined
    for (const event of events) this.#gatheredBytes += bytesOf(event)
    const end = size + this.#gatheredBytes
    if (end - Math.max(this.#writtenAt, this.#promisedAt) < REPEAT_BYTES) return undefined
    this.#promisedAt = end
    return this.line()
  }

  /** The line to end with, if there is a title. */
  line(): NewEvent | undefined {
    if (this.#title === undefined) return undefined
    return titleEvent(this.#title, this.#source)
  }
}

export function isTitle({ type }: NewEvent): boolean {
  return type === 'session_meta'
}

export function titleEvent(title: string, source: TitleSource): NewEvent {
  return { type: 'session_meta', payload: { title, title_source: source } }
}
