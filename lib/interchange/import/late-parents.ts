// Records whose parent is written after them. A survey of the file finds them; each then waits, by its
// position only, until its parent was added.

import type { ForeignRecord, ImportContext, RecordPlace } from './importer.js'

export class LateParents {
  readonly #reread: ImportContext['reread']
  readonly #waiting = new Map<string, RecordPlace[]>()

  constructor(reread: ImportContext['reread']) {
    this.#reread = reread
  }

  /** Holds the position of a record until its parent was added. */
  hold(parent: string, { byteOffset, length, source }: ForeignRecord): void {
    const place = { byteOffset, length, source }
    const others = this.#waiting.get(parent)
    if (others === undefined) this.#waiting.set(parent, [place])
    else others.push(place)
  }

  /** The records that waited for this one, in the order of the file. */
  *take(parent: string): Generator<ForeignRecord, void, undefined> {
    const places = this.#waiting.get(parent)
    if (places === undefined) return
    this.#waiting.delete(parent)
    for (const place of places) yield this.#reread(place)
  }

  /** All that still waits, at the end of the input: parents that follow each other in a circle. */
  *takeRest(): Generator<ForeignRecord, void, undefined> {
    for (const parent of [...this.#waiting.keys()]) yield* this.take(parent)
  }
}
