// How many bytes the subagents of a session take together, whichever process writes them. The
// first line of a file says whose it is and never changes, so it is read once; after that a look
// is one listing of the folder and one stat for each of them.

import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Layout } from './layout.js'
import { logNamesIn } from './log-names.js'
import { isSkipped } from './session-digest.js'
import { readOrigin } from './sidechain-digest.js'

export class SidechainSizes {
  readonly #folder: string
  readonly #sessionId: string
  readonly #isOurs = new Map<string, boolean>()

  constructor({ sidechains }: Layout, sessionId: string) {
    this.#folder = sidechains
    this.#sessionId = sessionId
  }

  /** One that is known to be theirs, so that nobody has to look into it. */
  claim(path: string): void {
    this.#isOurs.set(basename(path), true)
  }

  /** Of one of them; 0 while it is not there. */
  sizeOf(path: string): number {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Without those whose size the caller knows better. */
  sumExcept(known: { has(path: string): boolean }): number {
    let sum = 0
    for (const name of logNamesIn(this.#folder)) {
      const path = join(this.#folder, name)
      if (known.has(path) || !this.#belongs(name, path)) continue
      sum += this.sizeOf(path)
    }
    return sum
  }

  #belongs(name: string, path: string): boolean {
    const verdict = this.#isOurs.get(name)
    if (verdict !== undefined) return verdict
    const origin = readOrigin(path)
    // Just created, perhaps: the next look finds its header.
    if (isSkipped(origin)) return false
    const isOurs = origin.parent_session_id === this.#sessionId
    this.#isOurs.set(name, isOurs)
    return isOurs
  }
}
