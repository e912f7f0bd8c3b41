// What the user has allowed in this process. Trust is given again in every session, so there is
// no way to load this, and no way to save it.

import { NEVER_WRITTEN } from '../format/index.js'

export class PermissionLedger {
  readonly #grants = new Set<string>()

  /** A ledger never remembers: it starts empty after a resume and after a fork. */
  readonly restored = false

  // Found at any depth of a payload, it is refused before a byte is written.
  readonly [NEVER_WRITTEN] = true

  grant(scope: string): void {
    this.#grants.add(scope)
  }

  revoke(scope: string): void {
    this.#grants.delete(scope)
  }

  has(scope: string): boolean {
    return this.#grants.has(scope)
  }

  get size(): number {
    return this.#grants.size
  }

  toJSON(): never {
    throw new TypeError('A permission ledger lives in memory only and is never written')
  }
}
