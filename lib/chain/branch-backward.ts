// Which events are on the branch that a log is on, for readers that go backward from its end and stop
// early. What a rewind left, and what was recorded again in another order, is not.

import { fieldsOf } from '../format/fields.js'
import { isOnChain, type SessionEvent } from '../format/index.js'

/** Takes the events of one log, newest first. */
export class BranchBackward {
  /** The event that the branch continues from; `undefined`: the next one, whichever it is. */
  #next: string | null | undefined

  /** Whether the event is on the branch. Off-chain events are on none. */
  takes(event: SessionEvent): boolean {
    if (!isOnChain(event) || (this.#next !== undefined && event.uuid !== this.#next)) return false
    this.#next = previousOf(event)
    return true
  }

  /** After a damaged line: what it was linked to is not known. */
  forget(): void {
    this.#next = undefined
  }
}

function previousOf(event: SessionEvent): string | null {
  const { truncate_after } = event.type === 'rewind' ? fieldsOf(event.payload) : {}
  return typeof truncate_after === 'string' ? truncate_after : event.prev_uuid
}
