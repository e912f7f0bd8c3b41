// A session's title, kept where a listing finds it: the line is repeated every 48 KiB and at the
// end, so that one look at the last 64 KiB of a file of any size is enough.

import { fieldsOf } from '../chain/index.js'
import type { SessionEvent } from '../format/index.js'
import type { NewEvent, Trailer } from '../log/index.js'
import { mayBeTitle, TITLE_STRIDE_BYTES } from '../store/index.js'

export type TitleSource = 'user' | 'auto'

export class TitleKeeper {
  #title: string | undefined
  #source: TitleSource = 'auto'
  #writtenAt = 0

  /** Learns from any line of the log. An automatic title never replaces one of the user. */
  observe(event: SessionEvent, byteOffset: number): void {
    if (event.type !== 'session_meta') return
    const { title, title_source } = fieldsOf(event.payload)
    if (typeof title !== 'string') return
    const source: TitleSource = title_source === 'user' ? 'user' : 'auto'
    if (source === 'auto' && this.#source === 'user' && this.#title !== undefined) return
    this.#title = title
    this.#source = source
    this.#writtenAt = byteOffset
  }

  /** For the log: the line once more, behind what makes so much since the last one. */
  readonly trailer: Trailer = ({ lines, end }) => {
    if (this.#title === undefined || end - this.#writtenAt < TITLE_STRIDE_BYTES) return undefined
    return lines.some(mayBeTitle) ? undefined : this.line()
  }

  /** The line to end with, if there is a title. */
  line(): NewEvent | undefined {
    if (this.#title === undefined) return undefined
    return titleEvent(this.#title, this.#source)
  }
}

export function titleEvent(title: string, source: TitleSource): NewEvent {
  return { type: 'session_meta', payload: { title, title_source: source } }
}
