// How many bytes the subagents of a session take together, whichever process writes them. The
// first line of a file says whose it is and never changes, so it is read once; after that a look
// is one listing of the folder and one stat for each of them.

import { basename, join } from 'node:path'
import { isUnreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { listLogNames } from '../list-logs.js'
import { readOrigin } from './sidechain-info.js'

export class SidechainSizes {
  readonly #store: StoreContext
  readonly #sessionId: string
  readonly #isOurs = new Map<string, boolean>()

  constructor(store: StoreContext, sessionId: string) {
    this.#store = store
    this.#sessionId = sessionId
  }

  /** A log that is known to belong to the session, so that it need not be read. */
  claim(path: string): void {
    this.#isOurs.set(basename(path), true)
  }

  /** Of one of them; 0 while it is not there. */
  sizeOf(path: string): number {
    return this.#store.env.fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Without those whose size the caller knows better. */
  sumExcept(known: { has(path: string): boolean }): number {
    let sum = 0
    const { sidechains } = this.#store.layout
    for (const name of listLogNames(this.#store, sidechains)) {
      const path = join(sidechains, name)
      if (known.has(path) || !this.#belongs(name, path)) continue
      sum += this.sizeOf(path)
    }
    return sum
  }

  #belongs(name: string, path: string): boolean {
    const verdict = this.#isOurs.get(name)
    if (verdict !== undefined) return verdict
    const origin = readOrigin(this.#store, path)
    // Just created, perhaps: the next look finds its header.
    if (isUnreadable(origin)) return false
    const isOurs = origin.parentSessionId === this.#sessionId
    this.#isOurs.set(name, isOurs)
    return isOurs
  }
}
