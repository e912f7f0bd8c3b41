// Most messages of a rollout stand in it twice: as the item the model saw, and as an event for the
// screen, before or after it. Some files hold only the events. Whichever comes first, a message
// becomes one event of ours.

import { beginsTurn, type CodexEvent } from './codex-items.js'
import type { ForeignRecord } from './importer.js'

/** An event that waits: for its usage, or for the item that says the same. */
export interface Held {
  readonly event: CodexEvent
  readonly record: ForeignRecord
  readonly uuid: string
  readonly ts: string
}

const EXPECTED_MAX = 8

export class DisplayCopies {
  /** The newest messages of which no copy was met yet. */
  #expected: string[] = []
  /** A copy whose message may still come. */
  #held: Held | undefined

  expect(text: string): void {
    this.#expected.push(text)
    if (this.#expected.length > EXPECTED_MAX) this.#expected.shift()
  }

  /** Whether this is the copy of a message that was there before it; each has one. */
  isExpected(text: string): boolean {
    const index = this.#expected.lastIndexOf(text)
    if (index !== -1) this.#expected.splice(index, 1)
    return index !== -1
  }

  hold(copy: Held): void {
    this.#held = copy
  }

  /**
   * What becomes of the copy that is held, now that this item came, or nothing more does: it is the
   * same, or it stands alone. `undefined`: there is none, or it must wait on.
   */
  settle(next: CodexEvent | undefined): { copy: Held; isSame: boolean } | undefined {
    const copy = this.#held
    if (copy === undefined) return undefined
    const isSame = next !== undefined && next.text === copy.event.text
    if (next !== undefined && !isSame && mayStandBetween(next)) return undefined
    this.#held = undefined
    return { copy, isSame }
  }
}

/** Reasoning, and what the harness says in the user's name. */
function mayStandBetween(item: CodexEvent): boolean {
  if (item.type === 'user' || item.type === 'system') return !beginsTurn(item)
  return item.type === 'assistant' && item.text === undefined
}
