// Rows as the items of a list. The result of a tool call is shown with the call, so it has no item of its
// own where both are in the list.

import type { Row } from '../data/types.js'

export type ItemKind =
  | 'prompt'
  | 'reply'
  | 'tool'
  | 'boundary'
  | 'summary'
  | 'subagent'
  | 'note'
  | 'problem'

export interface Item {
  readonly key: string
  readonly kind: ItemKind
  /** Its place in the rows. */
  readonly index: number
  readonly row: Row
  /** Places of the rows with the results of its calls. */
  readonly results: number[]
  /** Whether a result of its calls is an error. */
  hasError: boolean
}

const KINDS: Readonly<Record<string, ItemKind>> = {
  user: 'prompt',
  assistant: 'reply',
  tool_call: 'tool',
  tool_result: 'tool',
  compaction_boundary: 'boundary',
  summary: 'summary',
  subagent_spawn: 'subagent',
}

/** Items of rows that are added at the end, one after the other. */
export class ItemList {
  readonly items: Item[] = []
  readonly #byUuid = new Map<string, number>()
  readonly #callers = new Map<string, Item>()
  #rows = 0

  /** Takes the rows that were added since the last call. */
  extend(rows: readonly Row[]): void {
    for (; this.#rows < rows.length; this.#rows++) this.#add(rows[this.#rows]!, this.#rows)
  }

  /** The place of the item that shows an event; -1: there is none. */
  find(uuid: string): number {
    return this.#byUuid.get(uuid) ?? -1
  }

  #add(row: Row, index: number): void {
    const owners = (row.results ?? []).map((id) => this.#callers.get(id))
    if (row.onlyResults === true && owners.length > 0 && owners.every((item) => item)) {
      for (const owner of new Set(owners as Item[])) {
        owner.results.push(index)
        if (row.error === true) owner.hasError = true
        this.#remember(row, this.#byUuid.get(owner.row.uuid ?? '') ?? -1)
      }
      return
    }
    const item: Item = {
      key: `${row.sessionId ?? ''}:${row.offset}:${index}`,
      kind: kindOf(row),
      index,
      row,
      results: [],
      hasError: row.error === true,
    }
    for (const id of row.calls ?? []) this.#callers.set(id, item)
    this.#remember(row, this.items.length)
    this.items.push(item)
  }

  #remember({ uuid }: Row, place: number): void {
    if (uuid !== null && place >= 0) this.#byUuid.set(uuid, place)
  }
}

function kindOf(row: Row): ItemKind {
  if (row.damage !== undefined || row.kind === 'gap') return 'problem'
  const kind = Object.hasOwn(KINDS, row.type) ? KINDS[row.type]! : 'note'
  // A reply without a text is only its calls.
  return kind === 'reply' && row.onlyCalls === true ? 'tool' : kind
}

/** The next item in a direction that matches; -1: there is none. */
export function findItem(
  items: readonly Item[],
  from: number,
  step: 1 | -1,
  isWanted: (item: Item) => boolean,
): number {
  for (let at = from + step; at >= 0 && at < items.length; at += step) {
    if (isWanted(items[at]!)) return at
  }
  return -1
}
