// Most messages are in a rollout twice: as the item the model saw, and as an event for the display,
// before or after it. Some files hold only the events. Either way, a message becomes one event.

import type { Origin } from '../import/emitter.js'
import { beginsTurn } from './context.js'
import type { CodexEvent } from './items.js'

/** An event that waits: for its usage, or for the item that says the same. */
export interface Held {
  readonly event: CodexEvent
  readonly uuid: string
  readonly origin: Origin
}

const EXPECTED_MAX = 8

export class DisplayCopies {
  /** The newest messages whose copy was not read yet. */
  #expected: string[] = []
  /** A copy whose message may still come. */
  #held: Held | undefined

  expect(text: string): void {
    this.#expected.push(text)
    if (this.#expected.length > EXPECTED_MAX) this.#expected.shift()
  }

  /** Whether this is the copy of an earlier message; each has one copy. */
  isExpected(text: string): boolean {
    const index = this.#expected.lastIndexOf(text)
    if (index !== -1) this.#expected.splice(index, 1)
    return index !== -1
  }

  hold(copy: Held): void {
    this.#held = copy
  }

  /**
   * Decides about the held copy by the next item, or at the end: it is the same message, or one
   * without an item. `undefined`: there is no held copy, or it must still wait.
   */
  settle(next: CodexEvent | undefined): { copy: Held; isSame: boolean } | undefined {
    const copy = this.#held
    if (copy === undefined) return undefined
    const isSame = next !== undefined && next.text === copy.event.text
    if (next !== undefined && !isSame && mayComeBetween(next)) return undefined
    this.#held = undefined
    return { copy, isSame }
  }
}

/** Reasoning, and what the harness adds in the user's name. */
function mayComeBetween(item: CodexEvent): boolean {
  if (item.type === 'user' || item.type === 'system') return !beginsTurn(item)
  return item.type === 'assistant' && item.text === undefined
}
