// Two sessions event by event: what both begin with, and how each continues. Both are read as streams, so memory does not
// grow with them.

import { MESSAGE_TYPES } from '../../format/index.js'
import type { StoreContext } from '../context.js'
import { type ConversationItem, readConversation } from '../load/conversation.js'

type Items = AsyncGenerator<ConversationItem, void, undefined>

export interface ComparedBranches {
  readonly common: {
    readonly events: number
    readonly messages: number
    /** The newest event of both; `undefined` if they have none. */
    readonly last: ConversationItem | undefined
  }
  /** How the first and the second continue, to be read one after the other. */
  readonly rests: readonly [Items, Items]
}

/**
 * A fork and a resumed session begin with the events of their source, so the ids of events show what is common. Compared
 * are the active branches, uncompacted: what a rewind left behind is in neither.
 */
export async function compareBranches(
  store: StoreContext,
  one: string,
  other: string,
): Promise<ComparedBranches> {
  const [first, second] = [readConversation(store, one), readConversation(store, other)]
  let events = 0
  let messages = 0
  let last: ConversationItem | undefined
  for (;;) {
    const [left, right] = [await first.next(), await second.next()]
    const isSame =
      left.done !== true && right.done !== true && left.value.event.uuid === right.value.event.uuid
    if (!isSame) {
      const rests = [restOf(left, first), restOf(right, second)] as const
      return { common: { events, messages, last }, rests }
    }
    events++
    if (MESSAGE_TYPES.has(left.value.event.type)) messages++
    last = left.value
  }
}

async function* restOf(next: IteratorResult<ConversationItem, void>, items: Items): Items {
  if (next.done === true) return
  yield next.value
  yield* items
}
